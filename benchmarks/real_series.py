"""Measured scaling curves that nobody here wrote, and what is hidden of each.

`SCALEWATCH_SCALING` names the folder of `series.csv`, with a dataset, a kind and a
parameter for each series, and `values.csv`, with its repetitions by setting; unless it
is set, `../shared/data/scaling` beside the checkout is read. Of a dataset at most 16
series are taken, its kinds in turn, each with at most ten settings that lie close to a
geometric grid. The largest one, two and three settings are hidden while five are left.
"""

import csv
import math
import os
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Final

import numpy as np

from scalewatch.modelling import Growth, parse_growth
from scalewatch.modelling.arrays import Reals

VARIABLE: Final = "SCALEWATCH_SCALING"
BESIDE: Final = Path(__file__).parents[2] / "shared" / "data" / "scaling"

PER_DATASET: Final = 16
MOST_SETTINGS: Final = 10
LEAST_SETTINGS: Final = 6
LEAST_LEFT: Final = 5
MOST_HIDDEN: Final = 3

EXPECTATIONS: Final = {
    "strong": ("1 / {}", "1"),
    "weak": ("1", "log {}"),
    "collective": ("log {}", "{}"),
    "size": ("{}", "{}^2", "{}^3"),
    "counts": ("1", "log {}"),
    "memory": ("1", "1 / {}"),
}
"""Growths that whoever measures such a curve would expect, in braces the parameter."""


@dataclass(frozen=True, slots=True)
class RealSeries:
    """One measured curve.

    Parameters
    ----------
    dataset, kind, parameter
        Where it comes from, how it scales, and what varies.
    settings, values
        Rising settings, and the repetitions at each.
    """

    dataset: str
    kind: str
    parameter: str
    settings: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]

    @property
    def is_repeated(self) -> bool:
        """Whether a setting was measured more than once."""
        return max(map(len, self.values)) > 1

    @property
    def medians(self) -> list[float]:
        """Median of the repetitions at each setting."""
        return [median(each) for each in self.values]

    @property
    def expectations(self) -> list[Growth]:
        """Growths that this kind is expected to have."""
        forms = EXPECTATIONS[self.kind]
        return [parse_growth(f"O({form.format(self.parameter)})") for form in forms]

    def hidden(self) -> Iterator[int]:
        """Yield how many of the largest settings may be hidden."""
        for number in range(1, MOST_HIDDEN + 1):
            is_enough = number == 1 or len(self.settings) > LEAST_SETTINGS
            if len(self.settings) - number >= LEAST_LEFT and is_enough:
                yield number

    def but(self, number: int) -> "RealSeries":
        """Return it without so many of its largest settings."""
        kept = len(self.settings) - number
        return replace(self, settings=self.settings[:kept], values=self.values[:kept])

    def first(self) -> "RealSeries":
        """Return it as if each setting had been measured once."""
        return replace(self, values=tuple(each[:1] for each in self.values))

    def arrays(self) -> tuple[Reals, Reals]:
        """Return settings, (n,), and repetitions, (1, n, R), NaN where one lacks."""
        repetitions = max(map(len, self.values))
        values = np.full((1, len(self.values), repetitions), np.nan)
        for row, each in zip(values[0], self.values, strict=True):
            row[: len(each)] = each
        return np.array(self.settings), values


def folder() -> Path:
    """Return where the series lie."""
    return Path(os.environ.get(VARIABLE) or BESIDE)


def real_series() -> list[RealSeries]:
    """Read the series, in turn by dataset and kind, in an order that is always one."""
    about = _rows("series.csv")
    measured: dict[str, dict[float, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for row in _rows("values.csv"):
        setting, value = float(row["setting"]), float(row["value"])
        measured[row["series"]][setting].append(value)
    random.Random(5).shuffle(about)  # noqa: S311, which series is no secret
    queues: dict[str, dict[str, list[tuple[str, RealSeries]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for row in about:
        points = _thinned(sorted(measured[row["series"]].items()))
        is_positive = points[0][0] > 0 and all(min(each) > 0 for _, each in points)
        if len(points) >= LEAST_SETTINGS and is_positive:
            each = RealSeries(
                dataset=row["dataset"],
                kind=row["kind"],
                parameter=row["parameter"],
                settings=tuple(setting for setting, _ in points),
                values=tuple(tuple(values) for _, values in points),
            )
            queues[each.dataset][each.kind].append((row["series"], each))
    taken = [
        each for kinds in queues.values() for each in _in_turn(list(kinds.values()))
    ]
    return [each for _, each in sorted(taken, key=lambda named: named[0])]


def _rows(name: str) -> list[dict[str, str]]:
    with (folder() / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _in_turn(
    queues: Sequence[list[tuple[str, RealSeries]]],
) -> list[tuple[str, RealSeries]]:
    """Take from each queue in turn, until they are enough or empty."""
    taken: list[tuple[str, RealSeries]] = []
    while any(queues):
        for queue in queues:
            if queue and len(taken) < PER_DATASET:
                taken.append(queue.pop())
        if len(taken) == PER_DATASET:
            break
    return taken


def _thinned(
    points: list[tuple[float, list[float]]],
) -> list[tuple[float, list[float]]]:
    """Return those that lie next to a geometric grid over the settings."""
    if len(points) <= MOST_SETTINGS:
        return points
    low, high = math.log(points[0][0]), math.log(points[-1][0])
    grid = np.linspace(low, high, MOST_SETTINGS)
    logs = np.log([setting for setting, _ in points])
    kept = np.unique(np.abs(logs - grid[:, np.newaxis]).argmin(axis=1))
    return [points[place] for place in kept.tolist()]

"""Which split of cores is best: p processes of t threads with p·t fixed.

Of the splits that were measured the one with the best median counts; it is surely the
best where the 95 % interval of its median, by order statistics, lies apart from that of
the next one. At a total that nobody measured, a model of all parameters tells.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, prod, sqrt

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.growths.model import Model


@dataclass(frozen=True, slots=True)
class Split:
    """One way to divide a total, and what it costs or yields.

    Parameters
    ----------
    low, high
        The 95 % interval of the median, all values where these are fewer than six; the
        value itself where it is modelled.
    repetitions
        How many there are; none where it is modelled.
    """

    settings: Mapping[str, float]
    value: float
    low: float
    high: float
    repetitions: int = 0


@dataclass(frozen=True, slots=True)
class SplitChoice:
    """The splits of one total, the best first.

    Parameters
    ----------
    held
        Settings of the other parameters.
    is_measured
        Whether all of them were measured; a model tells otherwise.
    """

    total: float
    held: Mapping[str, float]
    splits: tuple[Split, ...]
    is_measured: bool

    @property
    def best(self) -> Split:
        """The first one."""
        return self.splits[0]

    @property
    def is_sure(self) -> bool:
        """Whether the best one lies apart from the next one, as measured."""
        best, following = self.splits[:2]
        is_apart = best.high < following.low or best.low > following.high
        return is_apart and self.is_repeated

    @property
    def is_repeated(self) -> bool:
        """Whether the first two were repeated often enough to tell their noise."""
        return (
            min(split.repetitions for split in self.splits[:2])
            >= ASSUMED.least_repetitions
        )

    @property
    def gain(self) -> float:
        """How far the next one lies off the best one, as a share of that."""
        best, following = self.splits[:2]
        return abs(following.value / best.value - 1)


def measured_splits(
    names: Sequence[str],
    settings: Mapping[str, Reals],
    values: Reals,
    *,
    is_higher_better: bool,
) -> list[SplitChoice]:
    """Return the choice at each total of which several splits were measured.

    Parameters
    ----------
    names
        Parameters whose product is divided.
    settings
        By parameter its settings, shape (n,).
    values
        Repetitions, shape (n, R); NaN is missing.
    """
    others = [name for name in settings if name not in names]
    rows: dict[tuple[float, ...], list[Split]] = defaultdict(list)
    for row, repetitions in enumerate(values):
        at = {name: float(settings[name][row]) for name in names}
        held = tuple(float(settings[name][row]) for name in others)
        ordered = np.sort(repetitions[np.isfinite(repetitions)])
        n, reach = len(ordered), 0.98 * sqrt(len(ordered))
        low, high = max(floor(n / 2 - reach) - 1, 0), min(ceil(n / 2 + reach), n - 1)
        middle = float(np.median(ordered))
        rows[prod(at.values()), *held].append(
            Split(at, middle, float(ordered[low]), float(ordered[high]), n)
        )
    return [
        SplitChoice(
            total=total,
            held=dict(zip(others, held, strict=True)),
            splits=_ordered(rows[total, *held], is_higher_better=is_higher_better),
            is_measured=True,
        )
        for total, *held in sorted(rows)
        if len(rows[total, *held]) > 1
    ]


def modelled_splits(
    names: Sequence[str],
    total: int,
    model: Model,
    held: Mapping[str, float],
    *,
    is_higher_better: bool,
) -> SplitChoice:
    """Return the choice at a total, of all whole divisions, as a model tells."""
    splits = []
    for factors in _factors(total, len(names)):
        at = dict(zip(names, map(float, factors), strict=True))
        value = float(model({**at, **held}))
        splits.append(Split(at, value, value, value))
    ordered = _ordered(splits, is_higher_better=is_higher_better)
    return SplitChoice(total, held, ordered, is_measured=False)


def _ordered(splits: Sequence[Split], *, is_higher_better: bool) -> tuple[Split, ...]:
    sign = -1 if is_higher_better else 1
    return tuple(sorted(splits, key=lambda split: sign * split.value))


def _factors(total: int, count: int) -> Iterator[tuple[int, ...]]:
    """Yield all ordered ways to write a total as a product of so many factors."""
    if count == 1:
        yield (total,)
        return
    for first in (k for k in range(1, total + 1) if total % k == 0):
        for rest in _factors(total // first, count - 1):
            yield first, *rest

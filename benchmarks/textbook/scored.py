"""Scores of all series under one noise, and what is worst among them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np
from benchmarks.textbook import scores
from benchmarks.textbook.answers import OURS, Asked, rules
from benchmarks.textbook.drawings import Drawing, draw
from benchmarks.textbook.families import FAMILIES, Family
from benchmarks.textbook.function import Reals

HIGHER_IS_WORSE: Final = (scores.SURELY_WRONG, "mismatch", scores.PLUS_P)


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of series that have the same truth and settings, by one rule.

    Parameters
    ----------
    family, by, function, at, seed
        Whose they are: names of the family, the rule, the function, the settings and
        the seed.
    rows
        A row per series, shape (S, number of columns).
    """

    family: str
    by: str
    function: str
    at: str
    seed: str
    rows: Reals


def measure(
    noise: str, series: int, repetitions: int, seeds: Sequence[int]
) -> list[Scored]:
    """Draw all families and ask all rules."""
    return [
        scored
        for name, family in FAMILIES.items()
        for scored in _family(
            name, family, draw(family, noise, series, repetitions, seeds), rules(family)
        )
    ]


def measure_ours(
    noise: str,
    series: int,
    repetitions: int,
    seeds: Sequence[int],
    families: Collection[str] = FAMILIES,
) -> list[Scored]:
    """Draw families, all unless some are named, and ask our default alone."""
    return [
        scored
        for name, family in FAMILIES.items()
        if name in families
        for scored in _family(
            name,
            family,
            draw(family, noise, series, repetitions, seeds),
            {OURS: rules(family)[OURS]},
        )
    ]


def _family(
    name: str, family: Family, drawings: list[Drawing], asked: Mapping[str, Asked]
) -> Iterator[Scored]:
    for by, ask in asked.items():
        for at, alike in groupby(sorted(drawings, key=_settings), _settings):
            group = list(alike)
            answers = iter(ask(group, family.parameters))
            for drawing in group:
                own = [next(answers) for _ in drawing.values]
                rows = scores.scores(drawing, own)
                yield Scored(name, by, drawing.function.name, at, drawing.seed, rows)


def _settings(drawing: Drawing) -> str:
    return drawing.at


def summaries(
    found: Iterable[Scored], *names: str
) -> dict[tuple[str, ...], dict[str, float]]:
    """Put together what has the same attributes, in the order of appearance."""
    rows: dict[tuple[str, ...], list[Reals]] = {}
    for each in found:
        key = tuple(getattr(each, name) for name in names)
        rows.setdefault(key, []).append(each.rows)
    return {key: scores.summary(np.concatenate(own)) for key, own in rows.items()}


def worst(
    found: dict[tuple[str, ...], dict[str, float]], column: str
) -> tuple[float, str]:
    """Return the worst number of a column and whose it is; NaN if there is none."""
    known = [
        (cells[column], key[-1])
        for key, cells in found.items()
        if not np.isnan(cells[column])
    ]
    choose: Callable[..., tuple[float, str]] = max if column in HIGHER_IS_WORSE else min
    return choose(known, key=lambda each: each[0], default=(np.nan, ""))

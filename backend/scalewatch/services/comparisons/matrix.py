"""The matrix of a comparison of three sides or more: how far each pair is apart."""

from collections.abc import Iterator
from dataclasses import dataclass

from scalewatch.modelling.versions.assumptions import ASSUMED
from scalewatch.services.comparisons.values import ComparedRow, ComparedSides
from scalewatch.services.comparisons.winners import HIGHER

FEWEST: int = 3
"""Sides from which on there is more than one pair."""


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """A side beside another one.

    Parameters
    ----------
    factor, region
        How many times worse it is, and in which region, where that is largest.
    worse, rows
        In how many regions it is worse by more than counts, of those that both have.
    """

    factor: float
    region: str
    worse: int
    rows: int


def matrix_of(shown: ComparedSides) -> tuple[tuple[MatrixCell | None, ...], ...]:
    """Return a row for each side, a cell for each other one; empty for two sides.

    By the measured medians; None where two sides have no setting in common, or where
    the other is nowhere worse.
    """
    number = len(shown.sides)
    if number < FEWEST:
        return ()
    return tuple(
        tuple(_cell(shown, place, other) for other in range(number))
        for place in range(number)
    )


def _cell(shown: ComparedSides, place: int, other: int) -> MatrixCell | None:
    factors = [*_factors(shown, place, other)] if place != other else []
    factor, region = max(factors, default=(0.0, ""))
    if factor <= 1 + ASSUMED.negligible:
        return None
    worse = sum(each > 1 + ASSUMED.negligible for each, _ in factors)
    return MatrixCell(factor, region, worse, len(factors))


def _factors(
    shown: ComparedSides, place: int, other: int
) -> Iterator[tuple[float, str]]:
    """Yield how many times worse the other side is in each region."""
    for row in shown.rows:
        if ratio := _ratio(row, place, other):
            yield (1 / ratio if row.better == HIGHER else ratio), row.region


def _ratio(row: ComparedRow, place: int, other: int) -> float | None:
    """Return the value of the other side over that of one, at one setting of both."""
    first, second = row.places[place], row.places[other]
    settings = {each.at for each in (first, second) if each.at is not None}
    if len(settings) != 1:
        return None
    over_first = [1.0 if at == 0 else row.places[at].ratio for at in (place, other)]
    before, after = over_first
    return None if not before or not after else after / before

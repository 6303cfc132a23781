"""The matrix of a comparison of three sides or more: how far each pair is apart."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scalewatch.modelling.versions.assumptions import ASSUMED
from scalewatch.services.comparisons.values import ComparedRow, ComparedSides
from scalewatch.services.comparisons.winners import HIGHER


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


Matrix = tuple[tuple[MatrixCell | None, ...], ...]
"""A row for each side, a cell for each other one."""


def matrix_of(shown: ComparedSides, noise: Mapping[str, float]) -> Matrix:
    """Return how far each pair of sides is apart, by the measured medians.

    None where two sides have no setting in common, or where the other is nowhere
    worse.

    Parameters
    ----------
    noise
        Share by which whole jobs differ, of machines where it was learned.
    """
    places = range(len(shown.sides))
    return tuple(
        tuple(_cell(shown, place, other, noise) for other in places) for place in places
    )


def worst_pair(shown: ComparedSides, noise: Mapping[str, float]) -> tuple[str, str]:
    """Return the two sides that are most apart in any region, the better one first."""
    names = [side.name for side in shown.sides]
    pairs = {
        (names[place], names[other]): cell.factor
        for place, row in enumerate(matrix_of(shown, noise))
        for other, cell in enumerate(row)
        if cell is not None
    }
    return max(pairs, key=pairs.__getitem__, default=(names[0], names[1]))


def _cell(
    shown: ComparedSides, place: int, other: int, noise: Mapping[str, float]
) -> MatrixCell | None:
    factors = [*_factors(shown, place, other)] if place != other else []
    factor, region = max(factors, default=(0.0, ""))
    names = (shown.sides[place].name, shown.sides[other].name)
    least = 1 + max(ASSUMED.negligible, *(noise.get(name, 0.0) for name in names))
    if factor <= least:
        return None
    worse = sum(each > least for each, _ in factors)
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

"""Which side of a comparison is better: in how many rows, from where, and by pairs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scalewatch.modelling.false_discoveries import Correction, corrected
from scalewatch.modelling.versions.assumptions import ASSUMED
from scalewatch.modelling.versions.ratios import Lead, Ratio
from scalewatch.services.comparisons.ratios import RowRatios, known_ratios
from scalewatch.services.comparisons.values import ComparedRow, ComparedSides

HIGHER = "higher"
"""Direction of metrics of which more is better."""


@dataclass(frozen=True, slots=True)
class Win:
    """A row in which a side is surely better from a scale on."""

    row: ComparedRow
    lead: Lead
    ratio: Ratio


@dataclass(frozen=True, slots=True)
class Duel:
    """A side against the first one, over all rows that both have forecasts of.

    Parameters
    ----------
    first, other
        Their names.
    is_higher_better
        Whether more of the metric is better.
    negligible
        The largest share by which its rows may differ though none is better.
    first_wins, other_wins
        Rows in which either is surely better at the largest scale measured.
    constant
        Rows that grow alike and differ by less than counts, with their ratio.
    unsure
        Rows of which none is surely better.
    """

    first: str
    other: str
    is_higher_better: bool
    negligible: float
    first_wins: tuple[Win, ...]
    other_wins: tuple[Win, ...]
    constant: tuple[tuple[ComparedRow, float], ...]
    unsure: tuple[ComparedRow, ...]

    @property
    def above(self) -> str:
        """The side that is better where a ratio is above 1."""
        return self.other if self.is_higher_better else self.first

    @property
    def below(self) -> str:
        """The side that is better where a ratio is below 1."""
        return self.first if self.is_higher_better else self.other

    @property
    def rows(self) -> int:
        """Number of rows that were compared."""
        wins = len(self.first_wins) + len(self.other_wins)
        return wins + len(self.constant) + len(self.unsure)


def duels_of(shown: ComparedSides, ratios: Sequence[RowRatios]) -> tuple[Duel, ...]:
    """Return a duel for each further side of a comparison."""
    first, *others = shown.sides
    return tuple(
        _duel(first.name, side.name, place, ratios) for place, side in enumerate(others)
    )


def is_first_better(row: ComparedRow, lead: Lead) -> bool:
    """Tell whether the first side is the better one: with less, or with more."""
    return lead.is_first is not (row.better == HIGHER)


def _duel(first: str, other: str, place: int, ratios: Sequence[RowRatios]) -> Duel:
    known = known_ratios(ratios, place)
    leads = _sure_leads([ratio for _, ratio in known])
    compared = [(*each, lead) for each, lead in zip(known, leads, strict=True)]
    won = [Win(row, lead, ratio) for row, ratio, lead in compared if lead is not None]
    even = [(row, ratio) for row, ratio, lead in compared if lead is None]
    return Duel(
        first=first,
        other=other,
        is_higher_better=any(row.better == HIGHER for row, _ in known),
        negligible=max((ratio.negligible for _, ratio in known), default=0.0),
        first_wins=tuple(win for win in won if is_first_better(win.row, win.lead)),
        other_wins=tuple(win for win in won if not is_first_better(win.row, win.lead)),
        constant=tuple(
            (row, ratio.at_largest)
            for row, ratio in even
            if ratio.is_negligible and _grow_alike(row, place)
        ),
        unsure=tuple(
            row
            for row, ratio in even
            if not (ratio.is_negligible and _grow_alike(row, place))
        ),
    )


def _sure_leads(ratios: Sequence[Ratio]) -> list[Lead | None]:
    """Return the lead in each row, None where it is not sure among so many rows.

    Of a hundred rows that are alike, ten and more would seem to lead with 90 %; of
    those that are told, a tenth may.
    """
    doubts = np.array(
        [1.0 if each.lead is None else 1 - each.lead.probability for each in ratios]
    )
    are_sure = corrected(doubts, Correction.BENJAMINI_HOCHBERG) <= 1 - ASSUMED.sure
    return [
        each.lead if is_sure else None
        for each, is_sure in zip(ratios, are_sure, strict=True)
    ]


def _grow_alike(row: ComparedRow, place: int) -> bool:
    pair = row.places[place + 1].against
    return pair is not None and pair.factor is not None


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

"""Which side of a comparison is better, in how many rows, and from which scale on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scalewatch.modelling.false_discoveries import Correction, corrected
from scalewatch.modelling.versions.assumptions import ASSUMED as OF_VERSIONS
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
    are_sure = corrected(doubts, Correction.BENJAMINI_HOCHBERG) <= 1 - OF_VERSIONS.sure
    return [
        each.lead if is_sure else None
        for each, is_sure in zip(ratios, are_sure, strict=True)
    ]


def _grow_alike(row: ComparedRow, place: int) -> bool:
    pair = row.places[place + 1].against
    return pair is not None and pair.factor is not None

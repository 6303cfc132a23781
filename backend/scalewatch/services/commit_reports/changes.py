"""What changed between two commits, series by series."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from scalewatch.modelling import GrowthOdds, all_growth_odds
from scalewatch.services.caches.lru import Kept, key_of
from scalewatch.services.commit_reports.factors import ConstantChange
from scalewatch.services.commit_reports.outcomes import STILL, SeriesOutcome
from scalewatch.services.commit_reports.pairs import (
    SAME,
    ChangeKind,
    SeriesPair,
    kind_of,
)
from scalewatch.services.series.at_commit import Judged
from scalewatch.services.series.standing import UNMEASURED, Standing

_RANK: Final = {kind: place for place, kind in enumerate(ChangeKind)}


@dataclass(frozen=True, eq=False)
class SeriesChange(SeriesPair[Standing]):
    """A series at two commits.

    Parameters
    ----------
    is_composed
        Whether a composed model is expected: verdicts are on measured/composed.
    constant
        How its constant changed, where the growth is as before and that is sure.
    odds
        How probably it scales worse or better than before, where both are modelled.
    outcome
        What the gate says of it; None before a gate was asked.
    """

    kind: ChangeKind
    series_id: int
    region: str
    metric: str
    unit: str
    machine: str
    slot: int
    configuration: Mapping[str, Any]
    before: Standing
    after: Standing
    odds: GrowthOdds | None
    constant: ConstantChange | None = None
    is_composed: bool = False
    outcome: SeriesOutcome | None = None
    is_cost: bool = field(default=True, repr=False)

    @property
    def is_still(self) -> bool:
        """Whether no change of it is known."""
        return self.kind in SAME if self.outcome is None else self.outcome in STILL

    @cached_property
    def urgency(self) -> tuple[int, float, str, str, str]:
        """Order worst first, surest first within a kind."""
        odds = self.odds
        certainty = self.after.probability or 0.0
        if odds is not None and self.kind in {ChangeKind.WORSE, ChangeKind.BETTER}:
            certainty = max(odds.faster, odds.slower)
        place = (self.region, self.machine, self.metric)
        return (_RANK[self.kind], -certainty, *place)


@dataclass(frozen=True, slots=True)
class _Compared:
    """Changes of series; it holds both commits, so that no others have their place."""

    before: tuple[Judged, ...]
    later: tuple[Judged, ...]
    changes: tuple[SeriesChange, ...]
    kinds: Mapping[int, ChangeKind]


KEPT: Final = 40_000
"""Series compared with those before that are kept; what they hold is held anyway."""

_COMPARED: Final = Kept[_Compared](KEPT, lambda found: len(found.changes))


def changes_between(
    before: tuple[Judged, ...], later: tuple[Judged, ...], measuring: Collection[str]
) -> tuple[SeriesChange, ...]:
    """Return the changes of all series between an earlier commit and this one.

    Parameters
    ----------
    measuring
        Machines that measured this one: of these a series can be missing.
    """
    again = {each.series_id for each in later}
    return (
        *_compared(before, later).changes,
        *(
            _change(replace(each, standing=UNMEASURED), each.standing, None)
            for each in before
            if each.series_id not in again and each.machine in measuring
        ),
    )


def kinds_of(
    before: tuple[Judged, ...], later: tuple[Judged, ...]
) -> Mapping[int, ChangeKind]:
    """Return the kind of change of each series since an earlier commit."""
    return _compared(before, later).kinds


def _compared(before: tuple[Judged, ...], later: tuple[Judged, ...]) -> _Compared:
    """Return what changed of series that are measured again.

    What is known of a commit is the same tuple until something changes there: home,
    match table and report compare thousands of series once, not at each request.
    """

    def compared(_: object) -> list[_Compared]:
        changes = tuple(_changes(later, _earlier(before, later)))
        kinds = {each.series_id: each.kind for each in changes}
        return [_Compared(before, later, changes, kinds)]

    (known,) = _COMPARED.answers([key_of(id(before), id(later))], compared)
    return known


def counts_of(changes: Iterable[SeriesChange]) -> Mapping[ChangeKind, int]:
    """Count changes; every kind has an entry."""
    found = Counter(change.kind for change in changes)
    return {kind: found[kind] for kind in ChangeKind}


def _changes(later: Sequence[Judged], before: Sequence[Standing]) -> list[SeriesChange]:
    """Compare series at a commit with the same series at the baseline."""
    odds = all_growth_odds(
        [
            (was.class_probability, each.standing.class_probability)
            for each, was in zip(later, before, strict=True)
        ]
    )
    return list(map(_change, later, before, odds))


def _change(later: Judged, before: Standing, odds: GrowthOdds | None) -> SeriesChange:
    after, is_cost = later.standing, later.better == "lower"
    return SeriesChange(
        kind=kind_of(before, after, odds, is_cost=is_cost),
        series_id=later.series_id,
        region=later.region,
        metric=later.metric,
        unit=later.unit,
        machine=later.machine,
        slot=later.slot,
        configuration=later.configuration,
        before=before,
        after=after,
        odds=odds,
        is_cost=is_cost,
        is_composed=later.composition is not None,
    )


def _earlier(before: Sequence[Judged], later: Sequence[Judged]) -> list[Standing]:
    """Return each series at an earlier commit."""
    known = {each.series_id: each.standing for each in before}
    return [known.get(each.series_id, UNMEASURED) for each in later]

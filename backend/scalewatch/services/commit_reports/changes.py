"""What changed between two commits, series by series."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from scalewatch.modelling import Direction, GrowthOdds, Verdict, all_growth_odds
from scalewatch.modelling.measurements.feasibility import NEEDED_SETTINGS
from scalewatch.modelling.measurements.further_settings import LEAST
from scalewatch.services.caches.lru import Kept, key_of
from scalewatch.services.commit_reports.outcomes import STILL, SeriesOutcome
from scalewatch.services.commit_reports.thresholds import SURE
from scalewatch.services.series.at_commit import Judged
from scalewatch.services.series.standing import UNMEASURED, Standing, State


class ChangeKind(StrEnum):
    """How a series at a commit differs from the baseline; worst first."""

    MISMATCH = "new mismatch"
    FAILED = "failed"
    WORSE = "scales worse"
    WORSE_CONSTANT = "worse constant"
    MISSING = "missing"
    BETTER = "improvement"
    BETTER_CONSTANT = "better constant"
    NEW = "new"
    UNDECIDED = "undecided"
    UNCHANGED = "unchanged"


WORSE: Final = frozenset({ChangeKind.MISMATCH, ChangeKind.FAILED, ChangeKind.WORSE})
_RANK: Final = {kind: place for place, kind in enumerate(ChangeKind)}
FINE: Final = frozenset({Verdict.MATCH, Verdict.APPROXIMATE})
SAME: Final = frozenset({ChangeKind.UNCHANGED, ChangeKind.UNDECIDED})

SeriesKey = tuple[str, str, str, str]
"""What tells a series from others: region, metric, machine and settings."""


@dataclass(frozen=True, slots=True)
class ConstantChange:
    """How many times as much as before a series takes, or yields.

    Parameters
    ----------
    factor, low, high
        On average over the settings, with its 90 % interval.
    probability
        That anything changed; None where nights tell, by their scatter.
    is_throughout
        Whether it most probably is the same at every scale.
    jobs
        How many of the commit say so, each by itself.
    nights
        With how many nights before it was compared; None: with the baseline alone.
    exactly
        It in words, of counts, of which one job says as much as many.
    """

    direction: Direction
    factor: float
    low: float
    high: float
    probability: float | None
    is_throughout: bool
    jobs: int
    nights: int | None = None
    exactly: str | None = None

    @property
    def sentence(self) -> str:
        """It in words."""
        if self.exactly is not None:
            return self.exactly
        where = "throughout" if self.is_throughout else "on average"
        before = "before" if self.nights is None else f"in {self.nights} nights before"
        return (
            f"{self.factor:.3g} times as much as {before} "
            f"({self.low:.3g} to {self.high:.3g}) {where}"
        )


@dataclass(frozen=True, eq=False)
class SeriesChange:
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

    @property
    def is_still(self) -> bool:
        """Whether no change of it is known."""
        return self.kind in SAME if self.outcome is None else self.outcome in STILL

    @cached_property
    def key(self) -> SeriesKey:
        """What tells its series from others of a project."""
        return series_key(self.region, self.metric, self.machine, self.configuration)

    @cached_property
    def is_comparable(self) -> bool:
        """Whether both commits measured it."""
        return self.before.is_measured and self.after.is_measured

    @cached_property
    def is_exact(self) -> bool:
        """Whether both commits counted it, so that one job of each tells."""
        return self.before.is_exact and self.after.is_exact

    @property
    def has_few_settings(self) -> bool:
        """Whether constants alone tell: of too few settings there is no growth."""
        points = [self.before.points, self.after.points]
        return min(points) >= LEAST and min(points) < NEEDED_SETTINGS

    @property
    def formulas(self) -> str | None:
        """What the counts are instead of what they were, where formulas tell both."""
        before, after = self.before.formula, self.after.formula
        if before is None or after is None or before == after:
            return None
        return f"{after} instead of {before}"

    @cached_property
    def urgency(self) -> tuple[int, float, str, str, str]:
        """Order worst first, surest first within a kind."""
        odds = self.odds
        certainty = self.after.probability or 0.0
        if odds is not None and self.kind in {ChangeKind.WORSE, ChangeKind.BETTER}:
            certainty = max(odds.faster, odds.slower)
        place = (self.region, self.machine, self.metric)
        return (_RANK[self.kind], -certainty, *place)


def series_key(
    region: str, metric: str, machine: str, configuration: Mapping[str, Any]
) -> SeriesKey:
    """Return what tells a series from others of a project."""
    return region, metric, machine, repr(sorted(configuration.items()))


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


def kind_of(  # noqa: PLR0911 - the first that is true
    before: Standing, after: Standing, odds: GrowthOdds | None
) -> ChangeKind:
    """Return the kind of change of a series; the first kind that holds."""
    faster, slower = (odds.faster, odds.slower) if odds else (0.0, 0.0)
    if after.state is State.UNMEASURED:
        return ChangeKind.MISSING
    if after.state is State.FAILED and before.state is not after.state:
        return ChangeKind.FAILED
    if before.state is State.UNMEASURED:
        return ChangeKind.NEW
    if _is_bad(after) and before.verdict in FINE:
        return ChangeKind.MISMATCH
    if faster >= SURE:
        return ChangeKind.WORSE
    if slower >= SURE or (_is_bad(before) and after.verdict in FINE):
        return ChangeKind.BETTER
    undecided = Verdict.UNDECIDED in {before.verdict, after.verdict}
    if odds is None or undecided:
        return ChangeKind.UNDECIDED
    return ChangeKind.UNCHANGED


def _is_bad(standing: Standing) -> bool:
    return (
        standing.verdict is Verdict.MISMATCH
        and standing.direction is not Direction.BETTER
    )


def _changes(later: Sequence[Judged], before: Sequence[Standing]) -> list[SeriesChange]:
    """Compare series at a commit with the same series at the baseline."""
    odds = all_growth_odds(
        [
            (was.class_probability, each.standing.class_probability)
            for each, was in zip(later, before, strict=True)
        ]
    )
    return [_change(*one) for one in zip(later, before, odds, strict=True)]


def _change(later: Judged, before: Standing, odds: GrowthOdds | None) -> SeriesChange:
    after = later.standing
    return SeriesChange(
        kind=kind_of(before, after, odds),
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
        is_composed=later.composition is not None,
    )


def _earlier(before: Sequence[Judged], later: Sequence[Judged]) -> list[Standing]:
    """Return each series at an earlier commit."""
    known = {each.series_id: each.standing for each in before}
    return [known.get(each.series_id, UNMEASURED) for each in later]

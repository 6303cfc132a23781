"""What changed between two commits, series by series."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import Row
from sqlalchemy.orm import Session

from scalewatch.modelling import Direction, GrowthOdds, Verdict, all_growth_odds
from scalewatch.services.judged import Judged, Promises, promises_of
from scalewatch.services.standings import (
    UNMEASURED,
    Found,
    Standing,
    State,
    findings_at,
    standing_of,
)
from scalewatch.storage import machines, measurements, tables

SURE: Final = 0.9
"""Probability from which a growth is said to have changed."""


class ChangeKind(StrEnum):
    """How a series at a commit differs from the baseline; worst first."""

    MISMATCH = "new mismatch"
    FAILED = "failed"
    WORSE = "grows faster"
    MISSING = "missing"
    BETTER = "improvement"
    NEW = "new"
    UNDECIDED = "undecided"
    UNCHANGED = "unchanged"


WORSE: Final = frozenset({ChangeKind.MISMATCH, ChangeKind.FAILED, ChangeKind.WORSE})
_RANK: Final = {kind: place for place, kind in enumerate(ChangeKind)}
FINE: Final = frozenset({Verdict.MATCH, Verdict.APPROXIMATE})
SAME: Final = frozenset({ChangeKind.UNCHANGED, ChangeKind.UNDECIDED})


@dataclass(frozen=True, slots=True)
class SeriesChange:
    """A series at two commits.

    Parameters
    ----------
    odds
        How probably it grows faster or slower than before, where both are modelled.
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

    @property
    def urgency(self) -> tuple[int, float, str, str, str]:
        """Order worst first, surest first within a kind."""
        odds = self.odds
        certainty = self.after.probability or 0.0
        if odds is not None and self.kind in {ChangeKind.WORSE, ChangeKind.BETTER}:
            certainty = max(odds.faster, odds.slower)
        place = (self.region, self.machine, self.metric)
        return (_RANK[self.kind], -certainty, *place)


def changes_between(
    session: Session,
    project: tables.Project,
    before_id: int,
    later: Sequence[Judged],
    metrics: Collection[str],
) -> tuple[SeriesChange, ...]:
    """Return how series at a commit differ from an earlier one.

    Parameters
    ----------
    before_id
        The commit to compare with.
    later
        What is known at the later commit, of these metrics.
    """
    found = findings_at(session, before_id, metrics)
    promises = promises_of(session, project.id)
    before = _earlier(session, before_id, later, found, promises)
    again = {each.series_id for each in later}
    gone = {key: each for key, each in found.items() if key not in again}
    changes = _changes(later, before)
    changes += _missing(session, project, gone, promises, later)
    return tuple(changes)


def kinds_of(
    session: Session, project: tables.Project, before_id: int, later: Sequence[Judged]
) -> dict[int, ChangeKind]:
    """Return how each series differs from an earlier commit, by series."""
    metrics = {each.metric for each in later}
    found = findings_at(session, before_id, metrics)
    promises = promises_of(session, project.id)
    before = _earlier(session, before_id, later, found, promises)
    return {each.series_id: each.kind for each in _changes(later, before)}


def counts_of(changes: Iterable[SeriesChange]) -> Mapping[ChangeKind, int]:
    """Count changes; every kind has an entry."""
    found = Counter(change.kind for change in changes)
    return {kind: found[kind] for kind in ChangeKind}


def kind_of(  # noqa: PLR0911 - the first that is true
    before: Standing, after: Standing, odds: GrowthOdds | None
) -> ChangeKind:
    """Tell how a series differs from what it was; the first that is true holds."""
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
    if after.state is not State.FAILED and (odds is None or undecided):
        return ChangeKind.UNDECIDED
    return ChangeKind.UNCHANGED


def _is_bad(standing: Standing) -> bool:
    return (
        standing.verdict is Verdict.MISMATCH
        and standing.direction is not Direction.BETTER
    )


def _changes(later: Sequence[Judged], before: Sequence[Standing]) -> list[SeriesChange]:
    """Compare series with what each of them was."""
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
    )


def _earlier(
    session: Session,
    before_id: int,
    later: Sequence[Judged],
    found: Mapping[int, Found],
    promises: Promises,
) -> list[Standing]:
    """Return what each series was at an earlier commit."""
    failed = _failed(session, before_id, later)
    return [
        failed.get(each.series_id)
        or _standing(found.get(each.series_id), each, promises)
        for each in later
    ]


def _failed(
    session: Session, before_id: int, later: Sequence[Judged]
) -> dict[int, Standing]:
    """Return what fails now and had no result at the earlier commit either."""
    failing = [e.series_id for e in later if e.standing.state is State.FAILED]
    if not failing:
        return {}
    middles = measurements.middles_of(session, before_id, failing)
    succeeded = {series_id for series_id, _, middle in middles if middle is not None}
    tried = {series_id for series_id, _, _ in middles}
    return {series_id: Standing(State.FAILED) for series_id in tried - succeeded}


def _standing(
    found: Found | None, series: Judged | Row[Any], promises: Promises
) -> Standing:
    if found is None:
        return UNMEASURED
    promised = promises.get((series.region, series.metric), (None, None))
    return standing_of(found, promised[0])


def _missing(
    session: Session,
    project: tables.Project,
    found: Mapping[int, Found],
    promises: Promises,
    later: Sequence[Judged],
) -> list[SeriesChange]:
    """Return what machines measured before that now measured something else."""
    again = {each.machine for each in later}
    places = {
        row.id: (row.name, slot)
        for slot, row in enumerate(machines.of_project(session, project.id))
        if row.name in again
    }
    settings = measurements.settings_of(session, project.id) if found else {}
    return [
        SeriesChange(
            kind=ChangeKind.MISSING,
            series_id=row.id,
            region=row.region,
            metric=row.metric,
            unit=row.unit,
            machine=places[row.machine_id][0],
            slot=places[row.machine_id][1],
            configuration=settings[row.configuration_id],
            before=_standing(found[row.id], row, promises),
            after=UNMEASURED,
            odds=None,
        )
        for row in measurements.series_by_id(session, found.keys())
        if row.machine_id in places
    ]

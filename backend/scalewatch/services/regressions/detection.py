"""Detect changes in all histories of a project: where, how large, and by which cause.

First all histories are read, then changes are found in them; what was posted beside
these is read, then they are explained.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.modelling.attribution import (
    Cause,
    ChangeClass,
    ChangedSeries,
    causes,
)
from scalewatch.modelling.histories.changes import (
    FALSE_SHARE,
    FalseDiscoveries,
    false_discoveries,
)
from scalewatch.modelling.histories.explanation import ShiftKind
from scalewatch.modelling.histories.modes import Modes
from scalewatch.modelling.histories.slow import SlowDrift, slow_drift
from scalewatch.services.commits.find import label_of
from scalewatch.services.commits.lineage import Lineage
from scalewatch.services.common_mode.project_history import (
    ProjectHistory,
    SeriesHistory,
    project_history,
)
from scalewatch.services.confirmations.requests import is_confirmed
from scalewatch.services.machines.machine import difference
from scalewatch.services.regressions.changes import (
    HistoryChange,
    MachineStep,
    NightlySpread,
    PassingEvent,
    Watched,
    by_effect,
    watch,
)
from scalewatch.services.regressions.effects import (
    PostedCounts,
    TargetEffect,
    beside,
    effects,
    told_exactly,
)
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.settings import ALARMING_SHARE
from scalewatch.storage.commits.commits import AnyCommit
from scalewatch.storage.histories.regressions import ShiftDetails

DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class NewBaseline:
    """A commit from which on a machine is in a new state, where levels moved.

    Parameters
    ----------
    at, commits
        Position of the commit on the line, and how many were measured since.
    series
        Ids of those whose level moved.
    changed
        Facts that differ, in words.
    """

    machine: str
    at: int
    commits: int
    series: tuple[int, ...]
    changed: str


@dataclass(frozen=True, slots=True)
class Detected:
    """The changes in the histories of a project.

    Parameters
    ----------
    changes, details
        Of all histories, in one order; causes name them by their number.
    false
        How far the changes can be trusted.
    baselines
        Where machines began a new baseline.
    steps, nights
        Where all regions of machines moved, and how their nights scatter.
    measured_commits
        How many were measured in all, of which the line has the newest.
    alarming_share
        Share of histories of 200 commits that may alarm although nothing changed.
    modes
        Histories that jump between two levels.
    drifts
        Changes too small to matter, which have no cause.
    passing
        Events after which a level returned, which have none either.
    slow
        Histories that drift over months, by no commit.
    searched
        Stretches of older commits that were searched, too, by their last one: how many
        machines had measured them.
    older
        How many commits those add to the line.
    """

    project_id: int
    line: Lineage
    histories: tuple[SeriesHistory, ...]
    changes: tuple[HistoryChange, ...]
    details: tuple[ShiftDetails, ...]
    causes: tuple[Cause[int], ...]
    false: FalseDiscoveries
    baselines: tuple[NewBaseline, ...]
    steps: tuple[MachineStep, ...]
    nights: tuple[NightlySpread, ...]
    measured_commits: int
    alarming_share: float
    modes: tuple[tuple[SeriesHistory, Modes], ...] = ()
    drifts: tuple[HistoryChange, ...] = ()
    passing: tuple[PassingEvent, ...] = ()
    slow: tuple[tuple[SeriesHistory, SlowDrift], ...] = ()
    searched: Mapping[str, int] = field(default_factory=dict)
    older: int = 0


def detect(
    session: Session,
    project_id: int,
    alarming_share: float = ALARMING_SHARE,
    line: Lineage | None = None,
) -> Detected:
    """Find the changes in all histories of a project, and their causes.

    Along a line, by default its newest commits.
    """
    history = project_history(session, project_id, line)
    watched = watch(history.histories, alarming_share)
    changes, drifts = by_effect(
        watched, history.smallest_effect, len(history.histories)
    )
    slow = tuple(_slow(history.histories, watched, history.line))
    # What came over months has no commit that a regression could name.
    drifting = {id(each) for each, _ in slow}
    changes = [
        change
        for change in changes
        if id(change.history) not in drifting or not change.shift.segments.is_gradual
    ]
    posted = _posted_beside(session, project_id, history.line, changes)
    # A suspicion of one commit is sure if several of its jobs bear it out.
    confirmed = [
        change.history.series.is_exact
        or change.shift.segments.after_commits > 1
        or is_confirmed(
            session,
            history.line.commits[change.noticed].id,
            change.history.series.id,
        )
        for change in changes
    ]
    false = false_discoveries(
        [change.shift.p_value for change in changes], len(history.histories)
    )
    target_effects = effects(history, changes, posted)
    changes = [
        told_exactly(change, effect) if change.history.series.is_exact else change
        for change, effect in zip(changes, target_effects, strict=True)
    ]
    return Detected(
        project_id=project_id,
        line=history.line,
        histories=history.histories,
        changes=tuple(changes),
        details=tuple(
            _details(history.line, *parts)
            for parts in zip(
                changes, target_effects, false.q_values, confirmed, strict=True
            )
        ),
        causes=tuple(causes_of(history.histories, changes)),
        false=false,
        baselines=tuple(_baselines(history)),
        steps=watched.steps,
        nights=watched.nights,
        measured_commits=history.measured_commits,
        alarming_share=alarming_share,
        modes=watched.modes,
        drifts=tuple(drifts),
        passing=watched.passing,
        slow=slow,
    )


def causes_of(
    histories: Sequence[SeriesHistory], changes: Sequence[HistoryChange]
) -> list[Cause[int]]:
    """Return the causes of changes, which they name by their number."""
    regions: dict[str, set[str]] = defaultdict(set)
    for series in histories:
        regions[series.series.machine].add(series.region)
    changed = []
    for number, change in enumerate(changes):
        is_growth = change.shift.kind is ShiftKind.GROWTH
        changed.append(
            ChangedSeries(
                subject=number,
                region=change.history.region,
                machine=change.history.series.machine,
                first=change.first,
                last=change.last,
                kind=ChangeClass.GROWTH if is_growth else ChangeClass.CONSTANT,
                is_worse=change.is_worse,
                size=abs(change.shift.tilt) if is_growth else change.largest_difference,
                is_exact=change.history.series.is_exact,
            )
        )
    return causes(changed, regions)


def label(commit: AnyCommit) -> str:
    """Return how people call a commit."""
    return label_of(commit.sha, commit.tag)


def _posted_beside(
    session: Session, project_id: int, line: Lineage, changes: Sequence[HistoryChange]
) -> PostedCounts:
    """Read the counts at the commits on both sides of changes of counts."""
    series: dict[int, set[int]] = defaultdict(set)
    for change in changes:
        if change.history.series.is_exact:
            for commit_id in beside(line, change):
                series[commit_id].add(change.history.series.id)
    return {
        (commit_id, series_id): pool
        for commit_id, counted in series.items()
        for series_id, pool in CommitSnapshot(session, project_id, commit_id)
        .pools(counted)
        .items()
    }


def _slow(
    histories: Sequence[SeriesHistory], watched: Watched, line: Lineage
) -> Iterator[tuple[SeriesHistory, SlowDrift]]:
    """Yield the histories that drift, at their largest settings."""
    steps: dict[int, list[tuple[int, float]]] = defaultdict(list)
    sudden = (e for e in watched.changes if not e.shift.segments.is_gradual)
    for change in sudden:
        size = float(change.shift.segments.difference[-1])
        steps[id(change.history)].append((change.shift.segments.last, size))
    moments = [each.committed_at or each.first_run_at for each in line.commits]
    for history in histories:
        if not history.series.is_exact:
            days = [moments[at].timestamp() / DAY for at in history.positions]
            level = history.log[:, -1]
            drift = slow_drift(level, np.array(days), steps[id(history)])
            if drift is not None:
                yield history, drift


def _details(
    line: Lineage,
    change: HistoryChange,
    effect: TargetEffect,
    q_value: float,
    is_confirmed: bool,  # noqa: FBT001 - zipped with the others
) -> ShiftDetails:
    shift, history = change.shift, change.history
    segments = shift.segments
    largest = np.array(history.settings).max(axis=0).tolist()
    is_scan = len(history.settings) > 1
    return ShiftDetails(
        kind=shift.kind,
        probability=shift.probability,
        factor=shift.factor,
        low=shift.low,
        high=shift.high,
        largest_factor=shift.largest_factor,
        largest=dict(zip(history.parameters, largest, strict=True)) if is_scan else {},
        tilt=shift.tilt,
        faster_probability=shift.faster_probability,
        is_gradual=segments.is_gradual,
        statistic=segments.statistic,
        p_value=shift.p_value,
        q_value=q_value,
        is_sure=q_value <= FALSE_SHARE and is_confirmed,
        noticed_at=line.commits[change.noticed].sha,
        commits_before=segments.before_commits,
        commits_after=segments.after_commits,
        target=effect.target if is_scan else {},
        at_target=effect.at_target,
        growth_before=effect.growth_before,
        growth_after=effect.growth_after,
        verdict_before=effect.verdict_before,
        verdict_after=effect.verdict_after,
        expectation=effect.expectation,
        expectation_version=effect.expectation_version,
        shares=shift.shares,
    )


def _baselines(history: ProjectHistory) -> list[NewBaseline]:
    """Return where machines began a new baseline, by machine and commit."""
    begun: dict[tuple[str, int, int, int], list[SeriesHistory]] = defaultdict(list)
    for series in history.histories:
        if series.former is not None:
            at = series.positions[0]
            machine = series.series.machine
            begun[machine, at, series.former, series.fingerprint_id].append(series)
    return [
        NewBaseline(
            machine=machine,
            at=at,
            commits=max(len(each.positions) for each in moved),
            series=tuple(each.series.id for each in moved),
            changed=difference(history.states[former], history.states[state]),
        )
        for (machine, at, former, state), moved in sorted(begun.items(), key=_place)
    ]


def _place(begun: tuple[tuple[str, int, int, int], object]) -> tuple[str, int]:
    (machine, at, *_), _ = begun
    return machine, at

"""Detect what changed in all histories of a project, where, and by which cause."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.modelling.attribution.causes import (
    Cause,
    ChangeClass,
    ChangedSeries,
    causes,
)
from scalewatch.modelling.common_mode.scan import SPREADS
from scalewatch.modelling.histories.changes import (
    FALSE_SHARE,
    FalseDiscoveries,
    false_discoveries,
)
from scalewatch.modelling.histories.explanation import ShiftKind
from scalewatch.modelling.histories.modes import Modes
from scalewatch.services.commits.find import label_of
from scalewatch.services.commits.lineage import Lineage
from scalewatch.services.common_mode.alarms import (
    SMALLEST_EFFECT,
    effect_floor,
    stated,
)
from scalewatch.services.common_mode.project_history import (
    SeriesHistory,
    series_histories,
)
from scalewatch.services.common_mode.watched_line import watched_line
from scalewatch.services.confirmations.requests import is_confirmed
from scalewatch.services.expectations.in_force import in_force
from scalewatch.services.regressions.changes import (
    HistoryChange,
    MachineStep,
    NightlySpread,
    Watched,
    watch,
)
from scalewatch.services.regressions.effects import TargetEffect, effects
from scalewatch.services.regressions.exact_changes import told_exactly
from scalewatch.storage.commits.commits import AnyCommit
from scalewatch.storage.histories import locations
from scalewatch.storage.histories.shift_details import ShiftDetails
from scalewatch.storage.judgements import gate_rules

LEAST_EFFECT: Final = 0.01
"""Changes of counts at all settings by less than this share are not reported."""


@dataclass(frozen=True, slots=True)
class Detected:
    """What changed in the histories of a project.

    Parameters
    ----------
    changes, details
        Of all histories, in one order; causes name them by their number.
    false
        How far the changes can be trusted.
    baselines
        Which machines began a new baseline, in words.
    steps, nights
        Where all regions of machines moved, and what was learned of their nights.
    modes
        Histories that jump between two levels.
    drifts
        Changes too small to matter, which have no cause.
    """

    project_id: int
    line: Lineage
    histories: tuple[SeriesHistory, ...]
    changes: tuple[HistoryChange, ...]
    details: tuple[ShiftDetails, ...]
    causes: tuple[Cause[int], ...]
    false: FalseDiscoveries
    baselines: tuple[str, ...]
    steps: tuple[MachineStep, ...]
    nights: tuple[NightlySpread, ...]
    modes: tuple[tuple[SeriesHistory, Modes], ...] = ()
    drifts: tuple[HistoryChange, ...] = ()


def detect(session: Session, project_id: int) -> Detected:
    """Find the changes in all histories of a project, and their causes."""
    line = watched_line(session, project_id)
    histories = series_histories(session, project_id, line)
    watched = watch(histories)
    rules = gate_rules.newest(session, project_id)
    smallest = stated(rules.rules) if rules else SMALLEST_EFFECT
    changes, drifts = by_effect(watched, smallest)
    false = false_discoveries(
        [change.shift.p_value for change in changes], len(histories)
    )
    targets = rules.target if rules else {}
    found = effects(session, line, changes, in_force(session, project_id), targets)
    changes = [
        told_exactly(change, effect) if change.history.series.is_exact else change
        for change, effect in zip(changes, found, strict=True)
    ]
    details = [
        _details(
            change, line, effect, q, is_confirmed=_is_confirmed(session, change, line)
        )
        for change, effect, q in zip(changes, found, false.q_values, strict=True)
    ]
    measured: dict[str, set[str]] = {}
    for history in histories:
        measured.setdefault(history.series.machine, set()).add(history.region)
    changed = [_changed(number, change) for number, change in enumerate(changes)]
    return Detected(
        project_id=project_id,
        line=line,
        histories=tuple(histories),
        changes=tuple(changes),
        details=tuple(details),
        causes=tuple(causes(changed, measured)),
        false=false,
        baselines=tuple(_baselines(session, histories, line)),
        steps=watched.steps,
        nights=watched.nights,
        modes=watched.modes,
        drifts=tuple(drifts),
    )


def by_effect(
    watched: Watched, smallest: float
) -> tuple[list[HistoryChange], list[HistoryChange]]:
    """Part the changes that matter from drifts, which are too small.

    Too small beside the nights of the machine, or beside those of the series itself.
    What is small and no longer sure, as later commits do not bear it out, is neither.
    """
    spreads = {(each.machine, each.metric): each.spread for each in watched.nights}
    changes, drifts = [], []
    for change in watched.changes:
        series = change.history.series
        spread = spreads.get((series.machine, series.metric), 0.0)
        floor = LEAST_EFFECT if series.is_exact else effect_floor(smallest, spread)
        size = _largest_difference(change)
        if size >= np.log1p(floor) and _stands_out(change):
            changes.append(change)
        elif size >= LEAST_EFFECT and change.shift.p_value < FALSE_SHARE:
            drifts.append(change)
    return changes, drifts


def _stands_out(change: HistoryChange) -> bool:
    in_spreads = change.shift.segments.in_spreads
    return in_spreads is None or in_spreads >= SPREADS


def is_worse(change: HistoryChange) -> bool:
    """Tell whether a change is for the worse where it counts, at the largest scale."""
    rises = change.shift.largest_factor > 1
    if change.shift.kind is ShiftKind.GROWTH and change.shift.faster_probability > 0.95:
        rises = True
    if change.shift.kind is ShiftKind.GROWTH and change.shift.faster_probability < 0.05:
        rises = False
    return rises == (change.history.series.better == "lower")


def _changed(number: int, change: HistoryChange) -> ChangedSeries[int]:
    is_growth = change.shift.kind is ShiftKind.GROWTH
    return ChangedSeries(
        subject=number,
        region=change.history.region,
        machine=change.history.series.machine,
        first=change.first,
        last=change.last,
        kind=ChangeClass.GROWTH if is_growth else ChangeClass.CONSTANT,
        is_worse=is_worse(change),
        size=abs(change.shift.tilt) if is_growth else _largest_difference(change),
        is_exact=change.history.series.is_exact,
    )


def _largest_difference(change: HistoryChange) -> float:
    """Return the largest difference of logarithms at a setting."""
    return float(np.abs(change.shift.segments.difference).max())


def _is_confirmed(session: Session, change: HistoryChange, line: Lineage) -> bool:
    """Tell whether more than one job says so: of later commits, or of this one.

    Of what is counted exactly one says as much as many.
    """
    if change.history.series.is_exact:
        return True
    own = change.shift.segments
    noticed_at = line.commits[change.history.positions[own.at]].id
    return own.after_commits > 1 or is_confirmed(
        session, noticed_at, change.history.series.id
    )


def _details(
    change: HistoryChange,
    line: Lineage,
    effect: TargetEffect,
    q_value: float,
    *,
    is_confirmed: bool,
) -> ShiftDetails:
    shift = change.shift
    own = shift.segments
    return ShiftDetails(
        kind=shift.kind,
        probability=shift.probability,
        factor=shift.factor,
        low=shift.low,
        high=shift.high,
        largest_factor=shift.largest_factor,
        largest=dict(
            zip(
                change.history.parameters,
                np.array(change.history.settings).max(axis=0).tolist(),
                strict=True,
            )
        ),
        tilt=shift.tilt,
        faster_probability=shift.faster_probability,
        is_gradual=own.is_gradual,
        statistic=own.statistic,
        p_value=shift.p_value,
        q_value=q_value,
        is_sure=q_value <= FALSE_SHARE and is_confirmed,
        noticed_at=line.commits[change.history.positions[own.at]].sha,
        commits_before=own.before_commits,
        commits_after=own.after_commits,
        target=effect.target,
        at_target=effect.at_target,
        growth_before=effect.growth_before,
        growth_after=effect.growth_after,
        verdict_before=effect.verdict_before,
        verdict_after=effect.verdict_after,
        expectation=effect.expectation,
        expectation_version=effect.expectation_version,
        shares=shift.shares,
    )


def _baselines(
    session: Session, found: Sequence[SeriesHistory], line: Lineage
) -> list[str]:
    """Say which machines began a new baseline, when and why."""
    states: dict[str, dict[int, int]] = {}
    for history in found:
        own = states.setdefault(history.series.machine, {})
        position = own.get(history.fingerprint_id, history.positions[0])
        own[history.fingerprint_id] = min(position, history.positions[0])
    facts = locations.facts_of(
        session, [each for own in states.values() for each in own]
    )
    said = []
    for machine, own in sorted(states.items()):
        ordered = sorted(own, key=own.__getitem__)
        for former, state in pairwise(ordered):
            said.append(
                f"new baseline of {machine} from "
                f"{label(line.commits[own[state]])} on: its fingerprint changed "
                f"({_difference(facts.get(former, {}), facts.get(state, {}))})"
            )
    return said


def _difference(former: Mapping[str, object], present: Mapping[str, object]) -> str:
    changed = [
        f"{name} {former.get(name, 'unknown')} → {present.get(name, 'unknown')}"
        for name in sorted({*former, *present})
        if former.get(name) != present.get(name)
    ]
    return ", ".join(changed[:3]) + (" …" if len(changed) > 3 else "")


def label(commit: AnyCommit) -> str:
    """Return how people call a commit."""
    return label_of(commit.sha, commit.tag)

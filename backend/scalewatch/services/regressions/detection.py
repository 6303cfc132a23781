"""Look at all histories of a project: what changed, where, and by which cause."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.modelling.attribution.causes import Cause, Class, Moved, causes
from scalewatch.modelling.histories.changes import (
    FALSE_SHARE,
    FalseDiscoveries,
    false_discoveries,
)
from scalewatch.modelling.histories.explanation import Kind
from scalewatch.services.commits.find import label_of
from scalewatch.services.commits.lineage import Lineage, lineage
from scalewatch.services.confirmations.requests import is_confirmed
from scalewatch.services.expectations.in_force import in_force
from scalewatch.services.regressions.effects import Effect, effects
from scalewatch.services.regressions.series_histories import Moved as Change
from scalewatch.services.regressions.series_histories import Track, changes, tracks
from scalewatch.storage.commits import commits
from scalewatch.storage.commits.commits import AnyCommit
from scalewatch.storage.histories import locations
from scalewatch.storage.histories.shift_details import ShiftDetails
from scalewatch.storage.judgements import gate_rules

LEAST_EFFECT: Final = 0.01
"""Changes of all settings by less than this are nobody's business."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look at a project found."""

    project_id: int
    line: Lineage
    tracks: tuple[Track, ...]
    changes: tuple[Change, ...]
    details: tuple[ShiftDetails, ...]
    causes: tuple[Cause[int], ...]
    false: FalseDiscoveries
    baselines: tuple[str, ...]


def look(session: Session, project_id: int) -> Seen:
    """Find the changes in all histories of a project, and their causes."""
    line = lineage(commits.of_project(session, project_id))
    found = tracks(session, project_id, line)
    moved = [each for each in changes(found) if _matters(each)]
    false = false_discoveries([each.shift.p_value for each in moved], len(found))
    target = gate_rules.newest(session, project_id)
    consequences = effects(
        moved, in_force(session, project_id), target.target if target else {}
    )
    details = [
        _details(
            each, line, consequence, q, is_confirmed=_is_confirmed(session, each, line)
        )
        for each, consequence, q in zip(
            moved, consequences, false.q_values, strict=True
        )
    ]
    watched: dict[str, set[str]] = {}
    for track in found:
        watched.setdefault(track.series.machine, set()).add(track.region)
    grouped = causes(
        [_moved(number, each) for number, each in enumerate(moved)], watched
    )
    return Seen(
        project_id=project_id,
        line=line,
        tracks=tuple(found),
        changes=tuple(moved),
        details=tuple(details),
        causes=tuple(grouped),
        false=false,
        baselines=tuple(_baselines(session, found, line)),
    )


def _matters(change: Change) -> bool:
    shift = change.shift
    difference = shift.segments.after - shift.segments.before
    return bool(np.abs(difference).max() >= LEAST_EFFECT)


def is_worse(change: Change) -> bool:
    """Tell whether a change is for the worse where it counts, at the largest scale."""
    rises = change.shift.largest_factor > 1
    if change.shift.kind is Kind.GROWTH and change.shift.faster_probability > 0.95:
        rises = True
    if change.shift.kind is Kind.GROWTH and change.shift.faster_probability < 0.05:
        rises = False
    return rises == (change.track.series.better == "lower")


def _moved(number: int, change: Change) -> Moved[int]:
    is_growth = change.shift.kind is Kind.GROWTH
    return Moved(
        subject=number,
        region=change.track.region,
        machine=change.track.series.machine,
        first=change.first,
        last=change.last,
        kind=Class.GROWTH if is_growth else Class.CONSTANT,
        is_worse=is_worse(change),
    )


def _is_confirmed(session: Session, change: Change, line: Lineage) -> bool:
    """Tell whether more than one job says so: of later commits, or of this one."""
    own = change.shift.segments
    noticed_at = line.commits[change.track.places[own.at]].id
    return own.after_commits > 1 or is_confirmed(
        session, noticed_at, change.track.series.id
    )


def _details(
    change: Change,
    line: Lineage,
    effect: Effect,
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
                change.track.parameters,
                np.array(change.track.settings).max(axis=0).tolist(),
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
        noticed_at=line.commits[change.track.places[own.at]].sha,
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
    )


def _baselines(session: Session, found: Sequence[Track], line: Lineage) -> list[str]:
    """Say which machines began a new baseline, when and why."""
    states: dict[str, dict[int, int]] = {}
    for track in found:
        own = states.setdefault(track.series.machine, {})
        place = own.get(track.fingerprint_id, track.places[0])
        own[track.fingerprint_id] = min(place, track.places[0])
    facts = locations.facts_of(
        session, [each for own in states.values() for each in own]
    )
    said = []
    for machine, own in sorted(states.items()):
        ordered = sorted(own, key=own.__getitem__)
        for former, state in pairwise(ordered):
            said.append(
                f"{machine} begins a new baseline at "
                f"{label(line.commits[own[state]])}: its fingerprint changed "
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

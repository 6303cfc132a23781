"""The regressions of a project, as their users see them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy.orm import Session

from scalewatch.services.commits.find import commit_of
from scalewatch.services.confirmations.next_steps import NextStep, confirming_step
from scalewatch.services.confirmations.requests import confirmations_in
from scalewatch.services.regressions.values import (
    Member,
    Regression,
    RegressionEvent,
    Regressions,
    RegressionState,
    RegressionSummary,
    effect_of,
)
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.commits.commits import Stored
from scalewatch.storage.histories import regressions
from scalewatch.storage.histories.regressions import RegressionShift

NO_DRIFTS: Final[dict[str, Any]] = {"drifts": 0, "largest_drifts": ()}
"""What detections say that were stored before drifts were told."""


def regressions_of(
    session: Session, project_name: str, states: Sequence[RegressionState] = ()
) -> Regressions:
    """Return the regressions of a project in some states, or all, newest first.

    Raises
    ------
    NotFound
        If the project is unknown.
    """
    project = projects.existing(session, project_name)
    rows = regressions.of_project(session, project.id)
    shown = [row for row in rows if not states or row.state in states]
    detection = regressions.detection_of(session, project.id)
    return Regressions(
        project=project.name,
        states=tuple(states),
        regressions=_complete(session, shown),
        counts={
            str(state): sum(row.state == state for row in rows)
            for state in RegressionState
        },
        confirmations=confirmations_in(session, project.id),
        detection=_overall(detection.details) if detection else None,
    )


def _overall(details: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a detection says of the project; nights are told by machine."""
    kept = {name: each for name, each in details.items() if name != "nights"}
    return NO_DRIFTS | kept


def summaries_of(shifts: Sequence[RegressionShift]) -> tuple[RegressionSummary, ...]:
    """Return what is said of the regressions that shifts are of, newest first."""
    ordered = sorted(shifts, key=lambda each: (each.opened_at, each.regression_id))
    newest = {each.regression_id: each for each in reversed(ordered)}
    return tuple(
        RegressionSummary(
            number, each.is_worse, RegressionState(each.state), each.sentence
        )
        for number, each in newest.items()
    )


def regressions_at(
    session: Session, project_id: int, commit_id: int
) -> tuple[Regression, ...]:
    """Return the regressions whose cause begins or ends at a commit, newest first."""
    rows = regressions.of_project(session, project_id, commit_id=commit_id)
    return _complete(session, rows)


def regression_of(session: Session, project_name: str, number: int) -> Regression:
    """Return a regression with all that happened to it.

    Raises
    ------
    NotFound
        If the project has none with this id.
    """
    project = projects.existing(session, project_name)
    row = regressions.identified(session, project.id, number)
    (found,) = _complete(session, [row])
    return found


def _complete(
    session: Session, rows: Sequence[tables.Regression]
) -> tuple[Regression, ...]:
    ids = [row.id for row in rows]
    members = regressions.members(session, ids)
    named = commits.identified(
        session,
        {
            number
            for row in rows
            for number in (row.first_commit_id, row.last_commit_id, row.fixed_commit_id)
            if number is not None
        }
        | {
            number
            for row in rows
            for each in members.get(row.id, ())
            for number in (each.first_commit_id, each.last_commit_id)
        },
    )
    events = regressions.events(session, ids)
    return tuple(
        _regression(
            row,
            named,
            members.get(row.id, []),
            events.get(row.id, ()),
            _next_step(session, row, members.get(row.id, [])),
        )
        for row in rows
    )


def _next_step(
    session: Session, row: tables.Regression, members: Sequence[regressions.Member]
) -> NextStep | None:
    """Return the cheapest run that would tell whether a suspicion is right."""
    if row.is_sure or not row.is_worse or row.state != RegressionState.OPEN:
        return None
    places: dict[tuple[int, str], list[int]] = defaultdict(list)
    for member in members:
        places[member.machine_id, member.machine].append(member.series_id)
    steps = (
        confirming_step(session, row.last_commit_id, place, series_ids)
        for place, series_ids in places.items()
    )
    return min(
        (step for step in steps if step is not None),
        key=lambda step: step.core_hours,
        default=None,
    )


def _regression(
    row: tables.Regression,
    named: Mapping[int, Stored],
    members: Sequence[regressions.Member],
    events: Sequence[tables.RegressionEvent],
    next_step: NextStep | None,
) -> Regression:
    listed = [
        Member(
            each.series_id,
            each.region,
            each.metric,
            each.machine,
            each.configuration,
            named[each.first_commit_id].sha,
            named[each.last_commit_id].sha,
            each.details,
        )
        for each in members
    ]
    return Regression(
        id=row.id,
        kind=row.kind,
        is_worse=row.is_worse,
        is_sure=row.is_sure,
        state=RegressionState(row.state),
        first=commit_of(named[row.first_commit_id]),
        last=commit_of(named[row.last_commit_id]),
        fixed_by=commit_of(named[row.fixed_commit_id]) if row.fixed_commit_id else None,
        suspect=row.suspect,
        sentence=row.sentence,
        owner=row.owner,
        link=row.link,
        opened_at=row.opened_at,
        changed_at=row.changed_at,
        members=tuple(sorted(listed, key=effect_of, reverse=True)),
        next_step=next_step,
        events=tuple(
            RegressionEvent(each.at, each.actor, each.action, each.note)
            for each in events
        ),
    )

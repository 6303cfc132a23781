"""Confirming runs that later commits have made needless: they are withdrawn.

A run is asked for because one job alone tells something. Once commits after it were
measured, they tell more: either a regression that is sure holds the suspicion, or
enough of them show nothing of it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.confirmations.requests import withdraw
from scalewatch.services.regressions.detection import Detected
from scalewatch.storage import tables
from scalewatch.storage.commits.commits import AnyCommit
from scalewatch.storage.histories import regressions
from scalewatch.storage.work import confirmations

ENOUGH: Final = 5
"""Later commits that would show what is suspected, nearly always."""


def withdraw_needless(session: Session, detected: Detected) -> None:
    """Withdraw the confirming runs of a project that nobody needs any more."""
    waiting = confirmations.unclaimed(session, detected.project_id)
    if not waiting:
        return
    position_of = {
        commit.id: position for position, commit in enumerate(detected.line.commits)
    }
    measured: dict[str, set[int]] = defaultdict(set)
    for history in detected.histories:
        measured[history.series.machine].update(history.positions)
    told = list(_worse(session, detected.project_id))
    for row, commit, machine, _ in waiting:
        position = position_of.get(commit.id)
        if position is None:
            continue
        own = [
            regression
            for regression, member in told
            if member.machine == machine
            and _is_about(member, commit, position, position_of)
        ]
        sure = next((each for each in own if each.is_sure), None)
        later = sum(each > position for each in measured[machine])
        if sure is not None:
            withdraw(session, row.id, f"later commits confirm it: regression {sure.id}")
        elif later >= ENOUGH and not any(each.state == "open" for each in own):
            withdraw(session, row.id, f"{later} later commits do not show it")


def _worse(
    session: Session, project_id: int
) -> Iterable[tuple[tables.Regression, regressions.Member]]:
    """Yield what is worse: a regression, and a series that it is about."""
    rows = {
        row.id: row
        for row in regressions.of_project(session, project_id)
        if row.is_worse
    }
    for number, members in regressions.members(session, [*rows]).items():
        for member in members:
            yield rows[number], member


def _is_about(
    shift: regressions.Member,
    commit: AnyCommit,
    position: int,
    position_of: Mapping[int, int],
) -> bool:
    """Tell whether a commit showed a change, or may have made it."""
    if shift.details.noticed_at == commit.sha:
        return True
    first = position_of.get(shift.first_commit_id)
    last = position_of.get(shift.last_commit_id)
    return first is not None and last is not None and first <= position <= last

"""Confirming runs as agents make them: claimed with a lease, extended, finished.

An agent that is lost delays a run until its lease ends, and then another one makes it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from sqlalchemy.orm import Session

from scalewatch.errors import ConfirmationLost
from scalewatch.services.access.callers import Role, caller_of, may, permit
from scalewatch.services.commit_reports.factors import JOBS
from scalewatch.services.confirmations.requests import (
    Confirmation,
    ConfirmationState,
    completed,
    confirmation_of,
    end,
)
from scalewatch.storage.commits import coordinates
from scalewatch.storage.tables import now
from scalewatch.storage.work import confirmations

LEASE: Final = timedelta(minutes=2)
MOST_ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class RunSetting:
    """Where a commit was measured by too few jobs."""

    suite: str
    coordinate: Mapping[str, int | float]
    configuration: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ClaimedRun:
    """A run that an agent is to make; it has it until its lease ends."""

    confirmation: Confirmation
    settings: tuple[RunSetting, ...]
    lease_seconds: float


def claim(session: Session, machine: str, agent: str) -> ClaimedRun | None:
    """Return the oldest run that an agent of a machine may make; it is its own now.

    A run that was made meanwhile, by whomever, is asked for no more.

    Raises
    ------
    NotPermitted, TokenNeeded
        If who asks may not post runs.
    """
    permit(session, Role.INGEST, caller_of(session).project)
    confirmations.seen(session, machine, agent)
    for due in confirmations.due(session, machine):
        row, _, _, project = due
        if not may(session, Role.INGEST, project):
            continue
        settings = [
            RunSetting(each.suite, each.coordinate, each.configuration)
            for each in coordinates.repeated(session, row.commit_id, row.machine_id)
            if each.jobs < JOBS
        ]
        if not settings:
            end(
                session, row.id, row.agent, ConfirmationState.DONE, "measured meanwhile"
            )
        elif row.attempts >= MOST_ATTEMPTS:
            lost = f"its agents were lost {MOST_ATTEMPTS} times"
            end(session, row.id, row.agent, ConfirmationState.FAILED, lost)
        elif confirmations.take(session, row, agent, now() + LEASE):
            session.refresh(row)
            (taken,) = completed(session, [due])
            return ClaimedRun(taken, tuple(settings), LEASE.total_seconds())
    return None


def extend(session: Session, confirmation_id: int, agent: str) -> Confirmation:
    """Let an agent have a run for longer.

    Raises
    ------
    NotFound, ConfirmationLost
        If there is none with this id, or it is another agent's.
    """
    permitted(session, confirmation_id)
    if not confirmations.change(session, confirmation_id, agent, due_at=now() + LEASE):
        raise ConfirmationLost(confirmation_id, agent)
    return confirmation_of(session, confirmation_id)


def finish(
    session: Session,
    confirmation_id: int,
    agent: str,
    state: ConfirmationState,
    outcome: str,
) -> Confirmation:
    """Note what came of a run, once it is posted or cannot be made.

    Raises
    ------
    NotFound, ConfirmationLost
        If there is none with this id, or it is another agent's.
    """
    permitted(session, confirmation_id)
    if not end(session, confirmation_id, agent, state, outcome):
        raise ConfirmationLost(confirmation_id, agent)
    return confirmation_of(session, confirmation_id)


def permitted(session: Session, confirmation_id: int) -> None:
    """See that who asks may post runs of the project that a run is of."""
    *_, project = confirmations.identified(session, confirmation_id)
    permit(session, Role.INGEST, project)

"""Confirming runs: a suspicion asks for one, the agent of the machine makes it.

An agent claims a run with a lease, and extends that until it is done. An agent that is
lost delays a run until its lease ends, and then another one makes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from sqlalchemy.orm import Session

from scalewatch.errors import ConfirmationLost
from scalewatch.services.access.callers import Role, caller_of, may, permit
from scalewatch.services.commit_reports.factors import JOBS
from scalewatch.services.commits.find import Commit, commit_of
from scalewatch.storage.access import projects
from scalewatch.storage.commits import coverage
from scalewatch.storage.tables import now
from scalewatch.storage.work import confirmations

MOST_ASKED: Final = 3
"""How often a commit is measured once more on a machine: then it is for people."""

PRESENCE: Final = timedelta(minutes=2)
"""An agent that has not asked for longer is not there."""

LEASE: Final = timedelta(minutes=2)

MOST_ATTEMPTS: Final = 3


class ConfirmationState(StrEnum):
    """How far a confirming run is."""

    OPEN = "open"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"  # later commits have settled it


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A commit that a machine is to measure once more.

    Parameters
    ----------
    reason
        What is suspected.
    agent
        Who measures, or has measured.
    outcome
        What came of it, in words.
    is_attended
        Whether an agent asks for the runs of this machine.
    """

    id: int
    project: str
    commit: Commit
    machine: str
    reason: str
    state: ConfirmationState
    agent: str | None
    attempts: int
    asked_at: datetime
    finished_at: datetime | None
    outcome: str | None
    is_attended: bool

    @property
    def is_over(self) -> bool:
        """Whether nobody will measure for it any more."""
        return self.state in {
            ConfirmationState.DONE,
            ConfirmationState.FAILED,
            ConfirmationState.WITHDRAWN,
        }

    @property
    def sentence(self) -> str:
        """How far it is, and who has to do something."""
        match self.state:
            case ConfirmationState.OPEN if self.is_attended:
                return f"asked for, the agent of {self.machine} will measure"
            case ConfirmationState.OPEN:
                command = f"scalewatch-agent serve --machine {self.machine}"
                return f"asked for, waits for {command}"
            case ConfirmationState.RUNNING:
                return f"{self.agent} is measuring"
            case _:
                return self.outcome or str(self.state)


def ask(session: Session, project_id: int, subject: tuple[int, int], why: str) -> None:
    """Ask for a run of a commit on a machine, given by their ids.

    It is asked for once at a time, and not for ever.
    """
    commit_id, machine_id = subject
    if confirmations.count(session, commit_id, machine_id) < MOST_ASKED:
        row = {
            "project_id": project_id,
            "commit_id": commit_id,
            "machine_id": machine_id,
            "reason": why,
        }
        confirmations.ask(session, row)


def confirmations_of(
    session: Session, project: str | None = None
) -> tuple[Confirmation, ...]:
    """Return confirming runs, of a project or of all, newest first.

    Raises
    ------
    NotFound
        If the project is unknown.
    """
    project_id = projects.existing(session, project).id if project else None
    return confirmations_in(session, project_id)


def confirmations_in(
    session: Session,
    project_id: int | None,
    commit_ids: Sequence[int] | None = None,
) -> tuple[Confirmation, ...]:
    """Return confirming runs of a project that exists, or of all, newest first."""
    rows = confirmations.listed(session, project_id=project_id, commit_ids=commit_ids)
    return completed(session, rows)


def withdraw(session: Session, confirmation_id: int, outcome: str) -> None:
    """Ask for a run no more, unless an agent has begun with it."""
    end(session, confirmation_id, None, ConfirmationState.WITHDRAWN, outcome)


def confirmation_of(session: Session, confirmation_id: int) -> Confirmation:
    """Return a confirming run.

    Raises
    ------
    NotFound
        If there is none with this id.
    """
    row = confirmations.identified(session, confirmation_id)
    session.refresh(row[0])
    return completed(session, [row])[0]


def is_confirmed(session: Session, commit_id: int, series_id: int) -> bool:
    """Tell whether enough jobs have measured a series of a commit everywhere."""
    measured = coverage.jobs_of(session, commit_id, series_id)
    return bool(measured) and min(measured.values()) >= JOBS


def end(
    session: Session,
    confirmation_id: int,
    agent: str | None,
    state: ConfirmationState,
    outcome: str,
) -> bool:
    """Note what came of a run unless another agent has it; tell whether it was."""
    return confirmations.change(
        session,
        confirmation_id,
        agent,
        state=str(state),
        outcome=outcome,
        due_at=None,
        finished_at=now(),
    )


def completed(
    session: Session, rows: Sequence[confirmations.Found]
) -> tuple[Confirmation, ...]:
    """Return confirming runs that were read, with their commits and agents."""
    attended = confirmations.attended(session, now() - PRESENCE) if rows else ()
    return tuple(
        Confirmation(
            id=row.id,
            project=project,
            commit=commit_of(commit),
            machine=machine,
            reason=row.reason,
            state=ConfirmationState(row.state),
            agent=row.agent,
            attempts=row.attempts,
            asked_at=row.asked_at,
            finished_at=row.finished_at,
            outcome=row.outcome,
            is_attended=machine in attended,
        )
        for row, commit, machine, project in rows
    )


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
            for each in coverage.repeated(session, row.commit_id, row.machine_id)
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

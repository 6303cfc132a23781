"""Confirming runs: a suspicion asks for one, the agent of the machine makes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.commit_reports.factors import JOBS
from scalewatch.services.commits.find import Commit, commit_of
from scalewatch.storage.access import projects
from scalewatch.storage.commits import coordinates
from scalewatch.storage.tables import now
from scalewatch.storage.work import confirmations

MOST_ASKED: Final = 3
"""How often a commit is measured once more on a machine: then it is for people."""

PRESENCE: Final = timedelta(minutes=2)
"""An agent that has not asked for longer is not there."""


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
    measured = coordinates.jobs_of(session, commit_id, series_id)
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

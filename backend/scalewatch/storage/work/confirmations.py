"""Queries on confirming runs, and on the agents that are there to make them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, delete, func, select, update
from sqlalchemy.orm import Session

from scalewatch.errors import NotFound
from scalewatch.storage import tables
from scalewatch.storage.database import inserts
from scalewatch.storage.database.inserts import insert_missing
from scalewatch.storage.tables import now

Found = Row[tables.Confirmation, tables.Commit, str, str]
"""A confirmation with its commit, and the names of its machine and project."""

OPEN = ("open", "running")


def ask(session: Session, row: dict[str, Any]) -> None:
    """Store a request for a confirming run, unless the same one is open."""
    moment = now()
    defaults = {"state": "open", "due_at": moment, "asked_at": moment, "attempts": 0}
    insert_missing(session, tables.Confirmation, [defaults | row])


def count(session: Session, commit_id: int, machine_id: int) -> int:
    """Return how many confirming runs were asked for a commit on a machine."""
    wanted = (
        select(func.count())
        .select_from(tables.Confirmation)
        .where(
            tables.Confirmation.commit_id == commit_id,
            tables.Confirmation.machine_id == machine_id,
        )
    )
    return session.scalar(wanted) or 0


def listed(
    session: Session,
    *,
    project_id: int | None = None,
    commit_ids: Sequence[int] | None = None,
    limit: int = 200,
) -> Sequence[Found]:
    """Return confirmations, of one project or all, newest first."""
    wanted = _complete().order_by(tables.Confirmation.id.desc()).limit(limit)
    if project_id is not None:
        wanted = wanted.where(tables.Confirmation.project_id == project_id)
    if commit_ids is not None:
        wanted = wanted.where(tables.Confirmation.commit_id.in_(commit_ids))
    return session.execute(wanted).all()


def identified(session: Session, confirmation_id: int) -> Found:
    """Return a confirmation.

    Raises
    ------
    NotFound
        If there is none with this id.
    """
    wanted = _complete().where(tables.Confirmation.id == confirmation_id)
    request = session.execute(wanted).one_or_none()
    if request is None:
        raise NotFound("confirmation", confirmation_id)
    return request


def unclaimed(session: Session, project_id: int) -> Sequence[Found]:
    """Return the requests of a project that no agent has claimed."""
    return session.execute(
        _complete().where(
            tables.Confirmation.project_id == project_id,
            tables.Confirmation.state == "open",
        )
    ).all()


def due(session: Session, machine: str) -> Sequence[Found]:
    """Return the requests that an agent of this machine may claim, oldest first."""
    return session.execute(
        _complete()
        .where(tables.Machine.name == machine, tables.Confirmation.due_at <= now())
        .order_by(tables.Confirmation.id)
    ).all()


def take(session: Session, row: tables.Confirmation, agent: str, end: datetime) -> bool:
    """Claim a request for an agent; return whether no other agent was faster."""
    return _change(
        session,
        tables.Confirmation.id == row.id,
        tables.Confirmation.due_at <= now(),
        state="running",
        agent=agent,
        due_at=end,
        attempts=tables.Confirmation.attempts + 1,
    )


def change(
    session: Session, confirmation_id: int, agent: str | None, **values: Any
) -> bool:
    """Change a confirmation that an agent holds; return whether it still does."""
    return _change(
        session,
        tables.Confirmation.id == confirmation_id,
        tables.Confirmation.agent == agent,
        tables.Confirmation.due_at.is_not(None),
        **values,
    )


def seen(session: Session, machine: str, agent: str) -> None:
    """Note that an agent waits on a machine; delete notes older than a day."""
    gone = tables.WaitingAgent.seen_at < now() - timedelta(days=1)
    session.execute(delete(tables.WaitingAgent).where(gone))
    row = {"machine": machine, "agent": agent, "seen_at": now()}
    inserts.put(session, tables.WaitingAgent, [row], keys=("machine", "agent"))


def attended(session: Session, since: datetime) -> dict[str, datetime]:
    """Return the machines with waiting agents, and when one was last seen."""
    rows = session.execute(
        select(tables.WaitingAgent.machine, func.max(tables.WaitingAgent.seen_at))
        .where(tables.WaitingAgent.seen_at > since)
        .group_by(tables.WaitingAgent.machine)
    )
    return dict(rows.all())


def _complete() -> Any:
    return (
        select(
            tables.Confirmation, tables.Commit, tables.Machine.name, tables.Project.name
        )
        .join(tables.Commit, tables.Commit.id == tables.Confirmation.commit_id)
        .join(tables.Machine, tables.Machine.id == tables.Confirmation.machine_id)
        .join(tables.Project, tables.Project.id == tables.Confirmation.project_id)
    )


def _change(session: Session, *conditions: Any, **values: Any) -> bool:
    held = session.scalar(
        update(tables.Confirmation)
        .where(*conditions)
        .values(**values)
        .returning(tables.Confirmation.id)
    )
    return held is not None

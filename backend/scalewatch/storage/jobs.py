"""Queries on jobs: the outbox of work to be done later."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Executable,
    and_,
    case,
    exists,
    func,
    literal_column,
    not_,
    or_,
    select,
    text,
    union_all,
    update,
)
from sqlalchemy.orm import Session, aliased

from scalewatch.errors import NotFound
from scalewatch.storage import tables
from scalewatch.storage.inserts import insert_for
from scalewatch.storage.tables import now

OPEN = ("queued", "running")

_JOB: Final = tables.Job.__table__.c
_IS_OPEN: Final = _JOB.due_at.is_not(None)

# Written once; as the partial indices say it: most jobs were done long ago.
_OLDEST_OPEN: Final = select(func.min(_JOB.created_at)).where(_IS_OPEN)
_COUNTS: Final = union_all(
    select(_JOB.state, func.count()).where(_IS_OPEN).group_by(_JOB.state),
    select(_JOB.state, func.count())
    .where(_JOB.state == literal_column("'failed'"))
    .group_by(_JOB.state),
)

HORIZON: Final = timedelta(minutes=10)
"""Further ahead than any lease or pause: only a clock that was set back since, or
another machine's that is wrong, writes such a time, and its job is due."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A job that one worker may do until its lease ends."""

    id: int
    kind: str
    subject: str
    attempts: int
    owner: str


def enqueue(session: Session, kind: str, subject: str) -> tuple[int, bool]:
    """Queue a job and return its id, and whether it is new: an equal one may wait.

    The row is locked until this transaction ends, so that no worker begins before
    the data that cause the job can be seen.
    """
    connection = session.connection()
    statement, created_at = _enqueue(connection.dialect.name), now()
    row = {"kind": kind, "subject": subject, "created_at": created_at}
    found = connection.execute(statement, row).one()
    return found.id, found.created_at == created_at


@cache
def _enqueue(dialect: str) -> Executable:
    """Return the statement, written once, see `storage.places`."""
    job = tables.Job.metadata.tables[tables.Job.__tablename__]
    statement = insert_for(dialect, job)
    return statement.on_conflict_do_update(
        index_elements=["kind", "subject"],
        # Not a parameter: PostgreSQL could not tell it is the index's condition
        # once it has planned the statement for good.
        index_where=text("state = 'queued'"),
        # It keeps its place: what is posted about all the time gets its turn.
        set_={
            "due_at": case(
                (job.c.due_at < statement.excluded.due_at, job.c.due_at),
                else_=statement.excluded.due_at,
            )
        },
    ).returning(job.c.id, job.c.created_at)


def is_due(session: Session) -> bool:
    """Tell whether a job may be claimed."""
    return bool(session.scalar(select(exists().where(_is_due(now())))))


def due(session: Session, limit: int) -> Sequence[int]:
    """Return the ids of the jobs that are longest due."""
    return session.scalars(
        select(tables.Job.id)
        .where(_is_due(now()))
        .order_by(tables.Job.due_at)
        .limit(limit)
    ).all()


def claim(
    session: Session, owner: str, lease: timedelta, job_id: int | None = None
) -> Claim | None:
    """Take a job that is due, the longest due one or that with an id.

    None is taken whose equal is being done.
    """
    rival = aliased(tables.Job)
    moment = now()
    is_being_done = exists().where(
        rival.kind == tables.Job.kind,
        rival.subject == tables.Job.subject,
        rival.id != tables.Job.id,
        rival.state == "running",
        rival.due_at.between(moment, moment + HORIZON),
    )
    longest_due = (
        select(tables.Job.id)
        .where(_is_due(moment), ~is_being_done)
        .order_by(tables.Job.due_at)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    if job_id is not None:
        longest_due = longest_due.where(tables.Job.id == job_id)
    row = session.execute(
        update(tables.Job)
        .where(tables.Job.id.in_(longest_due.scalar_subquery()))
        .values(
            state="running",
            owner=owner,
            due_at=moment + lease,
            attempts=tables.Job.attempts + 1,
        )
        .returning(
            tables.Job.id, tables.Job.kind, tables.Job.subject, tables.Job.attempts
        )
        .execution_options(synchronize_session=False)
    ).one_or_none()
    return row and Claim(*row, owner=owner)


def extend(session: Session, claim: Claim, lease: timedelta) -> bool:
    """Let a lease end later; return whether its owner still held it."""
    return _change(session, claim, due_at=now() + lease)


def release(session: Session, claim: Claim, **changes: Any) -> bool:
    """Change a claimed job; return whether its owner still held the lease."""
    return _change(session, claim, owner=None, **changes)


def is_queued(session: Session, kind: str, subject: str) -> bool:
    """Tell whether such a job waits."""
    return _is_any(session, kind, [subject], ("queued",))


def identified(session: Session, job_id: int) -> tables.Job:
    """Return a job.

    Raises
    ------
    NotFound
        If there is none with this id.
    """
    job = session.get(tables.Job, job_id)
    if job is None:
        raise NotFound("job", job_id)
    return job


def newest(session: Session, kind: str, subject: str) -> tables.Job | None:
    """Return the newest job for a subject."""
    return session.scalar(
        select(tables.Job)
        .where(tables.Job.kind == kind, tables.Job.subject == subject)
        .order_by(tables.Job.id.desc())
        .limit(1)
    )


def is_open(session: Session, kind: str, subject: str) -> bool:
    """Tell whether a job for a subject waits or is being done."""
    return is_any_open(session, kind, [subject])


def is_any_open(session: Session, kind: str, subjects: Collection[str]) -> bool:
    """Tell whether a job for one of several subjects waits or is being done."""
    return _is_any(session, kind, subjects, OPEN)


def finished_since(
    session: Session, moment: datetime, limit: int
) -> Sequence[tables.Job]:
    """Return the jobs finished since a moment, oldest first, at most `limit`."""
    return session.scalars(
        select(tables.Job)
        .where(tables.Job.finished_at >= moment)
        .order_by(tables.Job.finished_at)
        .limit(limit)
    ).all()


def counts(session: Session) -> dict[str, int]:
    """Return how many jobs are open, by state, and how many failed."""
    return dict(session.execute(_COUNTS).all())


def oldest_open(session: Session) -> datetime | None:
    """Return since when the oldest open job waits."""
    oldest: datetime | None = session.scalar(_OLDEST_OPEN)
    return oldest


def _change(session: Session, claim: Claim, **changes: Any) -> bool:
    """Change a job, unless another attempt at it may have begun."""
    held = session.scalar(
        update(tables.Job)
        .where(
            tables.Job.id == claim.id,
            tables.Job.owner == claim.owner,
            tables.Job.attempts == claim.attempts,
            tables.Job.state == "running",
            not_(_is_due(now())),
        )
        .values(**changes)
        .returning(tables.Job.id)
        .execution_options(synchronize_session=False)
    )
    return held is not None


def _is_due(moment: datetime) -> ColumnElement[bool]:
    return and_(
        tables.Job.due_at.is_not(None),  # lets the partial index serve both
        or_(tables.Job.due_at <= moment, tables.Job.due_at > moment + HORIZON),
    )


def _is_any(
    session: Session, kind: str, subjects: Collection[str], states: Sequence[str]
) -> bool:
    """Tell whether a job for one of several subjects is in one of these states."""
    wanted = exists().where(
        tables.Job.kind == kind,
        tables.Job.subject.in_(subjects),
        tables.Job.state.in_(states),
    )
    return bool(session.scalar(select(wanted)))

"""Queries on jobs, the outbox of work to be done later, and on workers."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final

from sqlalchemy import (
    Executable,
    and_,
    bindparam,
    case,
    delete,
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
from sqlalchemy.orm import Session

from scalewatch.errors import NotFound
from scalewatch.storage import tables
from scalewatch.storage.database import inserts
from scalewatch.storage.database.inserts import insert_for
from scalewatch.storage.database.lists import is_among
from scalewatch.storage.tables import now

OPEN = ("queued", "running")

_JOBS: Final = tables.Job.metadata.tables[tables.Job.__tablename__]
_JOB: Final = _JOBS.c
_IS_OPEN: Final = _JOB.due_at.is_not(None)

# The same words as in the partial indices, so that these serve: most jobs are done.
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

_IS_DUE: Final = and_(
    _JOB.due_at.is_not(None),  # lets the partial index serve both
    or_(_JOB.due_at <= bindparam("moment"), _JOB.due_at > bindparam("horizon")),
)
_IS_ANY_DUE: Final = select(exists().where(_IS_DUE))
_ANY: Final = select(_JOB.id).where(
    _JOB.kind == bindparam("kind"),
    is_among(_JOB.subject, "subjects"),
    is_among(_JOB.state, "states"),
)
_LONGEST_DUE: Final = select(_JOB.id).where(_IS_DUE).order_by(_JOB.due_at)


def _projects_in_turn() -> Executable:
    """Return the statement for projects with due jobs: longest without a turn first.

    The next project is looked up in an index each time: that one of them has a hundred
    thousand jobs costs nothing.
    """
    first = select(func.min(_JOB.project_id)).where(_IS_OPEN)
    waiting = select(first.scalar_subquery().label("id")).cte("waiting", recursive=True)
    following = first.where(_JOB.project_id > waiting.c.id).scalar_subquery()
    waiting = waiting.union_all(select(following).where(waiting.c.id.is_not(None)))
    # A turn in the future was noted by a clock that was set back since.
    last_turn = select(func.max(_JOB.begun_at)).where(
        _JOB.project_id == waiting.c.id, _JOB.begun_at <= bindparam("moment")
    )
    return (
        select(waiting.c.id)
        .where(exists().where(_JOB.project_id == waiting.c.id, _IS_DUE))
        .order_by(last_turn.scalar_subquery().asc().nulls_first(), waiting.c.id)
    )


_PROJECTS_IN_TURN: Final = _projects_in_turn()

# Built once: every page asks whether a worker is there.
_SEEN_SINCE: Final = (
    select(tables.Worker)
    .where(tables.Worker.seen_at > bindparam("moment"))
    .order_by(tables.Worker.started_at, tables.Worker.name)
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A job that one worker may do until its lease ends."""

    id: int
    kind: str
    subject: str
    attempts: int
    owner: str


def enqueue(
    session: Session, kind: str, project_id: int, subject: str
) -> tuple[int, bool]:
    """Queue a job and return its id, and whether it is new: an equal one may wait.

    The row is locked until this transaction ends, so that no worker begins before
    the data that cause the job can be seen.
    """
    connection = session.connection()
    statement, created_at = _enqueue(connection.dialect.name), now()
    row = {
        "kind": kind,
        "project_id": project_id,
        "subject": subject,
        "created_at": created_at,
    }
    queued = connection.execute(statement, row).one()
    return queued.id, queued.created_at == created_at


@cache
def _enqueue(dialect: str) -> Executable:
    """Return the cached statement."""
    job = tables.Job.metadata.tables[tables.Job.__tablename__]
    statement = insert_for(dialect, job)
    return statement.on_conflict_do_update(
        index_elements=["kind", "subject"],
        # Not a parameter: PostgreSQL could not tell it is the index's condition
        # once it has planned the statement for good.
        index_where=text("state = 'queued'"),
        # `due_at` stays: a subject that is posted all the time would never come up.
        set_={
            "due_at": case(
                (job.c.due_at < statement.excluded.due_at, job.c.due_at),
                else_=statement.excluded.due_at,
            )
        },
    ).returning(job.c.id, job.c.created_at)


def is_due(session: Session) -> bool:
    """Tell whether a job may be claimed."""
    return bool(session.scalar(_IS_ANY_DUE, _moments()))


def due(session: Session, limit: int) -> Sequence[int]:
    """Return the ids of due jobs, longest due first."""
    return session.scalars(_LONGEST_DUE.limit(limit), _moments()).all()


def claim(session: Session, owner: str, lease: timedelta) -> Claim | None:
    """Take the longest due job of the project that has waited longest for a turn.

    None is taken whose equal is being done.
    """
    bound = _moments()
    bound |= {"by": owner, "until": bound["moment"] + lease}
    for project_id in session.scalars(_PROJECTS_IN_TURN, bound).all():
        taken = session.execute(_claim(), bound | {"project": project_id})
        if (row := taken.one_or_none()) is not None:
            return Claim(row.id, row.kind, row.subject, row.attempts, owner)
    return None


@cache
def _claim() -> Executable:
    """Return the statement that takes the longest due job of a project."""
    rival = _JOBS.alias()
    is_being_done = exists().where(
        rival.c.kind == _JOB.kind,
        rival.c.subject == _JOB.subject,
        rival.c.id != _JOB.id,
        rival.c.state == "running",
        rival.c.due_at.between(bindparam("moment"), bindparam("horizon")),
    )
    of_project = _LONGEST_DUE.where(_JOB.project_id == bindparam("project"))
    wanted = of_project.where(~is_being_done).limit(1)
    chosen = wanted.with_for_update(skip_locked=True).scalar_subquery()
    return (
        update(_JOBS)
        # Not `in_`: PostgreSQL may choose anew for each row that it joins with those
        # chosen, and take several.
        .where(_JOB.id == chosen)
        .values(
            state="running",
            owner=bindparam("by"),
            due_at=bindparam("until"),
            begun_at=bindparam("moment"),
            attempts=_JOB.attempts + 1,
        )
        .returning(_JOB.id, _JOB.kind, _JOB.subject, _JOB.attempts)
    )


def extend(session: Session, claim: Claim, lease: timedelta) -> bool:
    """Let a lease end later; return whether its owner still held it."""
    return _change(session, claim, due_at=now() + lease)


def release(session: Session, claim: Claim, **changes: Any) -> bool:
    """Change a claimed job; return whether its owner still held the lease."""
    return _change(session, claim, owner=None, **changes)


def give_back(session: Session, owner: str) -> None:
    """Queue the jobs that an owner has claimed, and do not count the attempt."""
    rival = _JOBS.alias()
    is_queued = exists().where(
        rival.c.kind == _JOB.kind,
        rival.c.subject == _JOB.subject,
        rival.c.state == "queued",
    )
    running = update(_JOBS).where(_JOB.owner == owner, _JOB.state == "running")
    moment = now()
    session.execute(
        running.where(is_queued).values(
            state="superseded", owner=None, due_at=None, finished_at=moment
        )
    )
    session.execute(
        running.values(
            state="queued", owner=None, due_at=moment, attempts=_JOB.attempts - 1
        )
    )


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


def queued(session: Session, kind: str) -> Sequence[str]:
    """Return the subjects of jobs that wait, in the order in which they were queued."""
    return session.scalars(
        select(tables.Job.subject)
        .where(tables.Job.kind == kind, tables.Job.state == "queued")
        .order_by(tables.Job.id)
    ).all()


def withdraw(session: Session, kind: str, subjects: Collection[str]) -> None:
    """Remove jobs that wait, as what they would do is done."""
    session.execute(
        delete(tables.Job).where(
            tables.Job.kind == kind,
            tables.Job.state == "queued",
            is_among(_JOB.subject, "subjects"),
        ),
        {"subjects": list(subjects)},
    )


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


def last_finished_at(session: Session) -> datetime | None:
    """Return when a job was last finished, if any was."""
    return session.scalar(select(func.max(tables.Job.finished_at)))


def counts(session: Session) -> dict[str, int]:
    """Return how many jobs are open, by state, and how many failed."""
    return dict(session.execute(_COUNTS).all())


def oldest_open(session: Session) -> datetime | None:
    """Return since when the oldest open job waits."""
    oldest: datetime | None = session.scalar(_OLDEST_OPEN)
    return oldest


def _change(session: Session, claim: Claim, **changes: Any) -> bool:
    """Change a job, unless another attempt at it may have begun."""
    bound = {
        "job": claim.id,
        "by": claim.owner,
        "attempt": claim.attempts,
        **{f"new_{name}": value for name, value in changes.items()},
    }
    held = session.scalar(_changed(tuple(changes)), _moments() | bound)
    return held is not None


@cache
def _changed(names: tuple[str, ...]) -> Executable:
    return (
        update(_JOBS)
        .where(
            _JOB.id == bindparam("job"),
            _JOB.owner == bindparam("by"),
            _JOB.attempts == bindparam("attempt"),
            _JOB.state == "running",
            not_(_IS_DUE),
        )
        .values({name: bindparam(f"new_{name}") for name in names})
        .returning(_JOB.id)
    )


def _moments() -> dict[str, Any]:
    """Return now and the horizon, between which a job is not yet due."""
    moment = now()
    return {"moment": moment, "horizon": moment + HORIZON}


def _is_any(
    session: Session, kind: str, subjects: Collection[str], states: Sequence[str]
) -> bool:
    """Tell whether a job for one of several subjects is in one of these states."""
    bound = {"kind": kind, "subjects": [*subjects], "states": [*states]}
    return session.scalar(_ANY, bound) is not None


def newest_failed(session: Session, limit: int) -> Sequence[tables.Job]:
    """Return the failed jobs, newest first, at most `limit`."""
    return session.scalars(
        select(tables.Job)
        # The same words as in the partial index, so that it serves.
        .where(tables.Job.state == literal_column("'failed'"))
        .order_by(tables.Job.id.desc())
        .limit(limit)
    ).all()


def queue_again(session: Session, job: tables.Job) -> None:
    """Let a failed job be done as a new one, unless its equal waits already."""
    if is_queued(session, job.kind, job.subject):
        job.state = "superseded"
        return
    job.state, job.due_at, job.attempts = "queued", now(), 0
    job.reason = job.finished_at = None


def note_worker(session: Session, name: str, kind: str) -> None:
    """Note that a worker lives; delete notes older than a day."""
    moment = now()
    row = {"name": name, "kind": kind, "started_at": moment, "seen_at": moment}
    known = session.get(tables.Worker, name)
    if known is None:
        inserts.put(session, tables.Worker, [row], keys=("name",))
        forgotten = tables.Worker.seen_at < moment - timedelta(days=1)
        session.execute(delete(tables.Worker).where(forgotten))
    else:
        known.seen_at = moment


def forget_worker(session: Session, name: str) -> None:
    """Forget a worker that has ended."""
    session.execute(delete(tables.Worker).where(tables.Worker.name == name))


def workers_since(session: Session, moment: datetime) -> Sequence[tables.Worker]:
    """Return the workers seen after a moment, oldest first."""
    return session.scalars(_SEEN_SINCE, {"moment": moment}).all()

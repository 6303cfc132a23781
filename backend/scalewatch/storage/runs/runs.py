"""Queries on runs, their payloads and their points."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import Executable, Select, bindparam, func, select
from sqlalchemy.orm import Session

from scalewatch.errors import NotFound
from scalewatch.storage import tables
from scalewatch.storage.database import inserts
from scalewatch.storage.database.inserts import Row, insert_for
from scalewatch.storage.database.lists import is_among


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run that is recorded already."""

    id: int
    commit_id: int
    machine_id: int
    digest: str


@dataclass(frozen=True, slots=True)
class Description:
    """A run as its page describes it: commit, machine, coordinate and job."""

    id: int
    uuid: UUID
    project: str
    commit_id: int
    commit: str
    machine_id: int
    machine: str
    fingerprint: dict[str, Any]
    suite: str
    coordinate: dict[str, int | float]
    configuration: dict[str, Any]
    scheduler_job: dict[str, Any] | None
    received_at: datetime


_RUN: Final = tables.Run.metadata.tables[tables.Run.__tablename__]
_PAYLOAD: Final = tables.Payload.__table__

# Built once: SQLAlchemy needs longer to build a statement than SQLite to run it.
_RECORDED: Final = (
    select(_RUN.c.id, _RUN.c.commit_id, _RUN.c.machine_id, _PAYLOAD.c.digest)
    .join_from(_RUN, _PAYLOAD, _PAYLOAD.c.run_id == _RUN.c.id)
    .where(_RUN.c.uuid == bindparam("uuid"))
)


@cache
def _create(dialect: str) -> Executable:
    statement = insert_for(dialect, _RUN).on_conflict_do_nothing()
    return statement.returning(_RUN.c.id)


def recorded(session: Session, uuid: UUID) -> Recorded | None:
    """Return the run with this id, if there is one."""
    row = session.connection().execute(_RECORDED, {"uuid": uuid}).one_or_none()
    return row and Recorded(*row)


def create(session: Session, row: Row) -> int | None:
    """Insert a run and return its id, or None where its uuid is taken."""
    connection = session.connection()
    created = connection.execute(_create(connection.dialect.name), row)
    run_id: int | None = created.scalar_one_or_none()
    return run_id


def add_payload(session: Session, run_id: int, body: bytes, digest: str) -> None:
    """Insert the compressed content of a run."""
    row = {"run_id": run_id, "digest": digest, "body": body}
    inserts.add(session, tables.Payload, [row])


def add_samples(session: Session, run_id: int, blob: bytes) -> None:
    """Insert the repetitions of a run."""
    inserts.add(session, tables.Samples, [{"run_id": run_id, "blob": blob}])


def add_points(session: Session, run_id: int, points: Sequence[Row]) -> None:
    """Insert the points of a run."""
    inserts.add(
        session, tables.Point, [{"run_id": run_id, **point} for point in points]
    )


def payload_of(session: Session, run_id: int) -> bytes | None:
    """Return the compressed content of a run, if it is kept."""
    return session.scalar(
        select(tables.Payload.body).where(tables.Payload.run_id == run_id)
    )


def described(session: Session, uuid: UUID) -> Description:
    """Return what is known of a run.

    Raises
    ------
    NotFound
        If no run has this id.
    """
    row = session.execute(
        select(
            tables.Run.id,
            tables.Run.uuid,
            tables.Project.name,
            tables.Commit.id,
            tables.Commit.sha,
            tables.Machine.id,
            tables.Machine.name,
            tables.Fingerprint.facts,
            tables.Run.suite,
            tables.Run.coordinate,
            tables.Configuration.settings,
            tables.Run.scheduler_job,
            tables.Run.received_at,
        )
        .join(tables.Commit, tables.Commit.id == tables.Run.commit_id)
        .join(tables.Project, tables.Project.id == tables.Commit.project_id)
        .join(tables.Machine, tables.Machine.id == tables.Run.machine_id)
        .join(tables.Fingerprint, tables.Fingerprint.id == tables.Run.fingerprint_id)
        .join(
            tables.Configuration,
            tables.Configuration.id == tables.Run.configuration_id,
        )
        .where(tables.Run.uuid == uuid)
    ).one_or_none()
    if row is None:
        raise NotFound("run", uuid)
    return Description(*row)


class NewRun(NamedTuple):
    """A run, and what it belongs to."""

    id: int
    project: str
    sha: str
    tag: str | None
    machine: str


def newest_id(session: Session) -> int:
    """Return the id of the newest run, 0 if there is none."""
    return session.scalar(select(func.max(tables.Run.id))) or 0


def after(session: Session, run_id: int, limit: int) -> Sequence[NewRun]:
    """Return the runs recorded after one, oldest first, at most `limit`."""
    rows = session.execute(
        select(
            tables.Run.id,
            tables.Project.name,
            tables.Commit.sha,
            tables.Commit.tag,
            tables.Machine.name,
        )
        .join(tables.Commit, tables.Commit.id == tables.Run.commit_id)
        .join(tables.Project, tables.Project.id == tables.Commit.project_id)
        .join(tables.Machine, tables.Machine.id == tables.Run.machine_id)
        .where(tables.Run.id > run_id)
        .order_by(tables.Run.id)
        .limit(limit)
    )
    return [NewRun(*row) for row in rows]


def names_of(
    session: Session, subjects: Sequence[tuple[int, int]]
) -> Sequence[tuple[str, str, str | None, str]]:
    """Return project, hash, tag and machine of pairs of commit and machine."""
    if not subjects:
        return []
    rows = session.execute(
        select(
            tables.Commit.id,
            tables.Machine.id,
            tables.Project.name,
            tables.Commit.sha,
            tables.Commit.tag,
            tables.Machine.name,
        )
        .join(tables.Project, tables.Project.id == tables.Commit.project_id)
        .join(tables.Machine, tables.Machine.project_id == tables.Project.id)
        .where(
            tables.Commit.id.in_({commit for commit, _ in subjects}),
            tables.Machine.id.in_({machine for _, machine in subjects}),
        )
    )
    wanted = set(subjects)
    return [
        (project, sha, tag, machine)
        for commit_id, machine_id, project, sha, tag, machine in rows
        if (commit_id, machine_id) in wanted
    ]


def environments_of(
    session: Session, commit_id: int
) -> Sequence[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Return machine, fingerprint and configuration of a commit's runs."""
    distinct = (
        select(
            tables.Run.machine_id,
            tables.Run.fingerprint_id,
            tables.Run.configuration_id,
        )
        .where(tables.Run.commit_id == commit_id)
        .distinct()
        .subquery()
    )
    rows = session.execute(
        select(
            tables.Machine.name,
            tables.Fingerprint.facts,
            tables.Configuration.settings,
        )
        .select_from(distinct)
        .join(tables.Machine, tables.Machine.id == distinct.c.machine_id)
        .join(tables.Fingerprint, tables.Fingerprint.id == distinct.c.fingerprint_id)
        .join(
            tables.Configuration,
            tables.Configuration.id == distinct.c.configuration_id,
        )
        .order_by(tables.Machine.id)
    )
    return [(machine, facts, settings) for machine, facts, settings in rows]


class Started(NamedTuple):
    """When the first and the last run of a commit on a machine began."""

    first: datetime
    last: datetime


def started(
    session: Session, machine_id: int, commit_ids: Sequence[int]
) -> dict[int, Started]:
    """Return when commits were measured on a machine, by id.

    Commits of whose runs none says when it began are left out.
    """
    bound = {"machine": machine_id, "commits": [*commit_ids]}
    return {
        commit_id: Started(datetime.fromisoformat(first), datetime.fromisoformat(last))
        for commit_id, first, last in session.execute(_started(), bound)
        if first is not None
    }


@cache
def _started() -> Select[Any]:
    run = tables.Run
    began = run.scheduler_job["started_at"].as_string()
    return (
        select(run.commit_id, func.min(began), func.max(began))
        .where(run.machine_id == bindparam("machine"))
        .where(is_among(tables.Run.__table__.c.commit_id, "commits"))
        .group_by(run.commit_id)
    )

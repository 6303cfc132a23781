"""Queries on runs, and files of other tools, as they were posted."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database.inserts import insert_missing
from scalewatch.storage.judgements import editions

AT_ONCE: Final = 500
"""Runs that are looked up by one statement."""

_ROW = tables.ImportedFile


def runs_after(
    session: Session,
    after: int,
    *,
    project: str | None = None,
    before: datetime | None = None,
    limit: int,
) -> Sequence[int]:
    """Return the ids of runs with a payload: those after an id, in its order.

    Parameters
    ----------
    before
        Only what was received before this.
    """
    wanted = (
        select(tables.Run.id)
        .join(tables.Payload, tables.Payload.run_id == tables.Run.id)
        .where(tables.Run.id > after, func.length(tables.Payload.body) > 0)
        .order_by(tables.Run.id)
        .limit(limit)
    )
    if before is not None:
        wanted = wanted.where(tables.Run.received_at < before)
    if project is not None:
        wanted = (
            wanted.join(tables.Commit, tables.Commit.id == tables.Run.commit_id)
            .join(tables.Project, tables.Project.id == tables.Commit.project_id)
            .where(tables.Project.name == project)
        )
    return session.scalars(wanted).all()


def body_of(session: Session, run_id: int) -> bytes:
    """Return the compressed content of a run."""
    return session.scalars(
        select(tables.Payload.body).where(tables.Payload.run_id == run_id)
    ).one()


def forget(session: Session, run_id: int) -> None:
    """Delete the payload of a run, and keep the run."""
    session.execute(
        update(tables.Payload).where(tables.Payload.run_id == run_id).values(body=b"")
    )


def remove_measurements(session: Session, run_id: int) -> None:
    """Delete the points and repetitions of a run."""
    for table in (
        tables.Point,
        tables.Samples,
        tables.Procedure,
        tables.Profile,
        tables.SourceLocations,
    ):
        session.execute(delete(table).where(table.run_id == run_id))
    editions.renew_of_run(session, run_id)


def replace_samples(
    session: Session, run_id: int, blob: bytes, places: dict[int, tuple[int, int]]
) -> None:
    """Replace the repetitions of a run; by series, where they begin and how many."""
    session.execute(
        update(tables.Samples).where(tables.Samples.run_id == run_id).values(blob=blob)
    )
    for series_id, (start, count) in places.items():
        session.execute(
            update(tables.Point)
            .where(tables.Point.series_id == series_id, tables.Point.run_id == run_id)
            .values(start=start, count=count)
        )
    editions.renew_of_run(session, run_id)


def places_of(session: Session, run_id: int) -> Sequence[tuple[int, int, int]]:
    """Return series, start and count of the repetitions of a run, as they lie."""
    rows = session.execute(
        select(tables.Point.series_id, tables.Point.start, tables.Point.count)
        .where(tables.Point.run_id == run_id)
        .order_by(tables.Point.start)
    )
    return [(series_id, start, count) for series_id, start, count in rows]


def keep_file(session: Session, row: dict[str, Any], runs: Sequence[UUID]) -> None:
    """Keep a file, unless it is kept, and which runs it was the first to tell of."""
    insert_missing(session, _ROW, [row])
    file_id = session.scalars(
        select(_ROW.id).where(
            _ROW.project_id == row["project_id"], _ROW.digest == row["digest"]
        )
    ).one()
    note_runs_of_file(session, file_id, runs)


def note_runs_of_file(session: Session, file_id: int, runs: Sequence[UUID]) -> None:
    """Note that a file was the first to bring some runs."""
    for start in range(0, len(runs), AT_ONCE):
        some = tables.Run.uuid.in_(runs[start : start + AT_ONCE])
        ids = session.scalars(select(tables.Run.id).where(some))
        rows = [{"run_id": run_id, "file_id": file_id} for run_id in ids]
        insert_missing(session, tables.ImportedRun, rows)


def file_after(session: Session, file_id: int, project: str | None) -> int | None:
    """Return the id of the next file after one, in its order."""
    wanted = select(_ROW.id).where(_ROW.id > file_id).order_by(_ROW.id).limit(1)
    if project is not None:
        wanted = wanted.join(
            tables.Project, tables.Project.id == _ROW.project_id
        ).where(tables.Project.name == project)
    return session.scalar(wanted)


def runs_of_file(session: Session, file_id: int) -> Sequence[UUID]:
    """Return the runs that a file was the first to bring."""
    brought = tables.ImportedRun
    wanted = select(tables.Run.uuid).join(brought, brought.run_id == tables.Run.id)
    return session.scalars(wanted.where(brought.file_id == file_id)).all()

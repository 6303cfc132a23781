"""Queries on foreign files that were posted."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database.inserts import insert_missing

AT_ONCE: Final = 500
"""Runs that are looked up by one statement."""

_ROW = tables.ImportedFile


def keep(session: Session, row: dict[str, Any], runs: Sequence[UUID]) -> None:
    """Keep a file, unless it is kept, and which runs it was the first to tell of."""
    insert_missing(session, _ROW, [row])
    file_id = session.scalars(
        select(_ROW.id).where(
            _ROW.project_id == row["project_id"], _ROW.digest == row["digest"]
        )
    ).one()
    note_runs(session, file_id, runs)


def note_runs(session: Session, file_id: int, runs: Sequence[UUID]) -> None:
    """Note that a file was the first to bring some runs."""
    for start in range(0, len(runs), AT_ONCE):
        some = tables.Run.uuid.in_(runs[start : start + AT_ONCE])
        ids = session.scalars(select(tables.Run.id).where(some))
        rows = [{"run_id": run_id, "file_id": file_id} for run_id in ids]
        insert_missing(session, tables.ImportedRun, rows)


def after(session: Session, file_id: int, project: str | None) -> int | None:
    """Return the id of the next file after one, in its order."""
    wanted = select(_ROW.id).where(_ROW.id > file_id).order_by(_ROW.id).limit(1)
    if project is not None:
        wanted = wanted.join(
            tables.Project, tables.Project.id == _ROW.project_id
        ).where(tables.Project.name == project)
    return session.scalar(wanted)


def runs_of(session: Session, file_id: int) -> Sequence[UUID]:
    """Return the runs that a file was the first to bring."""
    brought = tables.ImportedRun
    wanted = select(tables.Run.uuid).join(brought, brought.run_id == tables.Run.id)
    return session.scalars(wanted.where(brought.file_id == file_id)).all()

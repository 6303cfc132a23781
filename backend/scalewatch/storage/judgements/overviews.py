"""Queries on what home counts of projects."""

from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database import inserts


def of_project(session: Session, project_id: int) -> dict[str, Any] | None:
    """Return what was counted last of a project, if anything was."""
    row = session.get(tables.Overview, project_id)
    return None if row is None else row.content


def of_all(session: Session) -> dict[int, dict[str, Any]]:
    """Return what was counted last, by the ids of projects that are visible."""
    overview = tables.Overview
    wanted = select(overview.project_id, overview.content).join(
        tables.Project, tables.Project.id == overview.project_id
    )
    return dict(session.execute(wanted).all())


def put(session: Session, project_id: int, content: dict[str, Any] | None) -> None:
    """Insert or replace what is counted of a project, or remove it."""
    if content is None:
        overview = tables.Overview
        session.execute(delete(overview).where(overview.project_id == project_id))
        return
    row = {"project_id": project_id, "counted_at": tables.now(), "content": content}
    inserts.put(session, tables.Overview, [row], keys=("project_id",))

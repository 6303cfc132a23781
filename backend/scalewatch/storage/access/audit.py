"""Queries on the audit log."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database.inserts import Row


def add(session: Session, row: Row) -> None:
    """Insert an administrative change."""
    session.add(tables.AuditEntry(**row))


def newest(
    session: Session, project: str | None, *, limit: int, before: int | None = None
) -> Sequence[tables.AuditEntry]:
    """Return the changes to a project, or all, newest first: those before an id."""
    wanted = (
        select(tables.AuditEntry).order_by(tables.AuditEntry.id.desc()).limit(limit)
    )
    if project is not None:
        wanted = wanted.where(tables.AuditEntry.project == project)
    if before is not None:
        wanted = wanted.where(tables.AuditEntry.id < before)
    return session.scalars(wanted).all()

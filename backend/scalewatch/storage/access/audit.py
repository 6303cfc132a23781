"""Queries on the audit log."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database.inserts import Row


def add(session: Session, row: Row) -> None:
    """Insert an administrative change."""
    session.add(tables.Deed(**row))


def newest(
    session: Session, project: str | None, *, limit: int, before: int | None = None
) -> Sequence[tables.Deed]:
    """Return the changes to a project, or all, newest first: those before an id."""
    wanted = select(tables.Deed).order_by(tables.Deed.id.desc()).limit(limit)
    if project is not None:
        wanted = wanted.where(tables.Deed.project == project)
    if before is not None:
        wanted = wanted.where(tables.Deed.id < before)
    return session.scalars(wanted).all()

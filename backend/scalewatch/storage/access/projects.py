"""Queries on projects."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import bindparam, func, select, update
from sqlalchemy.orm import Session

from scalewatch.errors import NotFound
from scalewatch.storage import tables
from scalewatch.storage.database.inserts import insert_missing
from scalewatch.storage.database.snapshots import once

# Built once: SQLAlchemy needs longer to build a statement than SQLite to run it.
_NAMED: Final = select(tables.Project).where(tables.Project.name == bindparam("name"))


def listed(session: Session) -> Sequence[tables.Project]:
    """Return all projects by name."""
    return session.scalars(select(tables.Project).order_by(tables.Project.name)).all()


def named(session: Session, name: str) -> tables.Project | None:
    """Return the project of this name."""
    bound = {"name": name}
    return once(session, ("project", name), lambda: session.scalar(_NAMED, bound))


def existing(session: Session, name: str) -> tables.Project:
    """Return the project of this name.

    Raises
    ------
    NotFound
        If no run of such a project was ever posted.
    """
    project = named(session, name)
    if project is None:
        raise NotFound("project", name)
    return project


def find_or_create(session: Session, name: str) -> tables.Project:
    """Return the project of this name, new or not."""
    project = named(session, name)
    if project is None:
        insert_missing(session, tables.Project, [{"name": name}])
        project = existing(session, name)
    return project


def note_repository(session: Session, project_id: int, repository: str) -> None:
    """Keep where the code of a project lies, as its first run says that tells it."""
    session.execute(
        update(tables.Project)
        .where(tables.Project.id == project_id, tables.Project.repository.is_(None))
        .values(repository=repository)
    )


def is_found(session: Session, project_id: int) -> bool:
    """Tell whether a project is there, and the session can find it."""
    wanted = select(tables.Project.id).where(tables.Project.id == project_id)
    return session.scalar(wanted) is not None


def lock(session: Session, project_id: int) -> None:
    """Take a lock of this name until the transaction ends.

    On SQLite a writing transaction has the database to itself in any case.
    """
    session.execute(
        select(tables.Project.id)
        .where(tables.Project.id == project_id)
        .with_for_update()
    )


def count(session: Session) -> int:
    """Return how many projects there are."""
    return session.scalar(select(func.count()).select_from(tables.Project)) or 0

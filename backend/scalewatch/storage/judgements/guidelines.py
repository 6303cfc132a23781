"""Queries on the guidelines of projects and their versions."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables

_NEWEST: Final = (
    select(tables.Guidelines)
    .where(tables.Guidelines.project_id == bindparam("project"))
    .order_by(tables.Guidelines.version.desc())
    .limit(1)
)


def newest(session: Session, project_id: int) -> tables.Guidelines | None:
    """Return the version in force; None if none was ever declared."""
    return session.scalar(_NEWEST, {"project": project_id})


def add(
    session: Session,
    project_id: int,
    rules: Sequence[str],
    *,
    author: str,
    reason: str | None,
) -> int:
    """Insert a new version and return its number."""
    known = newest(session, project_id)
    version = 1 if known is None else known.version + 1
    session.add(
        tables.Guidelines(
            project_id=project_id,
            version=version,
            rules=list(rules),
            author=author,
            reason=reason,
        )
    )
    session.flush()
    return version

"""Queries on the guidelines of projects and their versions."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from scalewatch.storage import tables


def newest(session: Session, project_id: int) -> tables.Guidelines | None:
    """Return the version in force; None if none was ever declared."""
    return session.scalar(
        select(tables.Guidelines)
        .where(tables.Guidelines.project_id == project_id)
        .order_by(tables.Guidelines.version.desc())
        .limit(1)
    )


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

"""Queries on the rules of gates and their versions."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database.session import once

SCALE = "scale"
"""Under this name rules say over which scale a project is read."""


def newest(session: Session, project_id: int) -> tables.GateRules | None:
    """Return the version in force; None if none was ever declared."""
    rules = (
        select(tables.GateRules)
        .where(tables.GateRules.project_id == project_id)
        .order_by(tables.GateRules.version.desc())
        .limit(1)
    )
    return once(session, ("gate rules", project_id), lambda: session.scalar(rules))


def scale_of(session: Session, project_id: int) -> str | None:
    """Return the parallel scale that a project prefers as an axis, if it says one."""
    row = newest(session, project_id)
    return None if row is None else row.rules.get(SCALE)


def add(session: Session, project_id: int, row: dict[str, Any]) -> tables.GateRules:
    """Insert a new version and return it."""
    known = newest(session, project_id)
    version = 1 if known is None else known.version + 1
    added = tables.GateRules(project_id=project_id, version=version, **row)
    session.add(added)
    session.flush()
    return added

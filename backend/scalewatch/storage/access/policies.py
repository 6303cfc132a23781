"""Queries on how projects are treated."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database import bulk


def of_project(session: Session, project_id: int) -> tables.Policy:
    """Return a project's policy; the default policy where none was set."""
    declared = session.get(tables.Policy, project_id)
    return declared or tables.Policy(project_id=project_id, is_private=False)


def change(session: Session, project_id: int, changed: Mapping[str, Any]) -> None:
    """Change some columns of a project's policy."""
    is_private = of_project(session, project_id).is_private
    row = {"project_id": project_id, "is_private": is_private, **changed}
    bulk.put(session, tables.Policy, [row], keys=("project_id",))

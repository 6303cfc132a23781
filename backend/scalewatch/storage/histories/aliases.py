"""Queries on former names of regions."""

from collections.abc import Mapping
from typing import Final

from sqlalchemy import bindparam, delete, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database.snapshots import once

_ALIAS: Final = tables.Alias.__table__.c
_OF_PROJECT: Final = select(_ALIAS.former, _ALIAS.name).where(
    _ALIAS.project_id == bindparam("project")
)


def of_project(session: Session, project_id: int) -> dict[str, str]:
    """Return the present name of each region that had another one."""
    return once(
        session,
        ("aliases", project_id),
        lambda: dict(session.execute(_OF_PROJECT, {"project": project_id}).all()),
    )


def replace(session: Session, project_id: int, names: Mapping[str, str]) -> None:
    """Store former and present names in place of those before."""
    session.execute(delete(tables.Alias).where(tables.Alias.project_id == project_id))
    session.add_all(
        tables.Alias(project_id=project_id, former=former, name=name)
        for former, name in names.items()
    )
    session.flush()

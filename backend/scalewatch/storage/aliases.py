"""Queries on former names of regions."""

from collections.abc import Mapping

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables


def of_project(session: Session, project_id: int) -> dict[str, str]:
    """Return the present name of each region that had another one."""
    rows = session.execute(
        select(tables.Alias.former, tables.Alias.name).where(
            tables.Alias.project_id == project_id
        )
    )
    return dict(rows.all())


def replace(session: Session, project_id: int, names: Mapping[str, str]) -> None:
    """Store former and present names in place of those before."""
    session.execute(delete(tables.Alias).where(tables.Alias.project_id == project_id))
    session.add_all(
        tables.Alias(project_id=project_id, former=former, name=name)
        for former, name in names.items()
    )

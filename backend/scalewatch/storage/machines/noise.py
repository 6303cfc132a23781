"""Queries on what was assumed of the noise of machines, by commit."""

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database import bulk
from scalewatch.storage.database.inserts import Row
from scalewatch.storage.database.lists import is_among

_LEARNED: Final = ("machine_id", "metric", "conditions", "commit_id")
_ASSUMED: Final = ("commit_id", "machine_id", "metric")

# Built once: SQLAlchemy needs longer to build a statement than SQLite to run it.
_KEPT: Final = select(tables.Noise).where(
    tables.Noise.machine_id == bindparam("machine"),
    tables.Noise.metric == bindparam("metric"),
    tables.Noise.conditions == bindparam("conditions"),
    is_among(tables.Noise.__table__.c.commit_id, "commits"),
)


def learned_at(
    session: Session,
    machine_id: int,
    metric: str,
    conditions: str,
    commit_ids: Collection[int],
) -> dict[int, tables.Noise]:
    """Return what commits keep as learned under these conditions, by their ids."""
    bound = {"machine": machine_id, "metric": metric, "conditions": conditions}
    rows = session.scalars(_KEPT, {**bound, "commits": [*commit_ids]})
    return {row.commit_id: row for row in rows}


def keep(session: Session, rows: Sequence[Row]) -> None:
    """Insert or replace what commits keep as learned."""
    bulk.put(session, tables.Noise, rows, keys=_LEARNED)


def assumed(session: Session, machine_id: int, commit_id: int) -> dict[str, Any]:
    """Return what models assume of the noise of each metric of a machine."""
    rows = session.execute(
        select(tables.Assumption.metric, tables.Assumption.noise).where(
            tables.Assumption.commit_id == commit_id,
            tables.Assumption.machine_id == machine_id,
        )
    )
    return dict(rows.all())


def assume(session: Session, rows: Sequence[Row]) -> None:
    """Insert or replace what models assume of the noise."""
    bulk.put(session, tables.Assumption, rows, keys=_ASSUMED)

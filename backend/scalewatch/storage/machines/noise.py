"""Queries on what was assumed of the noise of machines, by commit."""

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database import bulk
from scalewatch.storage.database.inserts import Row

_LEARNED: Final = ("machine_id", "metric", "conditions", "commit_id")
_ASSUMED: Final = ("commit_id", "machine_id", "metric")


def learned_at(
    session: Session,
    machine_id: int,
    metric: str,
    conditions: str,
    commit_ids: Collection[int],
) -> dict[int, tables.Noise]:
    """Return what commits keep as learned under these conditions, by their ids."""
    rows = session.scalars(
        select(tables.Noise).where(
            tables.Noise.machine_id == machine_id,
            tables.Noise.metric == metric,
            tables.Noise.conditions == conditions,
            tables.Noise.commit_id.in_(commit_ids),
        )
    )
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

"""Queries on what was assumed of the noise of machines, by commit."""

from collections.abc import Collection, Sequence
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.inserts import Row, upsert

_KEYS: Final = ("machine_id", "metric", "conditions", "commit_id")


def assumed_at(
    session: Session,
    machine_id: int,
    metric: str,
    conditions: str,
    commit_ids: Collection[int],
) -> dict[int, tables.Noise]:
    """Return what was assumed under these conditions at commits, by their ids."""
    rows = session.scalars(
        select(tables.Noise).where(
            tables.Noise.machine_id == machine_id,
            tables.Noise.metric == metric,
            tables.Noise.conditions == conditions,
            tables.Noise.commit_id.in_(commit_ids),
        )
    )
    return {row.commit_id: row for row in rows}


def put(session: Session, rows: Sequence[Row]) -> None:
    """Insert or replace what is assumed of the noise at commits."""
    upsert(session, tables.Noise, rows, keys=_KEYS)

"""How the repetitions of a run were taken, as one compressed blob.

The blob is a JSON object compressed by Zstandard: by the id of a series, what the agent
told of its measurement. Most of that repeats within a run, and little of it is ever
asked for.
"""

from collections.abc import Collection, Mapping
from typing import Any

import orjson
import zstandard
from sqlalchemy import select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database import inserts

Procedures = Mapping[int, Mapping[str, Any]]
"""By the id of a series."""

_LEVEL = 3


def add(session: Session, run_id: int, procedures: Procedures) -> None:
    """Insert the procedures of a run, if it has any."""
    if procedures:
        row = {"run_id": run_id, "blob": encode(procedures)}
        inserts.add(session, tables.Procedure, [row])


def of_runs(session: Session, run_ids: Collection[int]) -> dict[int, Procedures]:
    """Return the procedures of runs; those without any have none."""
    rows = session.execute(
        select(tables.Procedure.run_id, tables.Procedure.blob).where(
            tables.Procedure.run_id.in_(run_ids)
        )
    )
    return {run_id: decode(blob) for run_id, blob in rows}


def encode(procedures: Procedures) -> bytes:
    """Return procedures as a blob."""
    content = orjson.dumps(procedures, option=orjson.OPT_NON_STR_KEYS)
    return zstandard.compress(content, _LEVEL)


def decode(blob: bytes) -> Procedures:
    """Return the procedures of a blob."""
    content = orjson.loads(zstandard.decompress(blob))
    return {int(series_id): text for series_id, text in content.items()}

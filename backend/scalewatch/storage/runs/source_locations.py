"""Where regions lie in the source: file, line, caller of each region of a run.

Names of regions hold no line, which moves with every commit; here it stands by run, in
one blob: a JSON object by region, compressed by Zstandard.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
import zstandard
from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database import inserts

_LEVEL = 3


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """The place of a region in the source; what nobody knows is None."""

    file: str | None = None
    line: int | None = None
    function: str | None = None
    call_path: str | None = None

    @property
    def label(self) -> str:
        """`sweep.c:73`, or as much of it as is known."""
        if self.file is None:
            return self.function or ""
        return self.file if self.line is None else f"{self.file}:{self.line}"


def encode(locations: Mapping[str, Mapping[str, Any]]) -> bytes:
    """Return the fields of locations by region as a blob."""
    return zstandard.compress(orjson.dumps(locations), _LEVEL)


def add(session: Session, run_id: int, blob: bytes) -> None:
    """Insert the locations of a run."""
    inserts.add(session, tables.SourceLocations, [{"run_id": run_id, "blob": blob}])


def of_region(session: Session, commit_id: int, region: str) -> SourceLocation | None:
    """Return where a region lies at a commit, as the newest run that tells has it."""
    for blob in session.scalars(_blobs(commit_id).order_by(tables.Run.id.desc())):
        if (fields := _decoded(blob).get(region)) is not None:
            return SourceLocation(**fields)
    return None


def at_commit(session: Session, commit_id: int) -> dict[str, SourceLocation]:
    """Return where regions lie at a commit, as the newest run that tells has it."""
    rows = session.scalars(_blobs(commit_id).order_by(tables.Run.id))
    return {
        region: SourceLocation(**fields)
        for blob in rows
        for region, fields in _decoded(blob).items()
    }


def _blobs(commit_id: int) -> Select[Any]:
    return (
        select(tables.SourceLocations.blob)
        .join(tables.Run, tables.Run.id == tables.SourceLocations.run_id)
        .where(tables.Run.commit_id == commit_id)
    )


def _decoded(blob: bytes) -> dict[str, dict[str, Any]]:
    fields: dict[str, dict[str, Any]] = orjson.loads(zstandard.decompress(blob))
    return fields

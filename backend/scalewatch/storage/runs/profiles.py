"""Profiles: the seconds of each function of a run, as one compressed blob.

The blob is a JSON object compressed by Zstandard; JSON writes the shortest decimal
that reads back as the same number, so that nothing is lost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import orjson
import zstandard
from sqlalchemy import bindparam, exists, func, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database import inserts

_LEVEL = 3

_PROJECT: Final = (
    select(tables.Commit.project_id)
    .join(tables.Run, tables.Run.commit_id == tables.Commit.id)
    .where(tables.Run.id == tables.Profile.run_id)
    .correlate(tables.Profile)
    .scalar_subquery()
)

# From profiles to their project, not from a project to all of its runs: most have none.
_IS_PROFILED: Final = select(
    exists(select(tables.Profile.run_id).where(bindparam("project") == _PROJECT))
)


@dataclass(frozen=True, slots=True)
class ProfiledRun:
    """A run that was profiled: where it ran, and its profile still encoded."""

    uuid: UUID
    machine: str
    coordinate: Mapping[str, Any]
    configuration: Mapping[str, Any]
    blob: bytes


def encode(seconds: Mapping[str, float]) -> bytes:
    """Return seconds by function as a blob."""
    return zstandard.compress(orjson.dumps(seconds), _LEVEL)


def decode(blob: bytes) -> dict[str, float]:
    """Return the seconds by function of a blob."""
    seconds: dict[str, float] = orjson.loads(zstandard.decompress(blob))
    return seconds


def add(session: Session, run_id: int, blob: bytes) -> None:
    """Insert the profile of a run."""
    inserts.add(session, tables.Profile, [{"run_id": run_id, "blob": blob}])


def at_commit(session: Session, commit_id: int) -> Sequence[ProfiledRun]:
    """Return the profiled runs of a commit, in the order in which they came."""
    rows = session.execute(
        select(
            tables.Run.uuid,
            tables.Machine.name,
            tables.Run.coordinate,
            tables.Configuration.settings,
            tables.Profile.blob,
        )
        .join(tables.Machine, tables.Machine.id == tables.Run.machine_id)
        .join(
            tables.Configuration, tables.Configuration.id == tables.Run.configuration_id
        )
        .join(tables.Profile, tables.Profile.run_id == tables.Run.id)
        .where(tables.Run.commit_id == commit_id)
        .order_by(tables.Run.id)
    )
    return [ProfiledRun(*row) for row in rows]


def of_run(session: Session, run_id: int) -> Mapping[str, float]:
    """Return the seconds by function of a run, nothing if it was not profiled."""
    blob = session.scalar(
        select(tables.Profile.blob).where(tables.Profile.run_id == run_id)
    )
    return {} if blob is None else decode(blob)


def is_profiled(session: Session, project_id: int) -> bool:
    """Tell whether any run of a project was profiled."""
    return bool(session.scalar(_IS_PROFILED, {"project": project_id}))


def commits_of(session: Session, project_id: int) -> Sequence[tables.Commit]:
    """Return the commits of a project that were profiled, the last one first."""
    last = (
        select(tables.Run.commit_id, func.max(tables.Run.id).label("run_id"))
        .join(tables.Profile, tables.Profile.run_id == tables.Run.id)
        .group_by(tables.Run.commit_id)
        .subquery()
    )
    return session.scalars(
        select(tables.Commit)
        .join(last, last.c.commit_id == tables.Commit.id)
        .where(tables.Commit.project_id == project_id)
        .order_by(last.c.run_id.desc())
    ).all()

"""Queries on where commits were measured, and how often."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from scalewatch.storage import tables


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Where a machine measured a commit."""

    commit_id: int
    machine: str
    coordinate: dict[str, int | float]


class Repeated(NamedTuple):
    """What was measured at one coordinate, and by how many jobs."""

    suite: str
    coordinate: dict[str, int | float]
    configuration: dict[str, Any]
    jobs: int


def coordinates_of(
    session: Session, commit_ids: Sequence[int]
) -> Sequence[Coordinates]:
    """Return where each commit was measured, once each, by their first runs."""
    rows = session.execute(
        select(
            tables.Run.commit_id,
            tables.Machine.name,
            tables.Run.coordinate,
        )
        .join(tables.Machine, tables.Machine.id == tables.Run.machine_id)
        .where(tables.Run.commit_id.in_(commit_ids))
        .order_by(tables.Run.id)
    )
    distinct = dict.fromkeys(
        (commit_id, machine, tuple(sorted(coordinate.items())))
        for commit_id, machine, coordinate in rows
    )
    return [
        Coordinates(commit_id, machine, dict(coordinate))
        for commit_id, machine, coordinate in distinct
    ]


def repeated(session: Session, commit_id: int, machine_id: int) -> list[Repeated]:
    """Return how often a machine measured a commit, by suite and coordinate."""
    rows = session.execute(
        select(tables.Run.suite, tables.Run.coordinate, tables.Configuration.settings)
        .join(
            tables.Configuration,
            tables.Configuration.id == tables.Run.configuration_id,
        )
        .where(tables.Run.commit_id == commit_id, tables.Run.machine_id == machine_id)
        .order_by(tables.Run.id)
    ).all()
    counts = Counter(map(repr, rows))
    distinct = {repr(row): row for row in rows}
    return [
        Repeated(suite, coordinate, settings, counts[key])
        for key, (suite, coordinate, settings) in distinct.items()
    ]


def jobs_of(session: Session, commit_id: int, machine: str) -> dict[str, int]:
    """Return how many runs measured a commit on a machine at each coordinate."""
    rows = session.scalars(
        select(tables.Run.coordinate)
        .join(tables.Machine, tables.Machine.id == tables.Run.machine_id)
        .where(tables.Run.commit_id == commit_id, tables.Machine.name == machine)
        .order_by(tables.Run.id)
    )
    counts: dict[str, int] = {}
    for coordinate in rows:
        name = ",".join(f"{key}={value}" for key, value in sorted(coordinate.items()))
        counts[name] = counts.get(name, 0) + 1
    return counts


def commits_on(session: Session, machine_id: int) -> Sequence[int]:
    """Return the ids of the commits that a machine measured."""
    wanted = select(tables.Run.commit_id).where(tables.Run.machine_id == machine_id)
    return session.scalars(wanted.distinct()).all()

"""Queries on where commits were measured, and how often."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Text, cast, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables


class Coordinates(NamedTuple):
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
            cast(tables.Run.coordinate, Text),
        )
        .join(tables.Machine, tables.Machine.id == tables.Run.machine_id)
        .where(tables.Run.commit_id.in_(commit_ids))
        .order_by(tables.Run.id)
    ).all()
    # Thousands of runs are at a few coordinates: each is read once.
    known = {text: _place(text) for text in {text for _, _, text in rows}}
    coordinates = {place: dict(place) for place in known.values()}
    distinct = dict.fromkeys((number, name, known[text]) for number, name, text in rows)
    return [
        Coordinates(commit_id, machine, coordinates[place])
        for commit_id, machine, place in distinct
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


def _place(coordinate: str) -> tuple[tuple[str, int | float], ...]:
    return tuple(sorted(orjson.loads(coordinate).items()))

"""Queries on where commits were measured, and how often."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Text, cast, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables

Place = tuple[tuple[str, int | float], ...]


class Coordinates(NamedTuple):
    """Where a machine measured a commit."""

    commit_id: int
    machine: str
    coordinate: dict[str, int | float]


class MeasuredCoordinate(NamedTuple):
    """A coordinate at which a suite was measured, and the number of jobs that did."""

    suite: str
    coordinate: dict[str, int | float]
    configuration: dict[str, Any]
    jobs: int


def coordinates_of(
    session: Session, commit_ids: Sequence[int]
) -> Sequence[Coordinates]:
    """Return the distinct coordinates of each commit, by their first runs."""
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
    # Thousands of runs share a few coordinates: decode each coordinate once.
    known = {text: _place(text) for text in {text for _, _, text in rows}}
    coordinates = {place: dict(place) for place in known.values()}
    distinct = dict.fromkeys((number, name, known[text]) for number, name, text in rows)
    return [
        Coordinates(commit_id, machine, coordinates[place])
        for commit_id, machine, place in distinct
    ]


def repeated(
    session: Session, commit_id: int, machine_id: int
) -> list[MeasuredCoordinate]:
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
        MeasuredCoordinate(suite, coordinate, settings, counts[key])
        for key, (suite, coordinate, settings) in distinct.items()
    ]


def jobs_of(session: Session, commit_id: int, series_id: int) -> Counter[Place]:
    """Return in how many runs a series succeeded at each coordinate of a commit."""
    rows = session.scalars(
        select(cast(tables.Run.coordinate, Text))
        .join(tables.Point, tables.Point.run_id == tables.Run.id)
        .where(
            tables.Run.commit_id == commit_id,
            tables.Point.series_id == series_id,
            tables.Point.count > 0,
        )
    )
    return Counter(map(_place, rows))


def runs_by_series(
    session: Session, commit_id: int, machine_id: int
) -> dict[int, list[int]]:
    """Return the runs of a commit on a machine by the series that succeeded in them."""
    rows = session.execute(
        select(tables.Point.series_id, tables.Point.run_id)
        .join(tables.Run, tables.Run.id == tables.Point.run_id)
        .where(
            tables.Run.commit_id == commit_id,
            tables.Run.machine_id == machine_id,
            tables.Point.count > 0,
        )
        .order_by(tables.Point.run_id)
    )
    runs: dict[int, list[int]] = defaultdict(list)
    for series_id, run_id in rows:
        runs[series_id].append(run_id)
    return runs


def commits_on(session: Session, machine_id: int) -> Sequence[int]:
    """Return the ids of the commits that a machine measured."""
    wanted = select(tables.Run.commit_id).where(tables.Run.machine_id == machine_id)
    return session.scalars(wanted.distinct()).all()


def _place(coordinate: str) -> Place:
    return tuple(sorted(orjson.loads(coordinate).items()))

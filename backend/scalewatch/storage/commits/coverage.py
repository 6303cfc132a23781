"""Queries on what was measured of commits: where, how often, and how well."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Row, Text, case, cast, exists, func, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.commits.commits import TIME


@dataclass(frozen=True, slots=True)
class RunCounts:
    """How much a run brought."""

    commit_id: int
    coordinate: dict[str, Any]
    received_at: datetime
    results: int
    failures: int


def newest_commits(
    session: Session, machine: tables.Machine, limit: int
) -> Sequence[tables.Commit]:
    """Return the commits that a machine measured, newest first."""
    # Scan from the newest commit: the answer is nearly always among the first few.
    is_measured = exists().where(
        tables.Run.commit_id == tables.Commit.id, tables.Run.machine_id == machine.id
    )
    return session.scalars(
        select(tables.Commit)
        .where(tables.Commit.project_id == machine.project_id, is_measured)
        .order_by(TIME.desc(), tables.Commit.id.desc())
        .limit(limit)
    ).all()


def runs_of(
    session: Session, machine_id: int, commit_ids: Sequence[int]
) -> list[RunCounts]:
    """Return how much each run brought, oldest first."""
    rows = session.execute(
        select(
            tables.Run.commit_id,
            tables.Run.coordinate,
            tables.Run.received_at,
            func.count(),
            func.sum(case((tables.Point.count == 0, 1), else_=0)),
        )
        .join(tables.Point, tables.Point.run_id == tables.Run.id)
        .where(
            tables.Run.machine_id == machine_id, tables.Run.commit_id.in_(commit_ids)
        )
        .group_by(tables.Run.id)
        .order_by(tables.Run.id)
    )
    return [RunCounts(*row) for row in rows]


def spreads(
    session: Session, machine_id: int, commit_id: int
) -> Sequence[Row[str, str, float | None, float | None, float | None]]:
    """Return region, metric, median and quartile distances of repeated measurements."""
    return session.execute(
        select(
            tables.Series.region,
            tables.Series.metric,
            tables.Point.q50,
            tables.Point.below,
            tables.Point.above,
        )
        .join(tables.Run, tables.Run.id == tables.Point.run_id)
        .join(tables.Series, tables.Series.id == tables.Point.series_id)
        .where(
            tables.Run.machine_id == machine_id,
            tables.Run.commit_id == commit_id,
            tables.Point.count > 1,
        )
        .order_by(tables.Series.region, tables.Run.id)
    ).all()


def regions_on(session: Session, machine_id: int, commit_id: int) -> set[str]:
    """Return the regions that a machine measured of a commit."""
    regions = session.scalars(
        select(tables.Series.region)
        .join(tables.Point, tables.Point.series_id == tables.Series.id)
        .join(tables.Run, tables.Run.id == tables.Point.run_id)
        .where(tables.Run.machine_id == machine_id, tables.Run.commit_id == commit_id)
        .distinct()
    )
    return set(regions)


class Spent(NamedTuple):
    """A run, how it was scheduled, and the repetitions' sum of times by unit."""

    run_id: int
    coordinate: dict[str, int | float]
    scheduler_job: dict[str, Any] | None
    times: dict[str, float]


def spent(session: Session, commit_id: int, machine_id: int) -> Sequence[Spent]:
    """Return what each run of a commit on a machine took, oldest first."""
    mine = (tables.Run.commit_id == commit_id, tables.Run.machine_id == machine_id)
    sums = session.execute(
        select(
            tables.Point.run_id,
            tables.Series.unit,
            func.sum(tables.Point.count * tables.Point.q50),
        )
        .join(tables.Run, tables.Run.id == tables.Point.run_id)
        .join(tables.Series, tables.Series.id == tables.Point.series_id)
        .where(*mine, tables.Series.metric == "time")
        .group_by(tables.Point.run_id, tables.Series.unit)
    )
    times: dict[int, dict[str, float]] = defaultdict(dict)
    for run_id, unit, total in sums:
        times[run_id][unit] = float(total or 0)
    rows = session.execute(
        select(tables.Run.id, tables.Run.coordinate, tables.Run.scheduler_job)
        .where(*mine)
        .order_by(tables.Run.id)
    )
    return [Spent(run_id, at, job, times[run_id]) for run_id, at, job in rows]


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

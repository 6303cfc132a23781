"""Queries on what a machine measured of each commit, and how well."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Row, case, exists, func, select
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


def regions_at(session: Session, commit_id: int) -> dict[int, set[str]]:
    """Return the regions that each machine measured of a commit, by its id."""
    regions: dict[int, set[str]] = {}
    rows = session.execute(
        select(tables.Series.machine_id, tables.Series.region)
        .join(tables.Point, tables.Point.series_id == tables.Series.id)
        .join(tables.Run, tables.Run.id == tables.Point.run_id)
        .where(tables.Run.commit_id == commit_id)
        .distinct()
    )
    for machine_id, region in rows:
        regions.setdefault(machine_id, set()).add(region)
    return regions


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

"""Queries on what was measured at a commit: series, runs and their points.

A page shows thousands of points: they are read as columns, without joins that
repeat the series and the run of each.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Row, case, func, or_, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables


@dataclass(frozen=True, slots=True)
class Place:
    """A run as a point in parameter space."""

    uuid: UUID
    coordinate: dict[str, Any]


@dataclass(frozen=True, slots=True)
class MeasuredSeries:
    """A series with its machine and what it holds fixed."""

    series: tables.Series
    machine: tables.Machine
    settings: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Summary:
    """A point: how many repetitions, and their quantiles."""

    series_id: int
    run_id: int
    count: int
    minimum: float | None
    q25: float | None
    q50: float | None
    q75: float | None
    q95: float | None
    mean: float | None
    flags: int
    reason: str | None


def series_at(
    session: Session, commit_id: int, metric: str, region: str | None = None
) -> Sequence[MeasuredSeries]:
    """Return the series of a metric measured at a commit, of one region or of all."""
    measured = (
        select(tables.Point.series_id)
        .join(tables.Run, tables.Run.id == tables.Point.run_id)
        .where(tables.Run.commit_id == commit_id)
    )
    series = (
        select(tables.Series, tables.Machine, tables.Configuration.settings)
        .join(tables.Machine, tables.Machine.id == tables.Series.machine_id)
        .join(
            tables.Configuration,
            tables.Configuration.id == tables.Series.configuration_id,
        )
        .where(tables.Series.metric == metric, tables.Series.id.in_(measured))
        .order_by(tables.Series.id)
    )
    if region is not None:
        series = series.where(tables.Series.region == region)
    return [MeasuredSeries(*row) for row in session.execute(series)]


def places_at(session: Session, commit_id: int) -> Mapping[int, Place]:
    """Return where each run of a commit measured."""
    runs = session.execute(
        select(tables.Run.id, tables.Run.uuid, tables.Run.coordinate).where(
            tables.Run.commit_id == commit_id
        )
    )
    return {run_id: Place(uuid, coordinate) for run_id, uuid, coordinate in runs}


def summaries_at(
    session: Session, commit_id: int, metric: str, region: str | None = None
) -> Sequence[Summary]:
    """Return the points of a metric at a commit, of one region or of all."""
    columns = (getattr(tables.Point, field.name) for field in fields(Summary))
    points = (
        select(*columns)
        .join(tables.Run, tables.Run.id == tables.Point.run_id)
        .join(tables.Series, tables.Series.id == tables.Point.series_id)
        .where(tables.Run.commit_id == commit_id, tables.Series.metric == metric)
        .order_by(tables.Point.series_id, tables.Point.run_id)
    )
    if region is not None:
        points = points.where(tables.Series.region == region)
    return [Summary(*row) for row in session.execute(points)]


class Noted(NamedTuple):
    """A point of a series of which one has to know something."""

    series_id: int
    run_id: int
    repetitions: int
    flags: int
    reason: str | None


def taken_at(
    session: Session, commit_id: int, metrics: Collection[str]
) -> Sequence[Row[Any]]:
    """Return the series of some metrics that were measured at a commit, and how often.

    Beside the columns of the series stand `runs` with results, the fewest
    `repetitions` in one, and whether any is `noted`: it failed, or raises a flag.
    """
    point = tables.Point
    succeeded = func.nullif(point.count, 0)
    is_noted = or_(point.count == 0, point.flags != 0)
    taken = (
        select(
            point.series_id,
            func.count(succeeded).label("runs"),
            func.min(succeeded).label("repetitions"),
            func.max(case((is_noted, 1), else_=0)).label("noted"),
        )
        .join(tables.Run, tables.Run.id == point.run_id)
        .where(tables.Run.commit_id == commit_id)
        .group_by(point.series_id)
        .subquery()
    )
    how_often = (taken.c.runs, taken.c.repetitions, taken.c.noted)
    columns: Sequence[Any] = (*tables.Series.__table__.columns, *how_often)
    return session.execute(
        select(*columns)
        .join(taken, taken.c.series_id == tables.Series.id)
        .where(tables.Series.metric.in_(metrics))
        .order_by(tables.Series.id)
    ).all()


def notes_on(session: Session, commit_id: int, series: Collection[int]) -> list[Noted]:
    """Return all points of some series at a commit, with their flags and reasons."""
    point = tables.Point
    columns = (point.series_id, point.run_id, point.count, point.flags, point.reason)
    wanted = (
        select(*columns)
        .join(tables.Run, tables.Run.id == point.run_id)
        .where(tables.Run.commit_id == commit_id, point.series_id.in_(series))
    )
    return list(map(Noted._make, session.execute(wanted)))


def middles_of(
    session: Session, commit_id: int, series: Collection[int]
) -> Sequence[Row[int, int, float | None]]:
    """Return series, run and median of what was measured of some series."""
    return session.execute(
        select(tables.Point.series_id, tables.Point.run_id, tables.Point.q50)
        .join(tables.Run, tables.Run.id == tables.Point.run_id)
        .where(tables.Run.commit_id == commit_id, tables.Point.series_id.in_(series))
    ).all()


def series_by_id(session: Session, ids: Collection[int]) -> Sequence[Row[Any]]:
    """Return the columns of series, in the order in which they appeared."""
    columns = tables.Series.__table__.columns
    return session.execute(
        select(*columns).where(tables.Series.id.in_(ids)).order_by(tables.Series.id)
    ).all()


def settings_of(session: Session, project_id: int) -> dict[int, dict[str, Any]]:
    """Return the settings of each configuration of a project."""
    rows = session.execute(
        select(tables.Configuration.id, tables.Configuration.settings).where(
            tables.Configuration.project_id == project_id
        )
    )
    return dict(rows.all())


def of_run(session: Session, run_id: int) -> Sequence[Row[tables.Point, tables.Series]]:
    """Return the points that one run brought, by region and metric."""
    return session.execute(
        select(tables.Point, tables.Series)
        .join(tables.Series, tables.Series.id == tables.Point.series_id)
        .where(tables.Point.run_id == run_id)
        .order_by(tables.Series.region, tables.Series.metric)
    ).all()


def metrics_at_commit(
    session: Session, commit_id: int, region: str | None = None
) -> Sequence[str]:
    """Return the metrics measured at a commit, of one region or of all."""
    metrics = (
        select(tables.Series.metric)
        .join(tables.Point, tables.Point.series_id == tables.Series.id)
        .join(tables.Run, tables.Run.id == tables.Point.run_id)
        .where(tables.Run.commit_id == commit_id)
        .distinct()
        .order_by(tables.Series.metric)
    )
    if region is not None:
        metrics = metrics.where(tables.Series.region == region)
    return session.scalars(metrics).all()


def places(
    session: Session, uuids: Iterable[UUID], region: str, metric: str
) -> Sequence[Row[UUID, int, int, int]]:
    """Return where the repetitions of a region's metric lie in the samples of runs.

    A row holds the uuid and the id of the run, start and count.
    """
    return session.execute(
        select(tables.Run.uuid, tables.Run.id, tables.Point.start, tables.Point.count)
        .join(tables.Point, tables.Point.run_id == tables.Run.id)
        .join(tables.Series, tables.Series.id == tables.Point.series_id)
        .where(tables.Run.uuid.in_(uuids))
        .where(tables.Series.region == region, tables.Series.metric == metric)
    ).all()

"""Queries on what was measured at a commit: series, runs and their points.

A page shows thousands of points: they are read as columns, without joins that
repeat the series and the run of each.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Select, bindparam, case, func, or_, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database.lists import among, is_among
from scalewatch.storage.database.session import once

_CONFIGURATION: Final = tables.Configuration.__table__
_POINT: Final = tables.Point.__table__
_RUN: Final = tables.Run.__table__
_SERIES: Final = tables.Series.__table__

# Built once: SQLAlchemy needs longer to build a statement than SQLite to run it.
_PLACES: Final = select(_RUN.c.id, _RUN.c.uuid, _RUN.c.coordinate).where(
    _RUN.c.commit_id == bindparam("commit")
)
_SETTINGS: Final = select(_CONFIGURATION.c.id, _CONFIGURATION.c.settings).where(
    _CONFIGURATION.c.project_id == bindparam("project")
)


_IS_OF_POINT: Final = _SERIES.c.id == _POINT.c.series_id

# A run measures series of its own machine. Where one region is asked for, this lets the
# database look up its few series for each run, instead of all that the run measured.
_IS_OF_RUN: Final = _IS_OF_POINT & (_SERIES.c.machine_id == _RUN.c.machine_id)


def _measured(wanted: str, *, given: str, joined: ColumnElement[bool]) -> Select[Any]:
    """Select a column of the series measured at a commit."""
    return (
        select(_SERIES.c[wanted])
        .select_from(_POINT)
        .join(_RUN, _RUN.c.id == _POINT.c.run_id)
        .join(_SERIES, joined)
        .where(
            _RUN.c.commit_id == bindparam("commit"),
            _SERIES.c[given] == bindparam(given),
        )
        .distinct()
        .order_by(_SERIES.c[wanted])
    )


_METRICS: Final = _measured("metric", given="region", joined=_IS_OF_RUN)
_REGIONS: Final = _measured("region", given="metric", joined=_IS_OF_POINT)


@dataclass(frozen=True, slots=True)
class RunCoordinate:
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
    q50: float | None
    below: float | None
    above: float | None
    q95: float | None
    mean: float | None
    flags: int
    reason: str | None


class Block(NamedTuple):
    """Series of some regions, or of all, on some machines, which have these ids."""

    regions: list[str] | None
    machines: list[int]


def series_at(
    session: Session, commit_id: int, metric: str, block: Block | None = None
) -> Sequence[MeasuredSeries]:
    """Return the series of a metric measured at a commit, of a block or all."""
    measured = (
        select(tables.Point.series_id)
        .join(tables.Run, tables.Run.id == tables.Point.run_id)
        .where(tables.Run.commit_id == commit_id)
    )
    if block is not None:
        measured = _within(measured.join(tables.Series, _IS_OF_RUN), block)
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
    return [MeasuredSeries(*row) for row in session.execute(series)]


def places_at(session: Session, commit_id: int) -> Mapping[int, RunCoordinate]:
    """Return where each run of a commit measured."""

    def read() -> Mapping[int, RunCoordinate]:
        runs = session.execute(_PLACES, {"commit": commit_id})
        return {
            run_id: RunCoordinate(uuid, coordinate) for run_id, uuid, coordinate in runs
        }

    return once(session, ("places", commit_id), read)


def summaries_at(
    session: Session, commit_id: int, metric: str, block: Block | None = None
) -> Sequence[Summary]:
    """Return the points of a metric at a commit, of a block or all."""
    columns = (getattr(tables.Point, field.name) for field in fields(Summary))
    points = (
        select(*columns)
        .join(tables.Run, tables.Run.id == tables.Point.run_id)
        .join(tables.Series, _IS_OF_POINT if block is None else _IS_OF_RUN)
        .where(tables.Run.commit_id == commit_id, tables.Series.metric == metric)
        .order_by(tables.Point.series_id, tables.Point.run_id)
    )
    if block is not None:
        points = _within(points, block)
    return [Summary(*row) for row in session.execute(points)]


def _within(statement: Select[Any], block: Block) -> Select[Any]:
    """Select of a statement that joins runs and series what is of a block."""
    statement = statement.where(among(tables.Run.machine_id, block.machines))
    if block.regions is None:
        return statement
    return statement.where(among(tables.Series.region, block.regions))


class Noted(NamedTuple):
    """A point that carries flags or a reason."""

    series_id: int
    run_id: int
    repetitions: int
    flags: int
    reason: str | None


class Middle(NamedTuple):
    """The median of a point."""

    series_id: int
    run_id: int
    median: float | None
    flags: int


class Taken(NamedTuple):
    """A series that was measured at a commit, and how often.

    Parameters
    ----------
    runs, repetitions
        How many have results of it, and the fewest repetitions in one.
    noted
        Whether a point of it failed, or raises a flag.
    failed
        Whether a point of it failed.
    """

    id: int
    machine_id: int
    configuration_id: int
    region: str
    metric: str
    unit: str
    better: str
    runs: int
    repetitions: int | None
    noted: int
    failed: int


def taken_at(
    session: Session, commit_id: int, block: Block | None = None
) -> list[Taken]:
    """Return the series that were measured at a commit, of a block or all."""

    def read() -> list[Taken]:
        bound = {"commit": commit_id, **(block._asdict() if block else {})}
        statement = _taken(
            of_block=block is not None,
            of_regions=block is not None and block.regions is not None,
        )
        rows = session.execute(statement, bound)
        return list(map(Taken._make, rows.all()))

    if block is not None:
        return read()
    return once(session, ("taken", commit_id), read)


@cache
def _taken(*, of_block: bool, of_regions: bool) -> Select[Any]:
    succeeded = func.nullif(_POINT.c.count, 0)
    is_noted = or_(_POINT.c.count == 0, _POINT.c.flags != 0)
    measured = (
        select(
            _POINT.c.series_id,
            func.count(succeeded).label("runs"),
            func.min(succeeded).label("repetitions"),
            func.max(case((is_noted, 1), else_=0)).label("noted"),
            func.max(case((_POINT.c.count == 0, 1), else_=0)).label("failed"),
        )
        .join(_RUN, _RUN.c.id == _POINT.c.run_id)
        .where(_RUN.c.commit_id == bindparam("commit"))
        .group_by(_POINT.c.series_id)
    )
    if of_block:
        measured = measured.join(_SERIES, _IS_OF_RUN).where(
            is_among(_RUN.c.machine_id, "machines")
        )
    if of_regions:
        measured = measured.where(is_among(_SERIES.c.region, "regions"))
    taken = measured.subquery()
    columns = {**_SERIES.c, **taken.c}
    return (
        select(*(columns[name] for name in Taken._fields))
        .join(taken, taken.c.series_id == _SERIES.c.id)
        .order_by(_SERIES.c.id)
    )


def notes_on(session: Session, commit_id: int, series: Collection[int]) -> list[Noted]:
    """Return the points of series at a commit, with their flags and reasons."""
    bound = {"commit": commit_id, "series": [*series]}
    return list(map(Noted._make, session.execute(_points(Noted._fields), bound).all()))


def middles_of(
    session: Session, commit_id: int, series: Collection[int]
) -> list[Middle]:
    """Return the median of each point of some series at a commit."""
    bound = {"commit": commit_id, "series": [*series]}
    return list(
        map(Middle._make, session.execute(_points(Middle._fields), bound).all())
    )


@cache
def _points(names: tuple[str, ...]) -> Select[Any]:
    columns = {**_POINT.c, "repetitions": _POINT.c.count, "median": _POINT.c.q50}
    return (
        select(*(columns[name] for name in names))
        .join(_RUN, _RUN.c.id == _POINT.c.run_id)
        .where(
            _RUN.c.commit_id == bindparam("commit"),
            # An expression: by the column SQLite would look up all series of each run.
            is_among(_POINT.c.series_id + 0, "series"),
        )
    )


def settings_of(session: Session, project_id: int) -> dict[int, dict[str, Any]]:
    """Return the settings of each configuration of a project."""
    return dict(session.execute(_SETTINGS, {"project": project_id}).all())


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
    if region is None:
        return sorted({each.metric for each in taken_at(session, commit_id)})
    bound = {"commit": commit_id, "region": region}
    return session.scalars(_METRICS, bound).all()


def regions_at(session: Session, commit_id: int, metric: str) -> Sequence[str]:
    """Return the regions of which a metric was measured at a commit, by name."""
    bound = {"commit": commit_id, "metric": metric}
    return session.scalars(_REGIONS, bound).all()

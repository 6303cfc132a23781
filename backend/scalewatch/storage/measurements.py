"""Queries on what was measured at a commit: points with their series and runs."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables

Measured = Row[
    tables.Point, tables.Series, tables.Machine, tables.Configuration, tables.Run
]


def at_commit(
    session: Session, commit_id: int, metric: str, region: str | None = None
) -> Sequence[Measured]:
    """Return the points of a metric at a commit, of one region or of all."""
    points = (
        select(
            tables.Point,
            tables.Series,
            tables.Machine,
            tables.Configuration,
            tables.Run,
        )
        .join(tables.Run, tables.Run.id == tables.Point.run_id)
        .join(tables.Series, tables.Series.id == tables.Point.series_id)
        .join(tables.Machine, tables.Machine.id == tables.Series.machine_id)
        .join(
            tables.Configuration,
            tables.Configuration.id == tables.Series.configuration_id,
        )
        .where(tables.Run.commit_id == commit_id)
        .where(tables.Series.metric == metric)
        .order_by(tables.Series.id, tables.Run.id)
    )
    if region is not None:
        points = points.where(tables.Series.region == region)
    return session.execute(points).all()


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

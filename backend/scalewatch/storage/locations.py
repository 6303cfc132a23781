"""Queries on locations: what histories are made of."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import orjson
from numpy.typing import NDArray
from sqlalchemy import Text, cast, exists, func, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.inserts import Row, upsert

Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """Where a series lay at commits that measured it alike.

    Parameters
    ----------
    fingerprint_id
        State of the machine.
    parameters, settings
        What varied, and where it was measured, n settings.
    commit_ids
        In no order.
    log
        Natural logarithms, shape (commits, n); NaN where missing.
    """

    series_id: int
    fingerprint_id: int
    parameters: tuple[str, ...]
    settings: tuple[tuple[float, ...], ...]
    commit_ids: tuple[int, ...]
    log: Reals


@dataclass(frozen=True, slots=True)
class Watched:
    """A series of a project, with what tells it from others."""

    id: int
    region: str
    metric: str
    better: str
    unit: str
    machine_id: int
    machine: str
    configuration_id: int
    configuration: dict[str, object]


def put(session: Session, rows: Sequence[Row]) -> None:
    """Insert or replace locations."""
    upsert(session, tables.Location, rows, keys=("series_id", "commit_id"))


def series_of(
    session: Session,
    project_id: int,
    *,
    regions: Sequence[str] = (),
    metric: str | None = None,
) -> Sequence[Watched]:
    """Return series of a project that have locations: of some regions, or all."""
    wanted = (
        select(
            tables.Series.id,
            tables.Series.region,
            tables.Series.metric,
            tables.Series.better,
            tables.Series.unit,
            tables.Series.machine_id,
            tables.Machine.name,
            tables.Series.configuration_id,
            tables.Configuration.settings,
        )
        .join(tables.Machine, tables.Machine.id == tables.Series.machine_id)
        .join(
            tables.Configuration,
            tables.Configuration.id == tables.Series.configuration_id,
        )
        .where(tables.Machine.project_id == project_id)
        .where(exists().where(tables.Location.series_id == tables.Series.id))
        .order_by(tables.Series.id)
    )
    if regions:
        wanted = wanted.where(tables.Series.region.in_(regions))
    if metric is not None:
        wanted = wanted.where(tables.Series.metric == metric)
    return [Watched(*row) for row in session.execute(wanted)]


def of_series(
    session: Session, series_ids: Sequence[int], commit_ids: Sequence[int]
) -> list[Located]:
    """Return the locations of series at commits, those measured alike together."""
    location = tables.Location.__table__.c
    alike = (
        location.series_id,
        location.fingerprint_id,
        cast(location.parameters, Text),
        cast(location.settings, Text),
    )
    rows = session.execute(
        select(
            *alike,
            # One row for hundreds: what the driver and JSON take for each is most of
            # reading. Both lists come in the same order, as the database meets them.
            func.aggregate_strings(cast(location.commit_id, Text), ","),
            func.aggregate_strings(cast(location.log, Text), ","),
        )
        .where(location.series_id.in_(series_ids), location.commit_id.in_(commit_ids))
        .group_by(*alike)
    )
    return [_located(*row) for row in rows]


def _located(  # noqa: PLR0913, PLR0917, one per column
    series_id: int,
    fingerprint_id: int,
    parameters: str,
    settings: str,
    commit_ids: str,
    logs: str,
) -> Located:
    return Located(
        series_id,
        fingerprint_id,
        tuple(orjson.loads(parameters)),
        tuple(map(tuple, orjson.loads(settings))),
        tuple(orjson.loads(f"[{commit_ids}]")),
        np.array(orjson.loads(f"[{logs}]"), float),
    )


def fingerprint_of(session: Session, commit_id: int, machine_id: int) -> int | None:
    """Return the state of a machine when it last measured a commit."""
    newest = (
        select(func.max(tables.Run.id))
        .where(tables.Run.commit_id == commit_id, tables.Run.machine_id == machine_id)
        .scalar_subquery()
    )
    return session.scalar(
        select(tables.Run.fingerprint_id).where(tables.Run.id == newest)
    )


def facts_of(
    session: Session, fingerprint_ids: Sequence[int]
) -> dict[int, dict[str, object]]:
    """Return what is known of states of machines."""
    rows = session.execute(
        select(tables.Fingerprint.id, tables.Fingerprint.facts).where(
            tables.Fingerprint.id.in_(fingerprint_ids)
        )
    )
    return dict(rows.all())

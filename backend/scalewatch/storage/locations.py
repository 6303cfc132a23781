"""Queries on locations: what histories are made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import orjson
from sqlalchemy import Text, cast, exists, func, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.inserts import Row, upsert


class Located(NamedTuple):
    """Where a series lay at a commit; `log` has one entry per row of `settings`."""

    series_id: int
    commit_id: int
    fingerprint_id: int
    parameters: tuple[str, ...]
    settings: tuple[tuple[float, ...], ...]
    log: list[float | None]


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
    """Return the locations of series at commits."""
    location = tables.Location.__table__.c
    rows = session.execute(
        select(
            location.series_id,
            location.commit_id,
            location.fingerprint_id,
            # As text: of parameters and settings there are few, and read together
            # logarithms take a third of the time.
            cast(location.parameters, Text),
            cast(location.settings, Text),
            cast(location.log, Text),
        ).where(location.series_id.in_(series_ids), location.commit_id.in_(commit_ids))
    ).all()
    if not rows:
        return []
    *keys, parameters, settings, logs = zip(*rows, strict=True)
    names = {text: tuple(orjson.loads(text)) for text in set(parameters)}
    places = {text: tuple(map(tuple, orjson.loads(text))) for text in set(settings)}
    return list(
        map(
            Located,
            *keys,
            map(names.__getitem__, parameters),
            map(places.__getitem__, settings),
            orjson.loads(f"[{','.join(logs)}]"),
        )
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

"""Queries on histories: locations, the grids they lie on, and former names."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
import orjson
from sqlalchemy import Select, Text, bindparam, cast, delete, exists, func, select
from sqlalchemy.orm import Session

from scalewatch.modelling.arrays import Reals
from scalewatch.storage import machines, tables
from scalewatch.storage.database import inserts
from scalewatch.storage.database.inserts import (
    Row,
    canonical,
    digest_of,
    insert_or_find,
)
from scalewatch.storage.database.lists import is_among
from scalewatch.storage.database.session import once
from scalewatch.storage.runs.measurements import settings_of

_MACHINE: Final = tables.Machine.__table__
_SERIES: Final = tables.Series.__table__
_IS_LOCATED: Final = exists().where(
    tables.Location.__table__.c.series_id == _SERIES.c.id
)
_NAMED: Final = (
    select(_SERIES.c.region, _SERIES.c.metric)
    .join(_MACHINE, _MACHINE.c.id == _SERIES.c.machine_id)
    .where(_MACHINE.c.project_id == bindparam("project"))
    .distinct()
    .subquery()
)
# One series of each name is enough, where all of them are a hundred thousand.
_NAMES: Final = select(_NAMED).where(
    exists().where(
        _MACHINE.c.project_id == bindparam("project"),
        _SERIES.c.machine_id == _MACHINE.c.id,
        _SERIES.c.region == _NAMED.c.region,
        _SERIES.c.metric == _NAMED.c.metric,
        _IS_LOCATED,
    )
)
_MACHINES: Final = (
    select(_MACHINE.c.name)
    .where(
        _MACHINE.c.project_id == bindparam("project"),
        exists().where(
            _SERIES.c.machine_id == _MACHINE.c.id,
            _SERIES.c.metric == bindparam("metric"),
            _IS_LOCATED,
        ),
    )
    .order_by(_MACHINE.c.id)
)
_RUN: Final = tables.Run.__table__.c
_NEWEST_RUN: Final = select(func.max(_RUN.id)).where(
    _RUN.commit_id == bindparam("commit"), _RUN.machine_id == bindparam("machine")
)
_STATE: Final = (
    select(machines.STATE)
    .join(tables.Run, _RUN.fingerprint_id == tables.Fingerprint.id)
    .where(_RUN.id == _NEWEST_RUN.scalar_subquery())
)


class Grid(NamedTuple):
    """Parameters that varied, and the settings measured, in their order."""

    parameters: tuple[str, ...]
    settings: tuple[tuple[float, ...], ...]

    @property
    def digest(self) -> str:
        """Equal for equal grids."""
        return digest_of(canonical([self.parameters, self.settings]))


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


class LocatedSeries(NamedTuple):
    """A series of a project, with what tells it from others."""

    id: int
    region: str
    metric: str
    better: str
    unit: str
    machine_id: int
    machine: str
    is_exact: bool
    configuration_id: int
    configuration: dict[str, object]


def put(session: Session, rows: Sequence[Row]) -> None:
    """Insert or replace locations, whose `grid` takes the place of its id."""
    ids = grid_ids(session, {row["grid"] for row in rows})
    stored = [
        {name: value for name, value in row.items() if name != "grid"}
        | {"grid_id": ids[row["grid"]]}
        for row in rows
    ]
    inserts.put(session, tables.Location, stored, keys=("series_id", "commit_id"))


def remove(session: Session, commit_id: int, series_ids: Collection[int]) -> bool:
    """Forget the locations of series at a commit; return whether there were any."""
    location = tables.Location
    gone = session.scalars(
        delete(location)
        .where(location.commit_id == commit_id, location.series_id.in_(series_ids))
        .returning(location.series_id)
    )
    return bool(gone.all())


def series_of(
    session: Session,
    project_id: int,
    *,
    regions: Sequence[str] = (),
    metric: str | None = None,
    machine: str | None = None,
) -> list[LocatedSeries]:
    """Return series of a project that have locations: of some regions, or all."""
    wanted = _series(
        of_regions=bool(regions),
        of_metric=metric is not None,
        of_machine=machine is not None,
    )
    bound = {"project": project_id, "regions": [*regions], "metric": metric}
    bound["machine"] = machine
    settings = settings_of(session, project_id)
    rows = map(tuple, session.execute(wanted, bound).all())
    return [LocatedSeries._make((*row, settings[row[-1]])) for row in rows]


@cache
def _series(*, of_regions: bool, of_metric: bool, of_machine: bool) -> Select[Any]:
    wanted = (
        select(
            _SERIES.c.id,
            _SERIES.c.region,
            _SERIES.c.metric,
            _SERIES.c.better,
            _SERIES.c.unit,
            _SERIES.c.machine_id,
            _MACHINE.c.name,
            _SERIES.c.is_exact,
            _SERIES.c.configuration_id,
        )
        .join(_MACHINE, _MACHINE.c.id == _SERIES.c.machine_id)
        .where(_MACHINE.c.project_id == bindparam("project"), _IS_LOCATED)
        .order_by(_SERIES.c.id)
    )
    if of_regions:
        wanted = wanted.where(is_among(_SERIES.c.region, "regions"))
    if of_metric:
        wanted = wanted.where(_SERIES.c.metric == bindparam("metric"))
    if of_machine:
        wanted = wanted.where(_MACHINE.c.name == bindparam("machine"))
    return wanted


def machines_of(session: Session, project_id: int, metric: str) -> list[str]:
    """Return the machines where series of a metric have locations.

    In the order in which they appeared.
    """
    bound = {"project": project_id, "metric": metric}
    return [*session.scalars(_MACHINES, bound).all()]


def names_of(session: Session, project_id: int) -> list[tuple[str, str]]:
    """Return region and metric of all series of a project that have locations."""
    return [*map(tuple, session.execute(_NAMES, {"project": project_id}).all())]


def of_series(
    session: Session, series_ids: Sequence[int], commit_ids: Sequence[int]
) -> list[Located]:
    """Return the locations of series at commits, those measured alike together."""
    bound = {"series": [*series_ids], "commits": [*commit_ids]}
    return [_located(*row) for row in session.execute(_of_series(), bound).all()]


def values_at(
    session: Session, commit_ids: Collection[int], metric: str
) -> list[tuple[int, int, Sequence[float | None]]]:
    """Return series, commit and logarithms by setting of what commits measured."""
    rows = session.execute(
        select(
            tables.Location.series_id, tables.Location.commit_id, tables.Location.log
        )
        .join(tables.Series, tables.Series.id == tables.Location.series_id)
        .where(
            tables.Location.commit_id.in_(commit_ids), tables.Series.metric == metric
        )
    )
    return [(series, commit, log) for series, commit, log in rows]


def over_time(
    session: Session, series_ids: Collection[int]
) -> Sequence[tuple[int, str, str]]:
    """Return series, hash and logarithms as JSON, commits in the order of time."""
    location, commit = tables.Location.__table__.c, tables.Commit.__table__.c
    made = func.coalesce(commit.committed_at, commit.first_run_at)
    rows = session.execute(
        select(location.series_id, commit.sha, cast(location.log, Text))
        .join_from(tables.Location, tables.Commit, commit.id == location.commit_id)
        .where(location.series_id.in_(series_ids))
        .order_by(location.series_id, made, commit.id)
    )
    return [(series, sha, log) for series, sha, log in rows]


@cache
def _of_series() -> Select[Any]:
    location, grid = tables.Location.__table__.c, tables.Grid.__table__
    alike = (location.series_id, location.fingerprint_id, location.grid_id)
    together = (
        select(
            *alike,
            # One row for hundreds: what the driver and JSON take for each is most of
            # reading. Both lists come in the same order, as the database meets them.
            func.aggregate_strings(cast(location.commit_id, Text), ",").label("ids"),
            func.aggregate_strings(cast(location.log, Text), ",").label("logs"),
        )
        .where(
            is_among(location.series_id, "series"),
            is_among(location.commit_id, "commits"),
        )
        .group_by(*alike)
        .subquery()
    )
    return select(
        together.c.series_id,
        together.c.fingerprint_id,
        cast(grid.c.parameters, Text),
        cast(grid.c.settings, Text),
        together.c.ids,
        together.c.logs,
    ).join(grid, grid.c.id == together.c.grid_id)


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


def grid_ids(session: Session, grids: Iterable[Grid]) -> dict[Grid, int]:
    """Return the ids of grids, new or not: most of them are measured at each commit."""
    wanted = {grid.digest: grid for grid in grids}
    table = tables.Grid
    known = session.execute(
        select(table.digest, table.id).where(table.digest.in_(sorted(wanted)))
    )
    ids = {wanted[digest]: grid_id for digest, grid_id in known.all()}
    for digest, grid in sorted(wanted.items()):
        if grid not in ids:
            ids[grid] = insert_or_find(
                session, table, {"digest": digest}, grid._asdict()
            )
    return ids


def fingerprint_of(session: Session, commit_id: int, machine_id: int) -> int | None:
    """Return the state of a machine when it last measured a commit."""
    bound = {"commit": commit_id, "machine": machine_id}
    state: int | None = session.scalar(_STATE, bound)
    return state


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


_ALIAS: Final = tables.Alias.__table__.c
_OF_PROJECT: Final = select(_ALIAS.former, _ALIAS.name).where(
    _ALIAS.project_id == bindparam("project")
)


def former_names(session: Session, project_id: int) -> dict[str, str]:
    """Return the present name of each region that had another one."""
    return once(
        session,
        ("aliases", project_id),
        lambda: dict(session.execute(_OF_PROJECT, {"project": project_id}).all()),
    )


def replace_former_names(
    session: Session, project_id: int, names: Mapping[str, str]
) -> None:
    """Store former and present names in place of those before."""
    session.execute(delete(tables.Alias).where(tables.Alias.project_id == project_id))
    session.add_all(
        tables.Alias(project_id=project_id, former=former, name=name)
        for former, name in names.items()
    )
    session.flush()

"""Queries that read a project's measurements one part of its runs after the other."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import Select, String, cast, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables

_RUN: Final = tables.Run
_SERIES: Final = tables.Series


@dataclass(frozen=True, slots=True)
class Selection:
    """Which measurements of a project are read; None chooses none of the kind.

    Parameters
    ----------
    configurations
        Ids of the configurations that are asked for.
    """

    project_id: int
    commit_id: int | None = None
    machine: str | None = None
    region: str | None = None
    metric: str | None = None
    configurations: Collection[int] | None = field(default=None)


class BulkMeasurement(NamedTuple):
    """A result of a run, and where its repetitions lie in the samples of the run."""

    run_id: int
    uuid: UUID
    sha: str
    machine: str
    configuration_id: int
    coordinate: dict[str, Any]
    region: str
    metric: str
    unit: str
    better: str
    start: int
    repetitions: int
    median: float | None
    reason: str | None


def runs_after(
    session: Session, selection: Selection, after: int, most: int | None
) -> Sequence[int]:
    """Return the ids of the runs after one, in their order."""
    wanted = _of(select(_RUN.id), selection).where(_RUN.id > after).order_by(_RUN.id)
    return session.scalars(wanted if most is None else wanted.limit(most)).all()


def newest_run(session: Session, selection: Selection) -> int:
    """Return the id of the newest run, 0 if there is none."""
    wanted = _of(select(_RUN.id), selection).order_by(_RUN.id.desc()).limit(1)
    return session.scalar(wanted) or 0


def coordinate_names(session: Session, selection: Selection) -> list[str]:
    """Return the names of all parameters of a selection, sorted."""
    # As text: PostgreSQL does not compare JSON.
    wanted = _of(select(cast(_RUN.coordinate, String)).distinct(), selection)
    texts = session.scalars(wanted)
    return sorted({name for text in texts for name in json.loads(text)})


def measurements_of(
    session: Session, selection: Selection, runs: Sequence[int]
) -> list[BulkMeasurement]:
    """Return the results of some runs, run by run."""
    point, machine, commit = tables.Point, tables.Machine, tables.Commit
    wanted = (
        select(
            _RUN.id,
            _RUN.uuid,
            commit.sha,
            machine.name,
            _RUN.configuration_id,
            _RUN.coordinate,
            _SERIES.region,
            _SERIES.metric,
            _SERIES.unit,
            _SERIES.better,
            point.start,
            point.count,
            point.q50,
            point.reason,
        )
        .join(point, point.run_id == _RUN.id)
        .join(_SERIES, _SERIES.id == point.series_id)
        .join(machine, machine.id == _RUN.machine_id)
        .join(commit, commit.id == _RUN.commit_id)
        .where(_RUN.id.in_(runs))
        .order_by(_RUN.id, _SERIES.id)
    )
    if selection.region is not None:
        wanted = wanted.where(_SERIES.region == selection.region)
    if selection.metric is not None:
        wanted = wanted.where(_SERIES.metric == selection.metric)
    return list(map(BulkMeasurement._make, session.execute(wanted).all()))


def _of(wanted: Select[Any], selection: Selection) -> Select[Any]:
    """Restrict a query on runs to a selection."""
    commit = tables.Commit
    wanted = wanted.join(commit, commit.id == _RUN.commit_id).where(
        commit.project_id == selection.project_id
    )
    if selection.commit_id is not None:
        wanted = wanted.where(_RUN.commit_id == selection.commit_id)
    if selection.machine is not None:
        machine = tables.Machine
        wanted = wanted.join(machine, machine.id == _RUN.machine_id).where(
            machine.name == selection.machine
        )
    if selection.configurations is not None:
        wanted = wanted.where(_RUN.configuration_id.in_(selection.configurations))
    return wanted

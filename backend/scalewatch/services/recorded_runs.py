"""What a recorded run measured, where and how."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row
from sqlalchemy.orm import Session

from scalewatch.errors import NotFound
from scalewatch.services.commits import Commit, commit_of
from scalewatch.services.measurements import Flag, flags_of
from scalewatch.storage import measurements, runs, tables

MOMENTS: Final = frozenset({"started_at", "ended_at"})
"""What is a moment among the facts of a scheduler's job, which are kept as text."""


@dataclass(frozen=True, slots=True)
class Result:
    """One metric of one region, summarised over its repetitions.

    Parameters
    ----------
    asked
        Repetitions that were asked for; fewer where the time budget ended.
    """

    region: str
    metric: str
    unit: str
    count: int
    asked: int | None
    minimum: float | None
    low: float | None
    middle: float | None
    high: float | None
    q95: float | None
    synchronisation: str | None
    late: int | None
    flags: tuple[Flag, ...]
    reason: str | None


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One execution of a suite.

    Parameters
    ----------
    fingerprint
        Facts about the machine as it was then.
    job
        How it was scheduled, as far as the agent told.
    """

    uuid: UUID
    project: str
    commit: Commit
    machine: str
    suite: str
    coordinate: Mapping[str, Any]
    configuration: Mapping[str, Any]
    fingerprint: Mapping[str, Any]
    job: Mapping[str, Any]
    received_at: datetime
    results: tuple[Result, ...]


def recorded_run(
    session: Session, uuid: UUID, project: str | None = None
) -> RecordedRun:
    """Return a run, of a project or of any, with its results by region and metric.

    Raises
    ------
    NotFound
        If no such run has this id.
    """
    run = runs.described(session, uuid)
    if project not in {None, run.project}:
        raise NotFound("run", uuid)
    job = run.scheduler_job or {}
    return RecordedRun(
        uuid=run.uuid,
        project=run.project,
        commit=commit_of(session.get_one(tables.Commit, run.commit_id)),
        machine=run.machine,
        suite=run.suite,
        coordinate=run.coordinate,
        configuration=run.configuration,
        fingerprint=run.fingerprint,
        job={
            name: datetime.fromisoformat(value) if name in MOMENTS else value
            for name, value in job.items()
            if value is not None
        },
        received_at=run.received_at,
        results=tuple(map(_result, measurements.of_run(session, run.id))),
    )


def _result(row: Row[tables.Point, tables.Series]) -> Result:
    point, series = row
    procedure = point.procedure or {}
    return Result(
        region=series.region,
        metric=series.metric,
        unit=series.unit,
        count=point.count,
        asked=procedure.get("repetitions_asked"),
        minimum=point.minimum,
        low=point.q25,
        middle=point.q50,
        high=point.q75,
        q95=point.q95,
        synchronisation=procedure.get("synchronisation"),
        late=procedure.get("late"),
        flags=flags_of(procedure),
        reason=point.reason,
    )

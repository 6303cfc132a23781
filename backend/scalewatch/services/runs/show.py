"""Recorded runs: their results, the machine as it was, the payload as posted."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import numpy as np
import zstandard
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from scalewatch.errors import NotFound
from scalewatch.services.commits.find import Commit, commit_of
from scalewatch.services.series.scans import quartiles_of
from scalewatch.storage import tables
from scalewatch.storage.runs import measurements, procedures, profiles, runs, samples
from scalewatch.storage.runs.flags import Flag, flags_in

MOMENTS: Final = frozenset({"started_at", "ended_at"})
"""Facts of a scheduler's job that are moments, kept as text in ISO 8601."""


@dataclass(frozen=True, slots=True)
class Result:
    """One metric of one region, summarised over its repetitions.

    Parameters
    ----------
    asked
        Repetitions that the agent planned; `count` is less where its time ran out.
    repetitions
        All of them in the order in which they were taken, where they are kept.
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
    repetitions: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One execution of a suite.

    Parameters
    ----------
    fingerprint
        Facts about the machine as it was then.
    job
        Facts of the scheduler, those that the agent states.
    profile
        Seconds of each function, the longest first; empty where it was not profiled.
    """

    uuid: UUID
    project: str
    commit: Commit
    machine: str
    suite: str
    coordinate: Mapping[str, int | float]
    configuration: Mapping[str, Any]
    fingerprint: Mapping[str, Any]
    job: Mapping[str, Any]
    received_at: datetime
    results: tuple[Result, ...]
    profile: Mapping[str, float]

    @property
    def flags(self) -> Mapping[Flag, int]:
        """Number of results with each flag."""
        return Counter(flag for result in self.results for flag in result.flags)

    @property
    def failures(self) -> int:
        """Number of results that failed."""
        return sum(not result.count for result in self.results)


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
    kept = samples.of_runs(session, [run.id]).get(run.id)
    stated = procedures.of_runs(session, [run.id]).get(run.id, {})
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
            if value not in (None, {})
        },
        received_at=run.received_at,
        results=tuple(
            _result(point, series, stated.get(series.id, {}), kept)
            for point, series in measurements.of_run(session, run.id)
        ),
        profile=dict(
            sorted(
                profiles.of_run(session, run.id).items(),
                key=lambda function: -function[1],
            )
        ),
    )


def payload_of(session: Session, uuid: UUID, project: str) -> bytes:
    """Return the payload of a run as it was posted, in JSON.

    Raises
    ------
    NotFound
        If the project has no such run, or its content is not kept any more.
    """
    run = runs.described(session, uuid)
    body = runs.payload_of(session, run.id)
    if run.project != project or body is None:
        raise NotFound("payload", uuid)
    return zstandard.decompress(body)


def _result(
    point: tables.Point,
    series: tables.Series,
    procedure: Mapping[str, Any],
    kept: NDArray[np.float64] | None,
) -> Result:
    end = point.start + point.count
    repetitions = () if kept is None else kept[point.start : end]
    low, high = quartiles_of(point)
    return Result(
        region=series.region,
        metric=series.metric,
        unit=series.unit,
        count=point.count,
        asked=procedure.get("repetitions_asked"),
        minimum=point.minimum,
        low=low,
        middle=point.q50,
        high=high,
        q95=point.q95,
        synchronisation=procedure.get("synchronisation"),
        late=procedure.get("late"),
        flags=flags_in(point.flags),
        reason=point.reason,
        repetitions=tuple(float(value) for value in repetitions),
    )

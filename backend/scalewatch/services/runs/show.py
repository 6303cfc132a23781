"""Recorded runs: results and verdicts, the machine as it was, the payload as posted."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

import numpy as np
import zstandard
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from scalewatch.errors import NotFound
from scalewatch.services.commits.find import Commit, commit_of
from scalewatch.services.jobs import AnalysedCommit, JobKind
from scalewatch.services.regions.models import SeriesModel, series_model
from scalewatch.services.selection.pages import ROW_CELLS, InPages, Page
from scalewatch.services.series.scans import quartiles_of
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage import tables
from scalewatch.storage.runs import measurements, procedures, profiles, runs, samples
from scalewatch.storage.runs.points import Flag, flags_in
from scalewatch.storage.work import jobs

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
class RecordedRun(InPages):
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

    LISTED = "results"

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


class AnalysisProgress(StrEnum):
    """The state of the analysis of a run."""

    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """The series that a run contributed to, with their models and verdicts.

    Parameters
    ----------
    reason
        Why the analysis failed.
    series
        Empty until it is done; of a run of very many, those of some regions.
    next
        `cursor` of the next page, if there is one.
    """

    run: UUID
    state: AnalysisProgress
    reason: str | None
    series: tuple[SeriesModel, ...]
    next: str | None = None


def progress_of(session: Session, uuid: UUID) -> tuple[AnalysisProgress, str | None]:
    """Return the state of the analysis of a run, and why it failed.

    Raises
    ------
    NotFound
        If no run has this id.
    """
    run = runs.described(session, uuid)
    subject = str(AnalysedCommit(run.commit_id, run.machine_id))
    if jobs.is_open(session, JobKind.ANALYSE, subject):
        return AnalysisProgress.PENDING, None
    job = jobs.newest(session, JobKind.ANALYSE, subject)
    if job is not None and job.state == "failed":
        return AnalysisProgress.FAILED, job.reason
    return AnalysisProgress.DONE, None


def verdict_of_run(
    session: Session, uuid: UUID, cursor: str | None = None
) -> RunVerdict:
    """Return the verdicts on a run as far as its analysis has come.

    Parameters
    ----------
    cursor
        The `next` of the page before.

    Raises
    ------
    NotFound
        If no run has this id, or the cursor names no page.
    """
    state, reason = progress_of(session, uuid)
    if state is not AnalysisProgress.DONE:
        return RunVerdict(uuid, state, reason, ())
    run = runs.described(session, uuid)
    commit = session.get_one(tables.Commit, run.commit_id)
    measured = {
        (series.region, series.metric)
        for _, series in measurements.of_run(session, run.id)
    }
    regions = Page.of(sorted({region for region, _ in measured}), cursor, ROW_CELLS)
    now = replace(CommitSnapshot.of(session, commit), only=run.machine)
    series = tuple(
        series_model(scan)
        for metric in sorted({metric for _, metric in measured})
        for scan in now.scans(metric, regions.rows)
        if (scan.region, scan.metric) in measured
        and scan.configuration == run.configuration
    )
    return RunVerdict(uuid, state, reason, series, regions.next)


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

"""Verdicts on the series that a run contributed to."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from sqlalchemy.orm import Session

from scalewatch.services.jobs import AnalysedCommit, JobKind
from scalewatch.services.regions.models import SeriesModel, series_model
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage import tables
from scalewatch.storage.runs import measurements, runs
from scalewatch.storage.work import jobs


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
        Empty until it is done.
    """

    run: UUID
    state: AnalysisProgress
    reason: str | None
    series: tuple[SeriesModel, ...]


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


def verdict_of_run(session: Session, uuid: UUID) -> RunVerdict:
    """Return the verdicts on a run as far as its analysis has come.

    Raises
    ------
    NotFound
        If no run has this id.
    """
    state, reason = progress_of(session, uuid)
    series = _series(session, uuid) if state is AnalysisProgress.DONE else ()
    return RunVerdict(uuid, state, reason, series)


def _series(session: Session, uuid: UUID) -> tuple[SeriesModel, ...]:
    run = runs.described(session, uuid)
    commit = session.get_one(tables.Commit, run.commit_id)
    measured = {
        (series.region, series.metric)
        for _, series in measurements.of_run(session, run.id)
    }
    return tuple(
        series_model(scan)
        for metric in sorted({metric for _, metric in measured})
        for scan in CommitSnapshot.of(session, commit).scans(metric)
        if (scan.region, scan.metric) in measured
        and scan.machine == run.machine
        and scan.configuration == run.configuration
    )

"""Record runs, each together with the job that will analyse it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from scalewatch.errors import RunAlreadyRecorded
from scalewatch.services import expectations, jobs
from scalewatch.services.jobs import Subject
from scalewatch.storage import (
    commits,
    machines,
    points,
    projects,
    runs,
    samples,
    series,
)
from scalewatch.storage.digests import canonical, digest_of
from scalewatch.storage.inserts import Row
from scalewatch.wire import UNITS, Result, RunReport


@dataclass(frozen=True, slots=True)
class Receipt:
    """Acknowledgement of a posted run; `job` analyses it or has done so."""

    run: UUID
    job: int
    is_new: bool


@dataclass(frozen=True, slots=True)
class _Recorded:
    run: UUID
    subject: str
    is_new: bool


def record_runs(session: Session, reports: Iterable[RunReport]) -> list[Receipt]:
    """Store runs, each with the job that will analyse it; all of them or none.

    Raises
    ------
    RunAlreadyRecorded
        If a run with the same id and other content exists.
    UnitChanged
        If a metric of our users' own comes in another unit than before.
    """
    recorded = [_record_run(session, report) for report in reports]
    # Last, since a waiting job is locked until this transaction ends; and sorted,
    # so that two transactions do not wait for each other.
    changed = {one.subject for one in recorded if one.is_new}
    job_of = {
        subject: jobs.enqueue(session, jobs.Kind.ANALYSE, subject)
        for subject in sorted(changed)
    }
    for subject in {one.subject for one in recorded} - changed:
        job_of[subject] = jobs.latest(session, jobs.Kind.ANALYSE, subject)
    return [Receipt(one.run, job_of[one.subject], one.is_new) for one in recorded]


def _record_run(session: Session, report: RunReport) -> _Recorded:
    content = canonical(report.model_dump(by_alias=True))
    digest = digest_of(content)
    known = runs.recorded(session, report.id)
    if known is None:
        row = _run(session, report)
        run_id = runs.create(session, row)
        if run_id is not None:
            runs.add_payload(session, run_id, content, digest)
            _add_points(session, run_id, row, report)
            subject = str(Subject(row["commit_id"], row["machine_id"]))
            return _Recorded(report.id, subject, is_new=True)
        # Another transaction recorded it after we looked.
        known = runs.recorded(session, report.id)
    if known is None or known.digest != digest:
        raise RunAlreadyRecorded(report.id)
    subject = str(Subject(known.commit_id, known.machine_id))
    return _Recorded(report.id, subject, is_new=False)


def _run(session: Session, report: RunReport) -> Row:
    project = projects.find_or_create(session, report.project)
    commit = commits.find_or_create(session, project.id, report.commit)
    machine = machines.find_or_create(session, project.id, report.machine.name)
    expectations.declare_built_in(session, project.id, report)
    return {
        "uuid": report.id,
        "commit_id": commit.id,
        "machine_id": machine.id,
        "fingerprint_id": machines.fingerprint_id(
            session, machine.id, report.machine.fingerprint
        ),
        "configuration_id": series.configuration_id(
            session, project.id, report.configuration
        ),
        "suite": report.suite,
        "coordinate": report.coordinate,
        "scheduler_job": report.job and report.job.model_dump(mode="json"),
    }


def _add_points(session: Session, run_id: int, row: Row, report: RunReport) -> None:
    values = [_canonical_values(result) for result in report.results]
    starts = np.cumsum([0, *(each.size for each in values)]).tolist()
    series_of = series.find_or_create(
        session, row["machine_id"], row["configuration_id"], report.results
    )
    rows: list[dict[str, Any]] = [
        {
            "series_id": series_of[result.region, result.metric].id,
            "start": start,
            "count": repetitions.size,
            **summary,
            "procedure": result.procedure and result.procedure.model_dump(),
            "reason": result.reason,
        }
        for result, start, repetitions, summary in zip(
            report.results, starts[:-1], values, points.summaries(values), strict=True
        )
    ]
    blob = samples.encode(np.concatenate(values))
    runs.add_points(session, run_id, rows, blob)


def _canonical_values(result: Result) -> NDArray[np.float64]:
    """Return the repetitions in the unit of the metric; none if it failed."""
    if result.status == "failed":
        return np.array([], dtype=np.float64)
    values = np.array(result.values)
    size = UNITS.get(result.metric, {}).get(result.unit, 1.0)
    # A division by 10^9 rounds once, a product with 1e-9 twice.
    return values / round(1 / size) if size < 1 else values * size

"""Record runs, each together with the job that will analyse it."""

from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter
from typing import Final
from uuid import UUID

from sqlalchemy.orm import Session

from scalewatch.errors import RunAlreadyRecorded
from scalewatch.services import jobs
from scalewatch.services.expectations import declarations
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.services.runs.prepare import PreparedRun, has_content, in_recorded_units
from scalewatch.storage.database.inserts import Row, together
from scalewatch.storage.runs import (
    places,
    procedures,
    profiles,
    runs,
    series,
    source_locations,
)
from scalewatch.storage.runs.places import RunKeys
from scalewatch.wire import RunReport


@dataclass(frozen=True, slots=True)
class Receipt:
    """Acknowledgement of a posted run; `job` analyses it or has done so."""

    run: UUID
    job: int
    is_new: bool


@dataclass(frozen=True, slots=True)
class _RecordedRun:
    """A run with the subject of the job that analyses it."""

    uuid: UUID
    subject: tuple[int, str]
    """Its project, and the commit on a machine."""
    is_new: bool


_PLACE: Final = {"project", "suite", "commit", "machine", "configuration"}
"""Fields of a report that decide the keys of its run."""

_KnownKeys = dict[str, RunKeys]
"""Keys that this transaction has looked up, by the fields that decide them."""


def record_prepared(session: Session, prepared: Iterable[PreparedRun]) -> list[Receipt]:
    """Store runs, each with the job that will analyse it; all of them or none.

    Raises
    ------
    RunAlreadyRecorded
        If a run with the same id and other content exists.
    UnitChanged, DirectionChanged
        If a metric of our users' own comes in another unit than before, or with
        the other direction as the better one.
    """
    known_keys: _KnownKeys = {}
    recorded = [_record(session, run, known_keys) for run in prepared]
    # Last, since a waiting job is locked until this transaction ends; and sorted,
    # so that two transactions do not wait for each other.
    changed = {run.subject for run in recorded if run.is_new}
    job_of = {
        subject: jobs.enqueue(session, jobs.JobKind.ANALYSE, *subject)
        for subject in sorted(changed)
    }
    for subject in {run.subject for run in recorded} - changed:
        job_of[subject] = jobs.latest(session, jobs.JobKind.ANALYSE, *subject)
    return [Receipt(run.uuid, job_of[run.subject], run.is_new) for run in recorded]


def _record(
    session: Session, prepared: PreparedRun, known_keys: _KnownKeys
) -> _RecordedRun:
    uuid = prepared.report.id
    keys = _keys(session, prepared.report, known_keys)
    row = _row(prepared.report, keys)
    # Nearly all runs are new: insert first, look up only what exists.
    run_id = runs.create(session, row)
    if run_id is not None:
        ids, prepared = series_of(session, row, prepared)
        with together(session):
            runs.add_payload(session, run_id, prepared.payload, prepared.digest)
            add_blobs(session, run_id, ids, prepared)
        add_points(session, run_id, ids, prepared)
        analysed = AnalysedCommit(keys.commit_id, keys.machine_id)
        return _RecordedRun(uuid, (keys.project_id, str(analysed)), is_new=True)
    known = runs.recorded(session, uuid)
    if known is None or not (
        known.digest == prepared.digest
        or has_content(prepared, runs.payload_of(session, known.id))
    ):
        raise RunAlreadyRecorded(uuid)
    analysed = AnalysedCommit(known.commit_id, known.machine_id)
    return _RecordedRun(uuid, (keys.project_id, str(analysed)), is_new=False)


def _keys(session: Session, report: RunReport, known_keys: _KnownKeys) -> RunKeys:
    """Return the keys of a run, looked up once for all runs of a sweep."""
    place = report.model_dump_json(include=_PLACE)
    if place not in known_keys:
        known_keys[place] = places.of(session, report)
    declarations.declare_built_in(session, known_keys[place].project_id, report)
    return known_keys[place]


def _row(report: RunReport, keys: RunKeys) -> Row:
    return {
        "commit_id": keys.commit_id,
        "machine_id": keys.machine_id,
        "fingerprint_id": keys.fingerprint_id,
        "configuration_id": keys.configuration_id,
        "uuid": report.id,
        "suite": report.suite,
        "coordinate": report.coordinate,
        "scheduler_job": report.job and report.job.model_dump(mode="json"),
    }


def series_of(
    session: Session, row: Row, prepared: PreparedRun
) -> tuple[list[int], PreparedRun]:
    """Return the ids of the series of a run's results, and the run in their units.

    `row` has the ids of machine and configuration.
    """
    results = prepared.report.results
    places = row["machine_id"], row["configuration_id"]
    known = series.known_of(session, *places, results)
    if any(
        known[result.region, result.metric].unit != series.canonical_unit(result)
        for result in results
    ):
        units = {key: its.unit for key, its in known.items()}
        prepared = in_recorded_units(prepared, units)
    return [known[result.region, result.metric].id for result in results], prepared


def add_blobs(
    session: Session, run_id: int, series_ids: list[int], prepared: PreparedRun
) -> None:
    """Store the blobs of a run: repetitions, procedures, profile, locations."""
    runs.add_samples(session, run_id, prepared.samples)
    by_series = dict(zip(series_ids, prepared.procedures, strict=True))
    stated = {key: procedure for key, procedure in by_series.items() if procedure}
    procedures.add(session, run_id, stated)
    if prepared.profile is not None:
        profiles.add(session, run_id, prepared.profile)
    if prepared.locations is not None:
        source_locations.add(session, run_id, prepared.locations)


def add_points(
    session: Session, run_id: int, series_ids: list[int], prepared: PreparedRun
) -> None:
    """Store a point for each result of a run."""
    # In the order of the index, which is twice as large if its pages are split.
    points = sorted(zip(series_ids, prepared.points, strict=True), key=itemgetter(0))
    runs.add_points(
        session, run_id, [{"series_id": key, **point} for key, point in points]
    )

"""Prepare runs, and record each together with the job that will analyse it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter
from typing import Any, Final
from uuid import UUID

import numpy as np
import zstandard
from numpy.typing import NDArray
from pydantic import ValidationError
from sqlalchemy.orm import Session

from scalewatch.errors import RunAlreadyRecorded
from scalewatch.quantities import factor_between
from scalewatch.services import jobs
from scalewatch.services.expectations import declarations
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.services.series.scans import flags_of
from scalewatch.storage.database.inserts import Row, canonical, digest_of, together
from scalewatch.storage.runs import (
    places,
    points,
    procedures,
    profiles,
    runs,
    samples,
    series,
    source_locations,
)
from scalewatch.storage.runs.places import RunKeys
from scalewatch.storage.runs.points import bits_of
from scalewatch.wire import Result, RunReport, kept_unit

_OF_STATED: Final = "stated:"
"""Begins a digest of the fields that a run states; those of release 0.1.0 lack it."""


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """A run in the form in which it is stored.

    Parameters
    ----------
    payload
        What was posted, compressed.
    digest
        Digest of the fields that differ from their defaults, in whatever order: a run
        keeps it when a later release knows more fields.
    points
        A row per result, without the ids of series and run.
    procedures
        The measuring procedure of each result, empty where the agent states none.
    samples
        All repetitions.
    profile
        Seconds by function, if the run was profiled.
    locations
        Source locations of its regions, if it states any.
    """

    report: RunReport
    payload: bytes
    digest: str
    points: tuple[dict[str, Any], ...]
    procedures: tuple[dict[str, Any], ...]
    samples: bytes
    profile: bytes | None
    locations: bytes | None


def prepare(report: RunReport, posted: bytes | None = None) -> PreparedRun:
    """Summarise and compress the repetitions of a run.

    Parameters
    ----------
    posted
        The run as it arrived; None if it never was a text.
    """
    stated = _stated(report)
    counts = [
        (0 if result.status == "failed" else len(result.values))
        for result in report.results
    ]
    values = _canonical_values(report.results, counts)
    starts = np.cumsum([0, *counts]).tolist()
    procedures = tuple(
        (
            {}
            if result.procedure is None
            else result.procedure.model_dump(exclude_none=True)
        )
        for result in report.results
    )
    located = {
        result.region: result.location.model_dump(exclude_none=True)
        for result in report.results
        if result.location is not None
    }
    return PreparedRun(
        report=report,
        payload=zstandard.compress(stated if posted is None else posted),
        digest=_OF_STATED + digest_of(stated),
        points=tuple(
            {
                "start": start,
                "count": count,
                **summary,
                "flags": bits_of(flags_of(procedure)) if procedure else 0,
                "reason": result.reason or "",
            }
            for result, procedure, start, count, summary in zip(
                report.results,
                procedures,
                starts[:-1],
                counts,
                points.summaries(values, counts),
                strict=True,
            )
        ),
        procedures=procedures,
        samples=samples.encode(values),
        profile=None
        if report.profile is None
        else profiles.encode(report.profile.seconds),
        locations=(source_locations.encode(located) if located else None),
    )


def in_recorded_units(
    run: PreparedRun, recorded: Mapping[tuple[str, str], str]
) -> PreparedRun:
    """Return a run whose results are in the units in which their series are recorded.

    Parameters
    ----------
    recorded
        Units by region and metric; each measures the same as the one that was posted.
    """
    results = tuple(
        _in_unit(result, recorded.get((result.region, result.metric), result.unit))
        for result in run.report.results
    )
    converted = prepare(run.report.model_copy(update={"results": results}))
    return replace(converted, report=run.report, payload=run.payload, digest=run.digest)


def _in_unit(result: Result, unit: str) -> Result:
    size = factor_between(result.unit, unit)
    if size is None or size == 1:
        return result
    values = tuple(value * size for value in result.values)
    procedure = result.procedure
    if procedure is not None and procedure.uncertainty is not None:
        width = procedure.uncertainty * size
        procedure = procedure.model_copy(update={"uncertainty": width})
    changed = {"values": values, "unit": unit, "procedure": procedure}
    return result.model_copy(update=changed)


def has_content(run: PreparedRun, payload: bytes | None) -> bool:
    """Tell whether a run is one that was recorded with another digest.

    Digests of release 0.1.0 cover the defaults of the fields that it knew, and any
    tells 4 from 4.0, so that the compressed content is compared, unless it is
    forgotten.
    """
    if not payload:
        return False
    try:
        recorded = RunReport.model_validate_json(zstandard.decompress(payload))
    except ValidationError:
        return False
    contents = {
        canonical(_with_integers(each.model_dump(exclude_defaults=True)))
        for each in (recorded, run.report)
    }
    return len(contents) == 1


def _with_integers(content: Any) -> Any:
    """Return content with whole numbers as integers, as 4.0 and 4 are one number."""
    if isinstance(content, dict):
        return {name: _with_integers(each) for name, each in content.items()}
    if isinstance(content, list | tuple):
        return [_with_integers(each) for each in content]
    is_whole = isinstance(content, float) and content.is_integer()
    return int(content) if is_whole and abs(content) < 2**53 else content


def _stated(report: RunReport) -> bytes:
    """Return the fields of a run that differ from their defaults, as canonical JSON."""
    return canonical(report.model_dump(by_alias=True, exclude_defaults=True))


def _canonical_values(
    results: Sequence[Result], counts: Sequence[int]
) -> NDArray[np.float64]:
    """Return all repetitions one after the other, in the units of their metrics."""
    repetitions = chain.from_iterable(
        result.values for result, count in zip(results, counts, strict=True) if count
    )
    values = np.fromiter(repetitions, np.float64, count=sum(counts))
    sizes = [kept_unit(result.metric, result.unit)[1] for result in results]
    if any(size != 1 for size in sizes):
        size = np.repeat(sizes, counts)
        # A division by 10^9 rounds once, a product with 1e-9 twice.
        whole = np.round(1 / size)
        is_part = (size < 1) & np.isclose(size * whole, 1, rtol=1e-12)
        values *= np.where(is_part, 1, size)
        values /= np.where(is_part, whole, 1)
    return values


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

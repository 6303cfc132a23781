"""Prepare runs for storage: all work that can precede the writing transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

import numpy as np
import zstandard
from numpy.typing import NDArray
from pydantic import ValidationError

from scalewatch.quantities import factor_between
from scalewatch.services.series.scans import flags_of
from scalewatch.storage.database.inserts import canonical, digest_of
from scalewatch.storage.runs import points, profiles, samples, source_locations
from scalewatch.storage.runs.flags import bits_of
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
    one, other = (
        each.model_dump(exclude_defaults=True) for each in (recorded, run.report)
    )
    return canonical(_with_integers(one)) == canonical(_with_integers(other))


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

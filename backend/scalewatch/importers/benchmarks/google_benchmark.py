"""JSON of Google Benchmark, which Kokkos and others write as well."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from scalewatch.importers import series
from scalewatch.importers.documents import Document
from scalewatch.wire import SECONDS

_DROPPED: Final = re.compile(
    r"/(?:manual_time|real_time|process_time"
    r"|(?:repeats|iterations|min_time|min_warmup_time):[^/]*)(?=/|$)"
)
_THREADS: Final = re.compile(r"/threads:(?P<threads>\d{1,18})$")
_PER_SECOND: Final = re.compile(r"\w+/s")
_COMMIT: Final = re.compile("[0-9a-f]{7,40}")
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_AGGREGATES: Final = ("median", "mean")
_OWN: Final = re.compile(
    "name|family_index|per_family_instance_index|run_name|run_type|repetitions"
    "|repetition_index|threads|iterations|real_time|cpu_time|time_unit|label"
    "|aggregate_(name|unit)|big_o|rms|(cpu|real)_coefficient"
    "|error_(occurred|message)|skipped|skip_message"
)
"""Keys of a row that are no counters of the user's."""


def recognises(document: Document) -> bool:
    """Tell whether a document is Google Benchmark's."""
    keys = document.value if isinstance(document.value, dict) else {}
    rows = keys.get("benchmarks")
    first = rows[0] if isinstance(rows, list) and rows else None
    is_row = isinstance(first, dict) and {"name", "run_type"} <= first.keys()
    return "benchmarks" in keys and ("context" in keys or is_row)


def read(documents: Iterable[Document]) -> Iterator[series.ImportedMeasurement]:
    """Yield times and rates of each row; of mere aggregates, the median or mean."""
    for document in documents:
        context = document.object().get("context")
        provenance = _provenance(context if isinstance(context, dict) else {})
        if context is not None and document.part("context").has_failed:
            document = replace(document, has_failed=True)  # noqa: PLW2901
        rows = list(document.part("benchmarks").elements())
        measured = {
            _run_name(row)
            for row in rows
            if row.object().get("run_type", "iteration") == "iteration"
            and not _suffix(row)
        }
        medians = {_run_name(row) for row in rows if _suffix(row) == "median"}
        for row in rows:
            if statistic := _taken(row, measured, medians):
                yield from _row(row, statistic, provenance)


def _taken(row: Document, measured: set[str], medians: set[str]) -> str | None:
    """Return which statistic a row has if it counts, "value" of a repetition.

    `measured` and `medians` are the runs that have repetitions, and a median.
    """
    held = row.object()
    if row.has_failed:
        return "value"
    if held.get("skipped") or "real_time" not in held:
        return None
    suffix = _suffix(row)
    if suffix is None:
        return "value" if held.get("run_type", "iteration") == "iteration" else None
    if suffix not in _AGGREGATES or _run_name(row) in measured:
        return None
    return suffix if suffix == "median" or _run_name(row) not in medians else None


def _suffix(row: Document) -> str | None:
    """Return the aggregate that a row is, also where old files only name it so."""
    aggregate = row.object().get("aggregate_name")
    if isinstance(aggregate, str) and aggregate:
        return aggregate
    if "run_type" in row.object():
        return None
    ending = row.part("name").name().rpartition("_")[2]
    return ending if ending in {*_AGGREGATES, "stddev", "cv", "BigO", "RMS"} else None


def _run_name(row: Document) -> str:
    if "run_name" in row.object():
        return row.part("run_name").name()
    name, suffix = row.part("name").name(), _suffix(row)
    return name.removesuffix(f"_{suffix}") if suffix else name


def _row(
    row: Document, statistic: str, provenance: series.Provenance
) -> Iterator[series.ImportedMeasurement]:
    held = row.object()
    name = _DROPPED.sub("", _run_name(row))
    threads = _THREADS.search(name)
    name = _THREADS.sub("", name)
    at: dict[str, float] = {}
    count = held.get("threads", int(threads["threads"]) if threads else None)
    if threads or (isinstance(count, int) and count > 1):
        at["threads"] = float(count)
    fixed = {} if statistic == "value" else {"statistic": statistic}
    for metric, unit, value in _metrics(row):
        yield series.measurement(
            name, metric, unit, value, at, fixed, row.origin, provenance
        )


def _metrics(row: Document) -> Iterator[tuple[str, str | None, float]]:
    if row.has_failed:
        yield "time", "s", math.nan
        return
    unit = row.object().get("time_unit", "ns")
    if unit not in SECONDS:
        raise row.part("time_unit").malformed(f"one of {', '.join(SECONDS)}")
    for key, metric in (("real_time", "time"), ("cpu_time", "cpu_time")):
        if key in row.object():
            yield metric, unit, row.part(key).number()
    for key, part in row.parts():
        if (
            not _OWN.fullmatch(key)
            and isinstance(part.value, int | float)
            and not isinstance(part.value, bool)
            and not part.is_infinite()
        ):
            yield *_counter(key), part.number()


def _counter(name: str) -> tuple[str, str | None]:
    """Return metric and unit of a counter, `FOM: GB/s` or `bytes_per_second`."""
    if name.endswith("_per_second") or "per second" in name:
        return name, "1/s"
    *before, unit = name.rsplit(maxsplit=1) or [""]
    if not (_PER_SECOND.fullmatch(unit) and name.endswith(unit)):
        return name, None
    return ("".join(before).removesuffix(":") or "rate"), unit


def _provenance(facts: Mapping[str, Any]) -> series.Provenance:
    commit = facts.get("GIT_COMMIT_HASH")
    is_commit = isinstance(commit, str) and _COMMIT.fullmatch(commit)
    branch, date = facts.get("GIT_BRANCH"), facts.get("date")
    return series.Provenance(
        commit=str(commit) if is_commit else None,
        branch=branch if isinstance(branch, str) and branch else None,
        ended_at=date if isinstance(date, str) and _MOMENT.fullmatch(date) else None,
    )

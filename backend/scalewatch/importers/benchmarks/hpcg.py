"""Results of HPCG: lines of `key::key=value`."""

from collections.abc import Iterator
from typing import Final

from scalewatch.importers.series import (
    WHOLE_PROGRAM,
    ImportedMeasurement,
    SeriesIdentity,
)
from scalewatch.importers.source import Source

_TIME: Final = "Benchmark Time Summary::"
_REGIONS: Final = ("DDOT", "WAXPBY", "SpMV", "MG", "Total")
_RATING: Final = "Final Summary::HPCG result is VALID with a GFLOP/s rating of"
_PROCESSES: Final = "Machine Summary::Distributed Processes"
_THREADS: Final = "Machine Summary::Threads per processes"
_LOCAL: Final = "Local Domain Dimensions::"


def recognises(head: str) -> bool:
    """Tell whether a text begins like a result, and not like the log beside it."""
    return head.startswith("HPCG-Benchmark") and f"{_PROCESSES}=" in head


def read(source: Source) -> Iterator[ImportedMeasurement]:
    """Yield the times of the parts and the rating; a result must be valid.

    The problem of a process is configuration, since weak scaling keeps it.
    """
    facts: dict[str, str] = {}
    for line in source:
        key, _, fact = line.partition("=")
        facts.setdefault(key.strip(), fact.strip())
        if key == _RATING:
            source.require_whole_line()
    if _RATING not in facts:
        raise source.malformed("a line 'HPCG result is VALID …'", "none")
    parameters = {"p": _PROCESSES, "threads": _THREADS}
    coordinate = tuple(source.number(facts.get(key, "")) for key in parameters.values())
    configuration = tuple(
        (axis, source.number(facts.get(f"{_LOCAL}{axis}", "")))
        for axis in ("nx", "ny", "nz")
    )
    measured = [
        (WHOLE_PROGRAM if part == "Total" else part, "time", "s", f"{_TIME}{part}")
        for part in _REGIONS
    ]
    measured.append((WHOLE_PROGRAM, "rate", "GFLOP/s", _RATING))
    for region, metric, unit, key in measured:
        value = source.number(facts.get(key, ""))
        subject = SeriesIdentity(
            region, metric, unit, configuration, tuple(parameters), ()
        )
        yield ImportedMeasurement(subject, coordinate, [value])

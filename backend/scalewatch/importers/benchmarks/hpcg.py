"""Results of HPCG: lines of `key::key=value`, or YAML before version 3.1."""

import math
import re
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
_OUTCOME: Final = "Final Summary::HPCG result is"
_RATING: Final = f"{_OUTCOME} VALID with a GFLOP/s rating of"
_PROCESSES: Final = "Machine Summary::Distributed Processes"
_THREADS: Final = "Machine Summary::Threads per processes"
_LOCAL: Final = "Local Domain Dimensions::"
_INDENTED: Final = re.compile(r"(?P<indent> *)(?P<key>[^:]+?):(?:\s+(?P<fact>.*))?")
_ORNAMENT: Final = "_#* "
"""Signs around the title of a section."""

_BEGINNING: Final = re.compile(
    r"^HPCG-Benchmark(?: version: .*)?\s*$(?=(?s:.*)"
    r"(?:Machine Summary::|^ +)Distributed Processes[=:])",
    re.MULTILINE,
)


def recognises(head: str) -> bool:
    """Tell whether a text has a result, and is not the log beside it."""
    return _BEGINNING.search(head) is not None


def read(source: Source) -> Iterator[ImportedMeasurement]:
    """Yield the times of the parts and the rating, NaN of a result that is not valid.

    The problem of a process is configuration, since weak scaling keeps it.
    """
    facts = _facts(source)
    is_invalid = facts.get(_OUTCOME, "").startswith("INVALID")
    if _RATING not in facts and not is_invalid:
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
        value = math.nan if is_invalid else source.number(facts.get(key, ""))
        subject = SeriesIdentity(
            region, metric, unit, configuration, tuple(parameters), ()
        )
        yield ImportedMeasurement(subject, coordinate, [value])


def _facts(source: Source) -> dict[str, str]:
    """Return what the file says, by the titles of its sections and the key."""
    facts: dict[str, str] = {}
    section = ""
    for line in source:
        key, sign, fact = line.partition("=")
        if not sign and (found := _INDENTED.fullmatch(line)):
            key, fact = found["key"].strip(_ORNAMENT), found["fact"] or ""
            if not found["indent"]:
                section = key
            key = f"{section}::{key}"
        facts.setdefault(key.strip(), fact.strip())
        if key.startswith(_OUTCOME):
            source.require_whole_line()
    return facts

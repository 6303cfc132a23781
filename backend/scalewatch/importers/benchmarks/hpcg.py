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
_ORNAMENT: Final = "_#* "
"""Signs around the title of a section."""

_TITLE: Final = re.compile(r"^HPCG-Benchmark(?: version: .*|[^\S\n]*+)$", re.MULTILINE)
_MACHINE: Final = re.compile(
    r"(?:Machine Summary::|^ +)Distributed Processes[=:]", re.MULTILINE
)


def recognises(head: str) -> bool:
    """Tell whether a text has a result, and is not the log beside it."""
    title = _TITLE.search(head)
    return title is not None and _MACHINE.search(head, title.end()) is not None


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
        if not sign and _is_yaml(line):
            key, _, fact = line.partition(":")
            key = key.strip(_ORNAMENT)
            if not line.startswith(" "):
                section = key
            key = f"{section}::{key}"
        facts.setdefault(key.strip(), fact.strip())
        if key.startswith(_OUTCOME):
            source.require_whole_line()
    return facts


def _is_yaml(line: str) -> bool:
    """Tell `key:` and `key: fact`, indented below the title of a section."""
    key, colon, fact = line.partition(":")
    return bool(key and colon) and (not fact or fact[0].isspace())

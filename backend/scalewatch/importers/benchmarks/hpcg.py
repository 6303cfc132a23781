"""Results of HPCG: lines of `key::key=value`, or YAML before version 3.1."""

import math
import re
from collections.abc import Iterator
from typing import Final

from scalewatch.importers import series
from scalewatch.importers.source import Source

_TIME: Final = "Benchmark Time Summary::"
_TOTAL: Final = "Total"
_REGIONS: Final = ("DDOT", "WAXPBY", "SpMV", "MG", _TOTAL)
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


def read(source: Source) -> Iterator[series.ImportedMeasurement]:
    """Yield the times of the parts and the rating, NaN of a result that is not valid.

    The problem of a process is configuration, since weak scaling keeps it.
    """
    facts = _facts(source)
    is_invalid = facts.get(_OUTCOME, "").startswith("INVALID")
    if _RATING not in facts and not is_invalid:
        raise source.malformed("a line 'HPCG result is VALID …'", "none")
    at = {
        name: source.number(facts.get(key, ""))
        for name, key in (("p", _PROCESSES), ("threads", _THREADS))
    }
    held = {
        axis: source.number(facts.get(f"{_LOCAL}{axis}", ""))
        for axis in ("nx", "ny", "nz")
    }
    measured = [(part, "time", "s", f"{_TIME}{part}") for part in _REGIONS]
    measured.append((_TOTAL, "rate", "GFLOP/s", _RATING))
    for part, metric, unit, key in measured:
        region = series.WHOLE_PROGRAM if part == _TOTAL else part
        value = math.nan if is_invalid else source.number(facts.get(key, ""))
        yield series.measurement(region, metric, unit, value, at, held)


def _facts(source: Source) -> dict[str, str]:
    """Return what the file says, by the titles of its sections and the key.

    YAML has `key:` and `key: fact`, indented below the title of a section.
    """
    facts: dict[str, str] = {}
    section = ""
    for line in source:
        key, sign, fact = line.partition("=")
        title, colon, said = line.partition(":")
        if not sign and title and colon and (not said or said[0].isspace()):
            key, fact = title.strip(_ORNAMENT), said
            if not line.startswith(" "):
                section = key
            key = f"{section}::{key}"
        facts.setdefault(key.strip(), fact.strip())
        if key.startswith(_OUTCOME):
            source.require_whole_line()
    return facts

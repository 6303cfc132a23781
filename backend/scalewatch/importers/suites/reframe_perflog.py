"""ReFrame's performance logs: with a header since 4.3, a variable a line before."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from scalewatch.importers.series import ImportedMeasurement
from scalewatch.importers.source import Source, quoted
from scalewatch.importers.suites.reframe_case import (
    NOTHING,
    Performance,
    measurements_of,
    place_of,
)

_HEADER: Final = re.compile(
    r"\w+(?P<delimiter>[|,;\t])(?:[\w.: -]+(?P=delimiter))*?[\w.: -]+_value"
    r"(?:(?P=delimiter)[\w.: -]+)*"
)
_USUAL: Final = frozenset(
    {"job_completion_time", "job_completion_time_unix", "jobid", "info", "environ"}
    | {"display_name", "unique_name", "partition"}
)
"""Columns of which a log has some, and other tables none."""

_OLD: Final = re.compile(r"[^|]++\|reframe [^|]++\|(?=[^|]++\|)[^|]+(?: on |@)[^|]")
_SETTING: Final = re.compile(r"(?<!\w)(?P<key>\w++)=(?P<value>[^,\s]+)")
_VARIABLE: Final = re.compile(r"[\w -]+")
_NAMES: Final = ("display_name", "name", "check_name", "unique_name")
_JOB: Final = frozenset({"jobid", "num_tasks", "num_nodes"})
_NOT_PERFORMANCE: Final = _JOB | {"ref", "l", "u"}


def recognises(head: str) -> bool:
    """Tell whether a text begins like one of the logs."""
    line = head.lstrip("\ufeff\n").partition("\n")[0].rstrip("\r")
    return bool(_delimiter(line) or _OLD.match(line))


def read(source: Source) -> Iterator[ImportedMeasurement]:
    """Yield the performances of each line; ReFrame ends each with a newline."""
    header: Sequence[str] | None = None
    delimiter: str | None = None
    for line in source:
        if not line.strip():
            continue
        if (next_delimiter := _delimiter(line)) is not None:
            delimiter, header = next_delimiter, line.split(next_delimiter)
            continue
        source.require_whole_line()
        read_line = _old_line(source, line) if header is None else None
        cells = line.split(delimiter)
        yield from read_line or _line(source, header or (), cells)


def _delimiter(line: str) -> str | None:
    """Return what separates the columns of a header, None if a line is none."""
    header = _HEADER.fullmatch(line)
    if header is None:
        return None
    delimiter = header["delimiter"]
    return delimiter if not _USUAL.isdisjoint(line.split(delimiter)) else None


def _line(
    source: Source, header: Sequence[str], cells: Sequence[str]
) -> Iterator[ImportedMeasurement]:
    if len(cells) != len(header):
        expected = f"{len(header)} cells, one per column"
        raise source.malformed(expected, str(len(cells)))
    row = dict(zip(header, cells, strict=True))
    facts = {**place_of(row.get("info", "")), **row}
    named = (facts.get(key, "") for key in _NAMES)
    if (name := next((said for said in named if said not in NOTHING), None)) is None:
        raise source.malformed("a column of the test's name", "none")
    facts["name"] = name
    performances = [
        Performance(
            row.get(f"{name}_var") or name,
            _number(source, cell),
            _unit(row.get(f"{name}_unit")),
        )
        for column, cell in row.items()
        if (name := column.removesuffix("_value")) != column
    ]
    yield from measurements_of(facts, performances)


def _old_line(source: Source, line: str) -> Iterator[ImportedMeasurement]:
    if line.count("|reframe ") > 1:
        raise source.malformed("one record", "two in a line")
    cells = line.split("|")
    place = place_of(cells[2]) if _OLD.match(line) else None
    pairs = [
        (at, *cell.partition("=")[::2]) for at, cell in enumerate(cells) if "=" in cell
    ]
    measured = [
        (at, name, value)
        for at, name, value in pairs
        if name.strip() not in _NOT_PERFORMANCE and _VARIABLE.fullmatch(name)
    ]
    if not place or not measured or not any(name == "ref" for _, name, _ in pairs):
        raise source.malformed("a line of ReFrame's performance log", quoted(line))
    at, name, value = measured[0]
    following = cells[at + 1] if at + 1 < len(cells) else ""
    unit = following if "=" not in following else cells[-1]
    job = {key: fact for _, key, fact in pairs if key in _JOB}
    facts: dict[str, str] = {"job_completion_time": cells[0], **job, **place}
    for cell in cells[at + 1 :]:
        if not cell.startswith("ref="):
            facts |= {tag["key"]: tag["value"] for tag in _SETTING.finditer(cell)}
    yield from measurements_of(
        facts, [Performance(name, _number(source, value), _unit(unit))]
    )


def _unit(unit: str | None) -> str | None:
    return None if unit is None or unit in NOTHING else unit


def _number(source: Source, cell: str) -> float:
    if cell in NOTHING:
        return float("nan")
    return source.finite(cell)

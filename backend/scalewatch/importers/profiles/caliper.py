"""Region profiles of Caliper, read by the package caliper-reader."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from scalewatch.errors import MissingReader, UnreadableFile
from scalewatch.importers import series
from scalewatch.importers.profiles import ProfiledRun
from scalewatch.importers.source import Source, quoted
from scalewatch.wire import SECONDS

_BEGINNING: Final = re.compile(r"__rec=(node|ctx|globals),")
_NODE: Final = re.compile(r"__rec=node,id=(?P<id>\d{1,19})(?:,(?P<rest>.*))?")
_PARENT: Final = re.compile(r"(?:^|.*,)parent=(?P<parent>\d{1,19})\s*")
_TYPES: Final = range(8)
_ATTRIBUTES: Final = range(8, 12)
"""Nodes that every file has; old ones say these among them again."""

_INCLUSIVE: Final = (
    re.compile(r"max#(inclusive|i(nclusive_)?scale)#.*time"),
    re.compile(r"(inclusive|i(nclusive_)?scale)#.*time"),
)
"""Columns of the inclusive time: of the slowest process, or of each or the only one."""

_MEANS: Final = (
    re.compile(r"avg#(inclusive|i(nclusive_)?scale)#.*time"),
    _INCLUSIVE[1],
)
_UNITS: Final = {"sec": "s", "usec": "us", "msec": "ms", "nsec": "ns"}
_PROCESSES: Final = ("jobsize", "mpi.world.size")
_THREADS: Final = ("omp_num_threads", "threads")
_SIZES: Final = ("problem_size", "ProblemSizeRunParam")
_HELD: Final = ("variant", "tuning", "compiler", "mpi", "iterations")
"""Facts that tell one program from another; hosts, users and paths do not."""

_COMMIT: Final = re.compile(
    r"(git_?)?(commit|sha|hash)(_?(hash|sha|id))?", re.IGNORECASE
)

_HASH: Final = re.compile("[0-9a-f]{7,40}")
_UNIX_TIME: Final = re.compile(r"\d{9,10}")

_Record = Mapping[str, Any]


def recognises(head: str) -> bool:
    """Tell whether a text begins with a record."""
    return _BEGINNING.match(head) is not None


def read(source: Source) -> Iterator[series.ImportedMeasurement]:
    """Yield the time of each region on the slowest process, and its own time.

    The record without a path is what no region holds. A time series, a trace of events
    or an activity of a device is no region profile.
    """
    reader = _read(source)
    records = [record for record in reader.records if _path(record)]
    column, size = _column(source, reader, records, _INCLUSIVE)
    facts = {str(key): str(fact) for key, fact in reader.globals.items()}
    run = ProfiledRun(
        _coordinate(source, facts),
        {key: series.plain_setting(facts[key]) for key in _HELD if facts.get(key)},
        _provenance(facts),
    )
    times = _by_path(source, records, column, size)
    by_name = {"->".join(path): seconds for path, seconds in times.items()}
    yield from run.measured("time", by_name)
    column, size = _column(source, reader, records, _MEANS)
    own_times = _own(_by_path(source, records, column, size))
    yield from run.measured(series.OWN_TIME, own_times)


def _read(source: Source) -> Any:
    try:
        from caliperreader import CaliperReader  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingReader(source.name, "caliper-reader", "caliper") from None
    reader = CaliperReader()
    try:
        reader.read(_checked(source))
    except UnreadableFile:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a foreign parser raises
        reason = f"{type(error).__name__}: {error}"
        raise source.malformed("a record of Caliper", quoted(reason)) from None
    return reader


def _checked(source: Source) -> Iterator[str]:
    """Yield lines in which a node follows its parent, as a circle would not end."""
    known = {*_TYPES, *_ATTRIBUTES}
    for line in source:
        if not line.strip():
            continue
        source.require_whole_line()
        if node := _NODE.fullmatch(line):
            number = int(node["id"])
            reference = _PARENT.fullmatch(node["rest"] or "")
            parent = int(reference["parent"]) if reference else None
            is_repeated = number in _ATTRIBUTES and parent in _TYPES
            is_new = number not in known and (parent is None or parent in known)
            if not is_new and not is_repeated:
                raise source.malformed("a new node behind its parent", quoted(line))
            known.add(number)
        yield line


def _path(record: _Record) -> tuple[str, ...]:
    path = record.get("path")
    names = path if isinstance(path, list) else [path or ""]
    return tuple(str(name) for name in names if str(name).strip())


def _column(
    source: Source,
    reader: Any,
    records: Sequence[_Record],
    patterns: Sequence[re.Pattern[str]],
) -> tuple[str, float]:
    """Return the column of times that the records have, and its unit in seconds."""
    names = list(dict.fromkeys(str(key) for record in records for key in record))
    for pattern in patterns:
        if name := next(filter(pattern.match, names), None):
            stated = reader.attribute(name).get("attribute.unit")
            unit = "ns" if stated is None and name.endswith(".ns") else str(stated)
            unit = _UNITS.get(unit, unit)
            if unit not in SECONDS:
                raise source.malformed(f"a unit of {name}", quoted(stated))
            return name, SECONDS[unit]
    raise source.malformed(
        "a region profile with inclusive times", f"{len(records)} records of regions"
    )


def _by_path(
    source: Source, records: Sequence[_Record], column: str, size: float
) -> dict[tuple[str, ...], float]:
    """Return the largest time of each path, over the records of processes."""
    times: dict[tuple[str, ...], float] = {}
    for record in records:
        if column in record:
            seconds = source.finite(str(record[column])) * size
            if math.isnan(seconds):
                continue
            times[_path(record)] = max(times.get(_path(record), seconds), seconds)
    return times


def _own(means: Mapping[tuple[str, ...], float]) -> dict[str, float]:
    """Return the own time of each region: without that of its children."""
    children: dict[tuple[str, ...], float] = defaultdict(float)
    for path, seconds in means.items():
        children[path[:-1]] += seconds
    own_times: dict[str, float] = defaultdict(float)
    for path, seconds in means.items():
        own_times[path[-1]] += max(seconds - children[path], 0.0)
    return own_times


def _coordinate(source: Source, facts: Mapping[str, str]) -> dict[str, float]:
    coordinate: dict[str, float] = {}
    for name, keys in (("p", _PROCESSES), ("threads", _THREADS), ("n", _SIZES)):
        for key in keys:
            if not facts.get(key):
                continue
            setting = source.finite(facts[key])
            if not setting > 0:
                raise source.malformed(f"a positive {key}", quoted(facts[key]))
            if coordinate.setdefault(name, setting) != setting:
                raise UnreadableFile(
                    source.name,
                    f"{key} says {name}={setting:g}, and another "
                    f"{name}={coordinate[name]:g}",
                )
    return coordinate


def _provenance(facts: Mapping[str, str]) -> series.Provenance:
    commit = next(
        (
            fact
            for key, fact in facts.items()
            if _COMMIT.fullmatch(key) and _HASH.fullmatch(fact)
        ),
        None,
    )
    launch = facts.get("launchdate", "")
    return series.Provenance(
        commit=commit,
        machine=facts.get("cluster") or None,
        started_at=(
            datetime.fromtimestamp(int(launch), UTC).isoformat()
            if _UNIX_TIME.fullmatch(launch)
            else None
        ),
    )

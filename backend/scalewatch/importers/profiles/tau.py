"""Profiles of TAU: a file `profile.NODE.CONTEXT.THREAD` of each thread."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from scalewatch.importers import series
from scalewatch.importers.profiles import ProfiledRun
from scalewatch.importers.source import Source, quoted

_TITLE: Final = re.compile(
    r"(?P<rows>\d{1,9}) templated_functions(_MULTI_(?P<metric>\w+))?"
)
_NUMBER: Final = r"\d++(?:\.\d*+)?(?:[eE][+-]?\d++)?"
_ROW: Final = re.compile(
    rf'"(?P<name>.*)" {_NUMBER} {_NUMBER} (?P<own>{_NUMBER}) (?P<all>{_NUMBER})'
    rf' {_NUMBER} GROUP="(?P<group>.*)'
)
_REPEATED: Final = re.compile(r"\bTAU_(CALLPATH|PARAM|PHASE)\b")
_CLOCKS: Final = re.compile(r"TIME|GET_TIME_OF_DAY|LINUX_TIMERS|P_WALL_CLOCK_TIME")
_PART: Final = re.compile(
    r"profile\.(?P<node>\d{1,9})\.(?P<context>\d{1,9})\.(?P<thread>\d{1,9})"
)
_APPLICATION: Final = ".TAU application"
_MICROSECOND: Final = 1e-6


class _Thread(NamedTuple):
    """Which of all threads wrote a file."""

    node: int
    context: int
    number: int


def recognises(head: str) -> bool:
    """Tell whether a text begins like a profile."""
    return _TITLE.fullmatch(head.partition("\n")[0].strip()) is not None


def read(source: Source) -> Iterator[series.ImportedMeasurement]:
    """Yield the times of functions, of the slowest thread, and their own times.

    Files that lie beside it are of other processes and threads of the same run. Rows
    of call paths, parameters and phases repeat others and are passed over.
    """
    inclusive: dict[str, float] = defaultdict(float)
    own_times: dict[str, float] = defaultdict(float)
    threads = set[_Thread]()
    metric = ""
    for part in _parts(source):
        numbers = _PART.fullmatch(_name(part))
        # A file of another name is of the only thread.
        thread = _Thread(*map(int, numbers.groups())) if numbers else _Thread(0, 0, 0)
        metric = _read_part(part, inclusive, own_times)
        threads.add(thread)
    nodes = {thread.node for thread in threads}
    if len(nodes) != max(nodes) + 1:
        # Without a process it is another p.
        expected = f"files of all processes from 0 to {max(nodes)}"
        raise source.malformed(expected, f"{len(nodes)} of them", 1)
    coordinate = {"p": float(len({thread[:2] for thread in threads}))}
    if threads_each := max(thread.number for thread in threads):
        coordinate["threads"] = threads_each + 1.0
    run = ProfiledRun(coordinate)
    if not _CLOCKS.fullmatch(metric):
        yield from run.measured(metric, inclusive, unit=None)
        return
    yield from run.measured("time", _scaled(inclusive, _MICROSECOND))
    yield from run.measured(
        series.OWN_TIME, _scaled(own_times, _MICROSECOND / len(threads))
    )


def _scaled(values: Mapping[str, float], factor: float) -> dict[str, float]:
    return {name: value * factor for name, value in values.items()}


def _parts(source: Source) -> Iterator[Source]:
    """Yield the files of all threads."""
    yield source
    if source.surroundings is None or not _PART.fullmatch(_name(source)):
        return
    for name in source.surroundings.names():
        if _PART.fullmatch(name) and name != _name(source):
            lines = source.surroundings.lines(name)
            if lines is not None:
                folder = posixpath.dirname(source.name)
                part = Source(posixpath.join(folder, name), lines)
                part.longest_line = source.longest_line
                yield part


def _name(source: Source) -> str:
    return posixpath.basename(source.name)


def _read_part(
    part: Source, inclusive: dict[str, float], own_times: dict[str, float]
) -> str:
    """Add what a thread measured, and return the metric."""
    title = _TITLE.fullmatch(next(part, "").strip())
    if title is None:
        raise part.malformed("'… templated_functions'", "another line")
    next(part, "")  # the names of the columns, and metadata
    for _ in range(int(title["rows"])):
        line = next(part, None)
        if line is None:
            raise part.malformed(f"{title['rows']} functions", "the end of the file")
        row = _ROW.match(line)
        if row is None or not row["group"].rstrip().endswith('"'):
            raise part.malformed("a function and its times", quoted(line))
        if _REPEATED.search(row["group"]) or " => " in row["name"]:
            continue
        name = row["name"].strip()
        name = series.WHOLE_PROGRAM if name == _APPLICATION else name
        inclusive[name] = max(inclusive[name], part.finite(row["all"]))
        own_times[name] += part.finite(row["own"])
    return title["metric"] or "TIME"

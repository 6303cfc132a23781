"""Tables of the NCCL and RCCL tests: a row per message size, out of place and in place.

Time, `algbw = bytes/time`, and `busbw`, which is algbw times what the algorithm has to
send per byte, such as 2(p-1)/p of an allreduce.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from scalewatch.importers import series
from scalewatch.importers.source import Source, quoted

_BEGINNING: Final = re.compile(
    r"^# +nThread +\d+ +nGpus |^# +size +count +type .* busbw", re.MULTILINE
)
_RUN: Final = re.compile(r"# +nThread +\d")
_RANK: Final = re.compile(
    r"# +Rank +(?P<rank>\d{1,9}) (?:Group +\d+ )?Pid +\d+ on +(?P<host>\S+) device"
)
_TEST: Final = re.compile(
    r"(?<!\w)(?P<name>(?:all_reduce|all_gather|alltoallv?|broadcast|gather|hypercube|reduce"
    r"|reduce_scatter|scatter|sendrecv)_perf)(?!\w)"
)
_BAD_END: Final = re.compile(r"# +Out of bounds values +: +\d+ +FAILED")
_PLACEMENTS: Final = ("out of place", "in place")
_METRICS: Final = {"time": "us", "algbw": "GB/s", "busbw": "GB/s"}
_CHECKS: Final = frozenset({"#wrong", "error"})
_SIZE: Final = re.compile(r"\d{1,18}")
_UNCHECKED: Final = "N/A"
_NONE: Final = frozenset({"none", "-1"})
"""An operation or a root that a collective has not."""


@dataclass(slots=True)
class _Run:
    """A run of a test: its ranks and hosts, the columns of its table, its results."""

    test: str
    hosts: dict[int, str] = field(default_factory=dict)
    columns: Sequence[str] = ()
    results: list[series.ImportedMeasurement] = field(default_factory=list)
    has_wrong: bool = False
    is_unchecked: bool = False
    has_failed: bool = False


def recognises(head: str) -> bool:
    """Tell whether a text has the beginning of a run, or the header of its table."""
    is_like_one = "nGpus" in head or "busbw" in head
    return is_like_one and _BEGINNING.search(head) is not None


def read(source: Source) -> Iterator[series.ImportedMeasurement]:
    """Yield the results of each run; those with wrong values failed."""
    run = _Run("")
    test = ""
    for line in source:
        if named := _TEST.search(line):
            test = named["name"]
            run.test = run.test or test
        if _RUN.match(line):
            yield from _ended(source, run)
            run = _Run(test)
        elif rank := _RANK.match(line):
            run.hosts[int(rank["rank"])] = rank["host"]
        elif line.startswith("#"):
            words = line[1:].split()
            if words[:1] == ["size"] and _METRICS.keys() <= set(words):
                run.columns = words
            run.has_failed |= _BAD_END.match(line) is not None
        elif run.columns and _SIZE.fullmatch((cells := line.split() or [""])[0]):
            if len(cells) != len(run.columns):
                expected = f"{len(run.columns)} cells, one per column"
                raise source.malformed(expected, str(len(cells)))
            source.require_whole_line()
            run.results += _results(source, run, cells)
    yield from _ended(source, run)


def _results(
    source: Source, run: _Run, cells: Sequence[str]
) -> Iterator[series.ImportedMeasurement]:
    """Yield what a row measured of each placement of the buffers."""
    at = run.columns.index("time")
    said = dict(zip(run.columns[:at], cells[:at], strict=True))
    held: dict[str, series.Setting] = {"message_bytes": int(said["size"])}
    held |= {
        key: said[key]
        for key in ("type", "redop", "root")
        if said.get(key, "none") not in _NONE
    }
    width = (len(cells) - at) // max(run.columns.count("time"), 1)
    for number, first in enumerate(range(at, len(cells), width)):
        group = dict(
            zip(run.columns[first : first + width], cells[first:], strict=False)
        )
        is_wrong = False
        for check in group.keys() & _CHECKS:
            run.is_unchecked |= group[check] == _UNCHECKED
            if group[check] != _UNCHECKED and check == "#wrong":
                is_wrong = source.finite(group[check]) != 0
        run.has_wrong |= is_wrong
        for metric, unit in _METRICS.items():
            if metric not in group:
                raise source.malformed(f"a column {metric}", quoted(cells[first]))
            measurement = series.measurement(
                run.test or "collective_perf",
                metric,
                unit,
                source.number(group[metric]),
                {"p": len(run.hosts)} if run.hosts else {},
                {**held, "placement": _PLACEMENTS[number]},
                source.origin,
                failed=is_wrong,
            )
            nodes = float(len({*run.hosts.values()}))
            yield measurement._replace(dependent=(("nodes", nodes),) * bool(nodes))


def _ended(source: Source, run: _Run) -> Iterator[series.ImportedMeasurement]:
    """Yield the results of a run, failed if its end says so and no row does."""
    if run.is_unchecked:
        source.notes.append("its results were not all checked (N/A among #wrong)")
    is_lost = run.has_failed and not run.has_wrong
    for result in run.results:
        lost = [float("nan")] * len(result.values)
        yield result._replace(values=lost) if is_lost else result

"""Tables of the Intel MPI Benchmarks: a header of comments, a row per message size."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from scalewatch.importers import series
from scalewatch.importers.source import Source, is_printed_row

_TITLE: Final = re.compile(r"#\s*Benchmarking\s+(?P<name>\S+)\s*")
_PROCESSES: Final = re.compile(
    r"#\s*#processes = (?P<count>\d{1,18})\b(?:.*\bthreads: (?P<threads>\d{1,9})\b)?"
)
_GROUPS: Final = re.compile(
    r"#\s*\(\s*(?P<groups>\d{1,18}) groups of (?P<count>\d{1,18}) proc.*"
)
_MODE: Final = re.compile(r"#\s*MODE:\s*(?P<mode>\S+)\s*")
_COLUMN: Final = re.compile(
    r"#bytes|#repetitions|&?[Gg]roup|t(_\w+)?\[usec\]|overlap\[%\]|Mbytes/sec|Msg/sec|defects"
)
_FAILED: Final = re.compile(r"\s*(?P<bytes>\d{1,18})\b.*\b(out-of-mem|time-out)\.")

_BANNER: Final = re.compile(r"^#.*Intel ?\(R\) MPI Benchmark", re.MULTILINE)
_BEGINNING: Final = re.compile(
    r"^# Benchmarking \S+\s*\n#\s*(#processes = \d|\( *\d+ groups of)", re.MULTILINE
)

_SIZE: Final = "#bytes"
_DEFECTS: Final = "defects"
"""Results that were wrong, which a build that checks them counts."""

_TIMES: Final = ("t_max[usec]", "t[usec]", "t_pure[usec]", "t_avg[usec]")
"""Columns of the time of an operation, the preferred before others."""

_OTHERS: Final = {
    "t_ovrl[usec]": ("time_overlapped", "us"),
    "Mbytes/sec": ("bandwidth", "Mbytes/sec"),
    "Msg/sec": ("message_rate", "Msg/sec"),
}
"""Metric and unit of the other columns; what follows from them is left out."""


def recognises(head: str) -> bool:
    """Tell whether a text has the banner or the title of a table."""
    return bool(_BANNER.search(head) or _BEGINNING.search(head))


def read(source: Source) -> Iterator[series.ImportedMeasurement]:
    """Yield what each row says; what stands around the tables is passed over.

    The slowest process counts. A table knows its processes, hence several files make
    one scan.
    """
    table: _Table | None = None
    for line in source:
        if title := _TITLE.fullmatch(line):
            table = _Table(source, title["name"])
        elif table is None:
            continue
        elif line.startswith("#") and not line.startswith("#bytes"):
            table.read_comment(line)
        elif "#repetitions" in line and all(map(_COLUMN.fullmatch, line.split())):
            table.columns = line.split()
        elif table.columns and table.is_row(line):
            yield from table.row(line)
        elif not line.strip():
            table.columns = ()


class _Table:
    """The table that is being read."""

    def __init__(self, source: Source, name: str) -> None:
        self.source = source
        self.name = name
        self.processes: int | None = None
        self.threads: int | None = None
        self.facts: dict[str, series.Setting] = {}
        self.columns: Sequence[str] = ()

    def read_comment(self, line: str) -> None:
        """Take what a comment between title and rows says."""
        if processes := _PROCESSES.match(line):
            self.processes = int(processes["count"])
            if processes["threads"]:
                self.threads = int(processes["threads"])
        elif groups := _GROUPS.fullmatch(line):
            self.processes = int(groups["count"])
            self.facts["groups"] = int(groups["groups"])
        elif mode := _MODE.fullmatch(line):
            self.facts["mode"] = mode["mode"]

    def is_row(self, line: str) -> bool:
        """Tell a row, also one that failed, from what others print meanwhile."""
        is_failed = _FAILED.match(line) is not None
        return is_failed or is_printed_row(line.split(), len(self.columns))

    def row(self, line: str) -> Iterator[series.ImportedMeasurement]:
        """Yield the metrics of a row, NaN where time or memory were exhausted."""
        if self.processes is None:
            raise self.source.malformed("a line '# #processes = …' before", "none")
        if failed := _FAILED.match(line):
            yield from self.measured({_SIZE: failed["bytes"]})
            return
        cells = line.split()
        if len(cells) != len(self.columns):
            expected = f"{len(self.columns)} cells, one per column"
            raise self.source.malformed(expected, str(len(cells)))
        self.source.require_whole_line()
        yield from self.measured(dict(zip(self.columns, cells, strict=True)))

    def measured(self, row: Mapping[str, str]) -> Iterator[series.ImportedMeasurement]:
        facts = self.facts
        if _SIZE in self.columns:
            size = int(self.source.number(row[_SIZE]))
            facts = {**facts, "message_bytes": size}
        is_wrong = _DEFECTS in row and self.source.number(row[_DEFECTS]) > 0
        known = {"p": self.processes, "threads": self.threads}
        at = {key: count for key, count in known.items() if count is not None}
        for column, metric, unit in self.metrics():
            value = self.source.number(row[column]) if column in row else math.nan
            yield series.measurement(
                self.name, metric, unit, value, at, facts, failed=is_wrong
            )

    def metrics(self) -> Iterator[tuple[str, str, str]]:
        """Yield column, metric and unit of what a row measures."""
        times = [column for column in _TIMES if column in self.columns]
        if times:
            yield times[0], "time", "us"
        for column, (metric, unit) in _OTHERS.items():
            if column in self.columns:
                yield column, metric, unit

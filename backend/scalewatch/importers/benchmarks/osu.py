"""Tables of the OSU micro-benchmarks: a title, a header, a row per message size."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final

from scalewatch.importers.series import ImportedMeasurement, SeriesIdentity
from scalewatch.importers.source import Source, quoted
from scalewatch.importers.tables.printed import is_row
from scalewatch.wire import UNITS

_TITLE: Final = re.compile(
    r"#\s*OSU (?P<name>.+?) (?:Test|Benchmark)s?\b.*?(?:\s*v(?P<version>[\d.]+))?\s*"
)
_PAIRS: Final = re.compile(r"#.*\[\s*pairs:\s*(?P<pairs>\d{1,18})\s*\]")
_FACT: Final = re.compile(r"#\s*(?P<key>Datatype)\s*:\s*(?P<value>[\w.]+?)\.?\s*")
_HEADER: Final = re.compile(r"#\s*(?:Size\b|(?:Avg )?Latency|Overall).*")
_COLUMN: Final = re.compile(
    r"(?P<name>[A-Z][\w./]*(?: [A-Za-z.]+)*?)\s*\((?P<unit>[\w/%]+)\)|(?P<rate>\w+/s)"
    r"|(?P<bare>\S+)"
)
_LAUNCHER: Final = re.compile(
    r"(?:^|\s)(?P<program>mpirun|mpiexec|jsrun|srun|aprun|flux|prterun)\s"
    r"(?:.*?\s)?(?:-n|-np|--ntasks|--np)[ =]?(?P<count>\d{1,9})(?=\s)"
    r"(?:.*\s-a\s?(?P<each>\d{1,9})(?=\s))?"
)
"""A command that starts processes: of jsrun -n is of sets, with -a tasks each."""

_OPERATIONS: Final = re.compile(r" (?:Non-blocking )?Latency$")
_KEPT: Final = ("Latency", "Bandwidth", "Multi")
_TIMES: Final = {"Latency": None, "Avg Latency": None, "Overall": "overall"}
_RATES: Final = {"Bandwidth": "bandwidth", "MB/s": "bandwidth"}
_PROCESSES_OF_PAIR: Final = 2


def recognises(head: str) -> bool:
    """Tell whether a text has the title of a table."""
    return re.search(r"^#\s*OSU .*\b(Test|Benchmark)", head, re.MULTILINE) is not None


def read(source: Source) -> Iterator[ImportedMeasurement]:
    """Yield what each row says; what stands around the tables is passed over."""
    table: _Table | None = None
    launched: float | None = None
    for line in source:
        if title := _TITLE.fullmatch(line):
            table = _Table(source, title["name"], launched)
        elif launcher := _LAUNCHER.search(line):
            launched = float(int(launcher["count"]) * int(launcher["each"] or 1))
            table = None
        elif table is None:
            continue
        elif line.startswith("#"):
            table.read_comment(line)
        elif not line.strip():
            table = None if table.columns else table
        elif table.columns and is_row(line.split(), table.width):
            yield from table.row(line.split())


class _Table:
    """The table that is being read."""

    def __init__(self, source: Source, title: str, launched: float | None) -> None:
        self.source, self.launched = source, launched
        words = title.removeprefix("MPI ")
        is_kept = words.startswith(_KEPT) or "Bandwidth" in words
        name = words if is_kept else _OPERATIONS.sub("", words)
        joined = name.replace("/", "per").replace(" ", "_")
        self.region = joined if joined.startswith("MPI_") else f"MPI_{joined}"
        self.pairs: int | None = None
        self.facts: dict[str, str] = {}
        self.columns: list[tuple[str, str] | None] = []
        self.has_size = False

    @property
    def width(self) -> int:
        """How many cells a row has."""
        return len(self.columns) + self.has_size

    def read_comment(self, line: str) -> None:
        """Take what a comment between title and rows says."""
        if pairs := _PAIRS.match(line):
            self.pairs = int(pairs["pairs"])
        elif fact := _FACT.fullmatch(line):
            self.facts["datatype"] = fact["value"]
        elif _HEADER.fullmatch(line):
            names = line.lstrip("# ").strip()
            self.has_size = names.startswith("Size")
            found = _COLUMN.finditer(names.removeprefix("Size"))
            self.columns = [_meaning(column) for column in found]

    def row(self, cells: Sequence[str]) -> Iterator[ImportedMeasurement]:
        """Yield the metrics of a row."""
        if len(cells) != self.width:
            expected = f"{self.width} cells, one per column"
            raise self.source.malformed(expected, str(len(cells)))
        self.source.require_whole_line()
        configuration = dict[str, str | int](self.facts)
        if self.has_size:
            configuration["message_bytes"] = self.count(cells[0])
        processes = () if self.pairs is None else (self.pairs * _PROCESSES_OF_PAIR,)
        for meaning, cell in zip(self.columns, cells[self.has_size :], strict=True):
            if meaning is None:
                continue
            metric, unit = meaning
            units = UNITS.get(metric, {unit: 1.0})
            subject = SeriesIdentity(
                self.region,
                metric,
                next(iter(units)),
                tuple(configuration.items()),
                ("p",) if processes else (),
                self.source.origin,
            )
            value = self.number(cell) * units.get(unit, 1.0)
            coordinate = tuple(map(float, processes))
            yield ImportedMeasurement(
                subject, coordinate, [value], launched=self.launched
            )

    def count(self, cell: str) -> int:
        if not re.fullmatch(r"\d{1,18}", cell):
            raise self.source.malformed("a message size", quoted(cell))
        return int(cell)

    def number(self, cell: str) -> float:
        if re.fullmatch("[Nn]a[Nn]", cell):
            return math.nan
        return self.source.number(cell)


def _meaning(column: re.Match[str]) -> tuple[str, str] | None:
    """Return metric and unit of a column; extremes and counts are none of both."""
    if column["rate"]:
        is_rate = column["rate"].lower().startswith("messages")
        return ("message_rate" if is_rate else "bandwidth"), column["rate"]
    if column["name"] is None:
        return None
    if column["name"] in _RATES:
        return _RATES[column["name"]], column["unit"]
    return ("time", column["unit"]) if column["name"] in _TIMES else None

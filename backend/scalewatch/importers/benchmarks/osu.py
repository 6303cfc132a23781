"""Tables of the OSU micro-benchmarks: a title, a header, a row per message size."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final

from scalewatch.importers import series
from scalewatch.importers.source import Source, is_printed_row, quoted

_BEGINNING: Final = re.compile(r"^#\s*(OSU|OMB-Py) .*\b(Test|Benchmark)", re.MULTILINE)
_TITLE: Final = re.compile(r"#\s*+(?:OSU|OMB-Py) (?P<name>.+?) (?:Test|Benchmark)s?\b")
_LIBRARY: Final = re.compile(
    r"(?P<library>MPI|NCCL|RCCL|XCCL|OpenSHMEM)(?:-(?P<device>[A-Z]+))?\s+"
)
"""Library under test, and the kind of device that holds the buffers."""

_PAIRS: Final = re.compile(r"#.*\[\s*pairs:\s*(?P<pairs>\d{1,18})\s*\]")
_FACT: Final = re.compile(
    r"#\s*+(?P<key>Datatype|Window creation|Synchronization|Partitions)\s*+:"
    r"\s*+(?P<value>[\w./ ]*[\w./])\s*+"
)
_BUFFER: Final = re.compile(r"\b(?:on|ON) [A-Z ]*+(?:\((\w++)\))?")
"""Where a buffer lies, `D` is a device and `H` the host."""

_USUAL_BUFFERS: Final = ["H", "H"]

_INIT: Final = re.compile(
    r"nprocs: (?P<p>\d{1,9}), min: \S+ ms, max: \S+ ms, avg: (?P<avg>\S+) ms\s*"
)
_PASSED: Final = "pass"
_HEADER: Final = re.compile(r"#\s*(?:Size\b|(?:Avg )?Latency|Overall).*")
_COLUMN: Final = re.compile(
    r"(?P<name>[A-Z][\w./]{0,40}(?: [A-Za-z.]{1,40}){0,5}?)\s{0,40}"
    r"\((?P<unit>[\w/%]{1,40})\)|(?P<rate>\w{1,40}/s)|(?P<bare>\S+)"
)
_SIZE_COLUMN: Final = re.compile(r"^Size(\s*\(B\))?")
_LAUNCHER: Final = re.compile(
    r"(?:^|\s)(?:mpirun|mpiexec|jsrun|srun|aprun|flux|prterun)(?=\s)"
)
_PROCESSES: Final = re.compile(
    r"\s(?:-n|-np|--ntasks|--np)[ =]?(?P<count>\d{1,9})(?=\s)"
)
_TASKS_OF_SET: Final = re.compile(r"\s-a\s?(?P<count>\d{1,9})(?=\s)")
_COUNT: Final = re.compile(r"\d{1,18}")
_NOT_A_NUMBER: Final = re.compile("[Nn]a[Nn]")

_OPERATIONS: Final = re.compile(r" (?:Non-blocking )?Latency$", re.IGNORECASE)
_KEPT: Final = ("Latency", "Bandwidth", "Multi")
_TIMES: Final = {"Latency": None, "Avg Latency": None, "Overall": "overall"}
_RATES: Final = {"Bandwidth": "bandwidth", "MB/s": "bandwidth"}
_VALIDATION: Final = ("Validation", "")
_PROCESSES_OF_PAIR: Final = 2


def recognises(head: str) -> bool:
    """Tell whether a text has the title of a table."""
    is_like_one = "OSU " in head or "OMB-Py " in head
    return is_like_one and _BEGINNING.search(head) is not None


def read(source: Source) -> Iterator[series.ImportedMeasurement]:
    """Yield what each row says; what stands around the tables is passed over."""
    table: _Table | None = None
    launched: float | None = None
    for line in source:
        if title := _TITLE.match(line):
            table = _Table(source, title["name"], launched)
        elif (started := _started(line)) is not None:
            launched, table = started, None
        elif table is None:
            continue
        elif line.startswith("#"):
            table.read_comment(line)
        elif init := _INIT.fullmatch(line):
            yield table.of_initialisation(init)
        elif not line.strip():
            table = None if table.columns else table
        elif table.columns and is_printed_row(line.split(), table.width):
            yield from table.row(line.split())


def _started(line: str) -> float | None:
    """Return how many processes the command in a line starts, if it is a launcher.

    Of jsrun, -n is the number of sets, with -a tasks each.
    """
    launcher = _LAUNCHER.search(line)
    count = launcher and _PROCESSES.search(line, launcher.end())
    if count is None:
        return None
    tasks = [
        int(option["count"]) for option in _TASKS_OF_SET.finditer(line, count.end())
    ]
    return float(int(count["count"]) * (tasks[-1] if tasks else 1))


class _Table:
    """The table that is being read."""

    def __init__(self, source: Source, title: str, launched: float | None) -> None:
        self.source, self.launched = source, launched
        library = _LIBRARY.match(title)
        words = title[library.end() :] if library else title
        prefix = library["library"] if library else "MPI"
        is_kept = words.startswith(_KEPT) or "Bandwidth" in words
        name = words if is_kept else _OPERATIONS.sub("", words)
        joined = name.replace("/", "per").replace(" ", "_")
        self.region = joined if joined.startswith("MPI_") else f"{prefix}_{joined}"
        self.pairs: int | None = None
        self.facts: dict[str, str] = {}
        if library and library["device"]:
            self.facts["device"] = library["device"]
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
            key = fact["key"].lower().replace(" ", "_")
            self.facts[key] = fact["value"].removesuffix(".")
        elif len(buffers := list(filter(None, _BUFFER.findall(line)))) > 1:
            # Where the buffers lie is said if that is not the memory of the host.
            if buffers[-2:] != _USUAL_BUFFERS:
                self.facts["buffers"] = " ".join(buffers[-2:])
        elif _HEADER.fullmatch(line):
            names = line.lstrip("# ").strip()
            self.has_size = names.startswith("Size")
            columns = _COLUMN.finditer(_SIZE_COLUMN.sub("", names))
            self.columns = [_meaning(column) for column in columns]

    def row(self, cells: Sequence[str]) -> Iterator[series.ImportedMeasurement]:
        """Yield the metrics of a row."""
        if len(cells) != self.width:
            expected = f"{self.width} cells, one per column"
            raise self.source.malformed(expected, str(len(cells)))
        self.source.require_whole_line()
        held = dict[str, series.Setting](self.facts)
        if self.has_size:
            if not _COUNT.fullmatch(cells[0]):
                raise self.source.malformed("a message size", quoted(cells[0]))
            held["message_bytes"] = int(cells[0])
        at = {} if self.pairs is None else {"p": self.pairs * _PROCESSES_OF_PAIR}
        measured = list(zip(self.columns, cells[self.has_size :], strict=True))
        is_failed = any(
            meaning == _VALIDATION and cell.lower() != _PASSED
            for meaning, cell in measured
        )
        for meaning, cell in measured:
            if meaning is None or meaning == _VALIDATION:
                continue
            yield series.measurement(
                self.region,
                *meaning,
                self.number(cell),
                at,
                held,
                self.source.origin,
                failed=is_failed,
                launched=self.launched,
            )

    def of_initialisation(self, init: re.Match[str]) -> series.ImportedMeasurement:
        """Return the mean time that MPI_Init took."""
        self.source.require_whole_line()
        at = {"p": float(init["p"])}
        return series.measurement(
            self.region, "time", "ms", self.number(init["avg"]), at
        )

    def number(self, cell: str) -> float:
        if _NOT_A_NUMBER.fullmatch(cell):
            return math.nan
        return self.source.number(cell)


def _meaning(column: re.Match[str]) -> tuple[str, str] | None:
    """Return metric and unit of a column; extremes and counts are none of both."""
    if column["rate"]:
        is_rate = column["rate"].lower().startswith("messages")
        return ("message_rate" if is_rate else "bandwidth"), column["rate"]
    if column["bare"] == _VALIDATION[0]:
        return _VALIDATION
    if column["name"] is None:
        return None
    if column["name"] in _RATES:
        return _RATES[column["name"]], column["unit"]
    return ("time", column["unit"]) if column["name"] in _TIMES else None

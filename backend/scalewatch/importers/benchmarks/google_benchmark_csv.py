"""CSV of Google Benchmark, whose rows have the keys of its JSON."""

import csv
from collections.abc import Iterator, Mapping
from typing import Any, Final

from scalewatch.importers import series
from scalewatch.importers.benchmarks import google_benchmark
from scalewatch.importers.documents import Document
from scalewatch.importers.source import Source, quoted
from scalewatch.texts.cells import read_cell

HEADER: Final = "name,iterations,real_time,cpu_time,time_unit"
_TEXTS: Final = frozenset({"name", "time_unit", "label", "error_message"})
_NO: Final = frozenset({"", "false"})


def recognises(head: str) -> bool:
    """Tell whether a text has the header of a table, behind what it says before."""
    return head.startswith(HEADER) or f"\n{HEADER}" in head


def read(source: Source) -> Iterator[series.ImportedMeasurement]:
    """Yield times and rates of each row; what is said before the header is not."""
    for line in source:
        if line.startswith(HEADER):
            break
    else:
        raise source.malformed(f"the header {HEADER}", "the end of the file")
    header, rows = next(csv.reader([line])), list[Mapping[str, Any]]()
    first = source.line
    for cells in csv.reader(filter(str.strip, source)):
        if len(cells) != len(header):
            expected = f"{len(header)} cells, one per column"
            raise source.malformed(expected, str(len(cells)))
        source.require_whole_line()
        rows.append(_row(source, dict(zip(header, cells, strict=True))))
    content = {"context": {}, "benchmarks": rows}
    document = Document(content, source.name, f"line {first}")
    yield from google_benchmark.read([document])


def _row(source: Source, cells: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a row as JSON has it, without what its benchmark did not count."""
    row: dict[str, Any] = {}
    for name, cell in cells.items():
        if name == "error_occurred":
            row[name] = cell.strip().lower() not in _NO
        elif name in _TEXTS:
            row[name] = cell
        elif cell:
            number = read_cell(cell).number
            if number is None:
                raise source.malformed(f"a number of {name}", quoted(cell))
            row[name] = number
    return row

"""Tables in Markdown, with or without titles, as JUBE's pretty results are.

JUBE before 2.5 draws them without bars at the sides, `nodes | time` over `-----+-----`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from scalewatch.importers.series import ImportedMeasurement
from scalewatch.importers.source import Source
from scalewatch.importers.tables import separated
from scalewatch.importers.tables.columns import CONFIGURATION

_RULE: Final = re.compile(r"\|[-:|\s]+\|")
_OLD_RULE: Final = re.compile(r"[- ]+(\+[- ]+)+")
_ROWS_OF_HEAD: Final = 2
_TITLE: Final = "table"


class _Row(NamedTuple):
    """A row, the table that it is of, and where it stands."""

    table: int
    title: str
    line: int
    cells: bytes


def recognises(head: str) -> bool:
    """Tell whether a text begins with a table, or with a title and a table."""
    lines = [line for line in head.split("\n") if line.strip()]
    if lines and lines[0].rstrip().endswith(":") and "|" not in lines[0]:
        del lines[0]
    if len(lines) < _ROWS_OF_HEAD:
        return False
    header, rule = lines[0].strip(), lines[1].strip()
    if header.startswith("|"):
        is_header = header.endswith("|") and len(header) > 1
        return is_header and _RULE.fullmatch(rule) is not None
    is_header = "|" in header and all(lines[0].split("|"))
    return is_header and _OLD_RULE.fullmatch(rule) is not None


def read(
    source: Source,
    stated: Mapping[str, Sequence[str]],
    *,
    has_coordinate: bool = False,
) -> Iterator[ImportedMeasurement]:
    """Yield what the tables hold; all but the first are told apart by their titles."""
    for number, table_rows in groupby(_rows(source), lambda row: row.table):
        rows = iter(table_rows)
        first = next(rows)
        title = first.title or str(number)
        table = Source(source.name, _lines(first, rows, title if number > 1 else ""))
        table.line = first.line - 1
        table.notes, table.origin = source.notes, source.origin
        meanings = dict(stated)
        if number > 1:
            meanings[CONFIGURATION] = [*stated.get(CONFIGURATION, ()), _TITLE]
        yield from separated.read(table, meanings, has_coordinate=has_coordinate)


def _lines(first: _Row, rows: Iterator[_Row], title: str) -> Iterator[bytes]:
    """Yield the lines of a table, each where it stands, with its title as a column."""
    yield first.cells + (f"|{_TITLE}".encode() if title else b"") + b"\n"
    line = first.line
    for row in rows:
        yield from [b"\n"] * (row.line - line - 1)
        yield row.cells + (f"|{title}".encode() if title else b"") + b"\n"
        line = row.line


def _rows(source: Source) -> Iterator[_Row]:
    """Yield rows, each once the next line has told whether it is a header."""
    number, title, has_bars = 0, "", True
    header: _Row | None = None
    for line in source:
        row = line.strip()
        is_old_rule = bool(_OLD_RULE.fullmatch(row))
        if is_old_rule or _RULE.fullmatch(row):
            if header is not None:
                number, has_bars = number + 1, not is_old_rule
                yield header._replace(table=number, title=title)
                title = ""
            header = None
            continue
        if header is not None and number and header.cells:
            yield header._replace(table=number)
        header = None
        if row.startswith("|") and (not row.endswith("|") or len(row) == 1):
            raise source.malformed("a row that ends with '|'", "none")
        if row.startswith("|"):
            header = _Row(number, title, source.line, row[1:-1].encode())
        elif "|" in row and not (number and has_bars):
            header = _Row(number, title, source.line, row.encode())
        elif row.endswith(":"):
            title = row.rstrip(":")
    if header is not None and number:
        yield header._replace(table=number)

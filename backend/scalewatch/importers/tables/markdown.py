"""Tables in Markdown, with or without titles, as JUBE's pretty results are.

JUBE before 2.5 draws them without bars at the sides, `nodes | time` over `-----+-----`.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from scalewatch.errors import UnclearTable
from scalewatch.importers.series import ImportedMeasurement
from scalewatch.importers.source import Source
from scalewatch.importers.tables import separated
from scalewatch.importers.tables.columns import CONFIGURATION
from scalewatch.texts.cells import read_cell

_RULE: Final = frozenset("-=:|+ \t")
"""Signs of a line that divides rows."""

_OLD_RULE: Final = re.compile(r"[-: ]+([+|][-: ]+)+")
_HEADING: Final = re.compile(r"(?:#+|\*+|=+)\s++(?P<text>\S.*)")
_BOLD: Final = re.compile(r"\*\*(?P<text>[^*]+)\*\*:?")
_EMPHASIS: Final = re.compile(r"[*`]+")
_TITLE: Final = "table"
_LONGEST_TITLE: Final = 80


class _Table(NamedTuple):
    """A table: its heading, and its header and rows, each with its line."""

    title: str
    rows: Sequence[tuple[int, Sequence[str]]]
    begins_file: bool = False


def recognises(head: str) -> bool:
    """Tell whether a text has a header with a rule below it, wherever they stand."""
    lines = [line.strip() for line in head.split("\n") if line.strip()]
    return any(
        (_is_row(header) and _is_rule(rule))
        or (header.startswith("+") and _is_rule(header) and rule.startswith("|"))
        for header, rule in pairwise(lines)
    )


def read(
    source: Source,
    stated: Mapping[str, Sequence[str]],
    *,
    has_coordinate: bool = False,
) -> Iterator[ImportedMeasurement]:
    """Yield what the tables hold; all but the first are told apart by their titles.

    Tables without settings or values, as texts have for other purposes, are passed
    over where another table has them.
    """
    unclear: list[UnclearTable] = []
    read, begins = 0, False
    for number, table in enumerate(_tables(source), 1):
        begins |= table.begins_file
        title = (table.title or str(number)) if read else ""
        lines = Source(source.name, _lines(table, title))
        lines.line = table.rows[0][0] - 1
        lines.notes, lines.origin = source.notes, source.origin
        meanings = dict(stated)
        if title:
            meanings[CONFIGURATION] = [*stated.get(CONFIGURATION, ()), _TITLE]
        try:
            # In a text a table that says no setting is one of something else.
            brought = has_coordinate and table.begins_file
            yield from separated.read(lines, meanings, has_coordinate=brought)
            read += 1
        except UnclearTable as error:
            unclear.append(error)
    if unclear and not read:
        first = unclear[0]
        evidence = first.source, first.place, first.expected, first.actual
        raise UnclearTable(*evidence, is_in_text=not begins)
    source.notes += (
        f"the table of {each.place} is passed over: expected {each.expected}"
        for each in unclear
    )


def _lines(table: _Table, title: str) -> Iterator[bytes]:
    """Yield the lines of a table, each where it stands, with its title as a column."""
    line = table.rows[0][0]
    for at, (number, cells) in enumerate(table.rows):
        yield from [b"\n"] * (number - line - 1)
        last = [_TITLE if at == 0 else title.replace("|", "/")] if title else []
        text = io.StringIO()
        csv.writer(text, delimiter="|", lineterminator="\n").writerow([*cells, *last])
        yield text.getvalue().encode()
        line = number


def _tables(source: Source) -> Iterator[_Table]:
    """Yield the tables among whatever else a text has."""
    title, block, has_text = "", list[tuple[int, str]](), False
    for line in source:
        row = line.strip()
        if row.startswith("|") and (not row.endswith(("|", "+")) or len(row) == 1):
            raise source.malformed("a row that ends with '|'", "none")
        if row and (_is_row(row) or (_is_rule(row) and (block or row[0] in "|+"))):
            block.append((source.line, row))
            continue
        for table in _tables_of(block, title):
            yield table._replace(begins_file=not has_text)
            title, has_text = "", True
        block = []
        has_text |= bool(row) and not row.endswith(":")
        heading = _HEADING.fullmatch(row) or _BOLD.fullmatch(row)
        if heading:
            title = _EMPHASIS.sub("", heading["text"]).rstrip(" #=")[:_LONGEST_TITLE]
        elif row.endswith(":"):
            title = _EMPHASIS.sub("", row).rstrip(":")[:_LONGEST_TITLE]
    for table in _tables_of(block, title):
        yield table._replace(begins_file=not has_text)


def _tables_of(block: Sequence[tuple[int, str]], title: str) -> Iterator[_Table]:
    """Yield the tables of lines that follow each other.

    A row above a rule is a header, unless it has numbers and others stand above it:
    then the rule only divides rows, as in grids.
    """
    rows: list[tuple[int, Sequence[str]]] = []
    is_open = False
    for at, (line, text) in enumerate(block):
        if _is_rule(text):
            continue
        cells = _cells(text)
        is_above_rule = at + 1 < len(block) and _is_rule(block[at + 1][1])
        has_numbers = any(read_cell(cell).number is not None for cell in cells)
        if is_above_rule and not (is_open and has_numbers):
            if len(rows) > 1:
                yield _Table(title, rows)
                title = ""
            rows, is_open = [(line, [_EMPHASIS.sub("", cell) for cell in cells])], True
        elif is_open:
            rows.append((line, cells))
    if len(rows) > 1:
        yield _Table(title, rows)


def _is_rule(row: str) -> bool:
    has_bars = row[:1] in {"|", "+"} and row[-1] in {"|", "+"}
    is_drawn = has_bars and _RULE.issuperset(row) and not {"-", "="}.isdisjoint(row)
    return is_drawn or _OLD_RULE.fullmatch(row) is not None


def _is_row(row: str) -> bool:
    return "|" in row and not _is_rule(row) and not row.startswith("+")


def _cells(row: str) -> list[str]:
    inner = row[1:-1] if row.startswith("|") else row
    return [cell.strip(" *`") for cell in inner.split("|")]

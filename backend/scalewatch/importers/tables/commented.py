"""Tables whose header is a comment, as people write them by hand."""

import csv
import io
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from scalewatch.importers.series import ImportedMeasurement
from scalewatch.importers.source import Source
from scalewatch.importers.tables import separated
from scalewatch.importers.tables.columns import CONFIGURATION
from scalewatch.importers.tables.commented_names import (
    MOST_COLUMNS,
    NUMBER,
    is_commented_out,
    is_resource,
    joined_names,
    meanings_of,
    split_words,
    usual_names,
)

_DELIMITERS: Final = ";|,"
_COMMA: Final = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
_NO_LETTERS: Final = re.compile(r"\W+")
_FACT: Final = re.compile(r"(?P<key>[A-Za-z][\w -]{0,30}?)\s*[:=]\s*(?P<value>\S.*)")
_STATED: Final = re.compile(r"#?\s*(?P<key>[A-Z][A-Z_]{2,30}):\s+(?P<value>\S+)\s*")
"""A fact that a build prints of itself, as `INTEGRATOR: VODE`; of a path, its end."""

_TITLE: Final = "table"
_LONGEST_TITLE: Final = 80


def recognises(head: str) -> bool:
    """Tell whether a text has a comment whose words a row of numbers follows.

    Where prose stands before, or one blank separates the words, the first of them must
    be what programs are scaled over.
    """
    comments: list[str] = []
    has_prose = False
    for line in head.splitlines():
        if line.startswith("#"):
            comments.append(line)
        elif line.strip():
            header = _header(comments, line)
            cells = header and _cells(line, header.delimiter)
            if (
                header
                and cells
                and all(map(NUMBER.fullmatch, (cells[0], cells[-1])))
                and (is_resource(header.names[0]) or not (has_prose or header.is_loose))
            ):
                return True
            has_prose, comments = True, []
    return False


def read(
    source: Source,
    stated: Mapping[str, Sequence[str]],
    *,
    has_coordinate: bool = False,
) -> Iterator[ImportedMeasurement]:
    """Yield the measurements of each row; a deviation is of its left neighbour.

    Several tables are distinguished by the lines before their headers. Facts above
    them, as `INTEGRATOR: VODE`, are configuration.
    """
    blocks = list(_blocks(source))
    for number, block in enumerate(blocks, 1):
        usual = usual_names(block.names)
        renamed = dict(zip(block.names, usual, strict=True))
        by_usual_name = {
            key: [renamed.get(name, name) for name in names]
            for key, names in stated.items()
        }
        block.names = list(usual)
        meanings = meanings_of(usual, [row for _, row in block.rows], by_usual_name)
        facts = {**block.facts}
        if len(blocks) > 1:
            key, value = _fact(block.title) or (_TITLE, str(number))
            facts[key] = value
        for key in [name for name in facts if name not in usual]:
            block.add(key, facts[key])
            meanings.setdefault(CONFIGURATION, []).append(key)
        table = block.table(source)
        yield from separated.read(table, meanings, has_coordinate=has_coordinate)


@dataclass(frozen=True, slots=True)
class _Header:
    """Names of columns, and the delimiter of names and cells."""

    names: Sequence[str]
    delimiter: str | None
    is_loose: bool


@dataclass(slots=True)
class _Block:
    """A table: names of its columns, and its rows, each with its line."""

    names: list[str]
    title: str
    facts: Mapping[str, str]
    rows: list[tuple[int, list[str]]] = field(default_factory=list)

    def add(self, name: str, value: str) -> None:
        """Add a column that holds the same in every row."""
        self.names.append(name)
        for _, row in self.rows:
            row.append(value)

    def table(self, source: Source) -> Source:
        """Return the rows as a table of bars, each on the line where it stands."""
        first = self.rows[0][0]
        lines = {first - 1: self.names, **dict(self.rows)}
        last = self.rows[-1][0]
        table = Source(
            source.name,
            (
                _line(lines[number]) if number in lines else b"\n"
                for number in range(first - 1, last + 1)
            ),
        )
        table.line = first - 2
        table.notes, table.origin = source.notes, source.origin
        return table


def _line(cells: Sequence[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter="|", lineterminator="\n").writerow(cells)
    return text.getvalue().encode()


def _blocks(source: Source) -> Iterator[_Block]:
    """Yield the tables that have rows; text around them is passed over."""
    tables = _Tables(source)
    for line in source:
        if (block := tables.block_before(line)) is not None:
            yield block
    if tables.block is not None:
        yield tables.block


class _Tables:
    """The table that is being read, and the comments that may be the next header."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.comments: list[str] = []
        self.prose = ""
        self.facts: dict[str, str] = {}
        self.header: _Header | None = None
        self.block: _Block | None = None
        self.is_after_blank = True

    def block_before(self, line: str) -> _Block | None:
        """Take a line, and return the table that ended before it, if one did."""
        ended = None
        if stated := _STATED.fullmatch(line):
            value = posixpath.basename(stated["value"].rstrip("/"))
            self.facts[stated["key"].lower()] = value
        if line.startswith("#"):
            if self.header is None or not is_commented_out(line):
                ended = self.end() if self.header else None
                self.comments.append(line)
        elif line.strip():
            self.header = self.header or _header(self.comments, line)
            cells = _cells(line, self.header.delimiter if self.header else None)
            if self.is_prose(cells):
                ended, self.prose = self.end(), line
            else:
                self.add(cells)
        self.is_after_blank = not line.strip()
        return ended

    def is_prose(self, cells: Sequence[str]) -> bool:
        """Tell text from rows, of which each must be read or refused."""
        if not cells[0][:1].isalpha():
            return False
        has_number = any(map(NUMBER.fullmatch, cells))
        if self.header is None or not has_number:
            return True
        return self.is_after_blank and len(cells) != len(self.header.names)

    def end(self) -> _Block | None:
        """Begin anew, and return the table that was read until now."""
        block, self.block = self.block, None
        self.comments, self.prose, self.header = [], "", None
        return block

    def add(self, cells: list[str]) -> None:
        """Add a row."""
        width = len(self.header.names) if self.header else 0
        if self.header is None or len(cells) != width:
            expected = f"{width} cells, one per word of the header"
            raise self.source.malformed(expected, str(len(cells)))
        self.source.require_whole_line()
        if self.block is None:
            title = _title(self.comments, self.header, self.prose)
            self.block = _Block(list(self.header.names), title, dict(self.facts))
        self.block.rows.append((self.source.line, cells))


def _title(comments: Sequence[str], header: _Header, prose: str) -> str:
    """Return the line before a header, the title of its table."""
    for at in range(len(comments) - 1, -1, -1):
        if joined_names([comments[at]], len(header.names), header.delimiter):
            return (comments[at - 1].lstrip("# ") if at else prose).strip()
    return prose.strip()


def _fact(title: str) -> tuple[str, str] | None:
    """Return key and value of a title, `Problem size: 768`, or any text as `table`."""
    if not title:
        return None
    fact = _FACT.fullmatch(title.rstrip(":"))
    if fact is None:
        return _TITLE, title.rstrip(":")[:_LONGEST_TITLE]
    key = _NO_LETTERS.sub("_", fact["key"].strip().lower())
    return key, fact["value"].strip()[:_LONGEST_TITLE]


def _header(comments: Sequence[str], line: str) -> _Header | None:
    """Return the header that the last comments are for a row, if they are one."""
    for delimiter in [*(sign for sign in _DELIMITERS if sign in line), None]:
        cells = _cells(line, delimiter)
        if names := joined_names(comments, len(cells), delimiter):
            return _Header(names, delimiter, is_loose=False)
    cells = line.split()
    for comment in reversed(comments if len(cells) <= MOST_COLUMNS else ()):
        words = split_words(comment)
        if len(words) == len(cells) and not NUMBER.fullmatch(words[0]):
            return _Header(words, None, is_loose=True)
    return None


def _cells(line: str, delimiter: str | None) -> list[str]:
    cells = [cell.strip() for cell in line.split(delimiter)]
    if delimiter != ";":
        return cells
    # Between semicolons a comma may stand for the point.
    return [
        cell.replace(",", ".") if _COMMA.fullmatch(cell) else cell for cell in cells
    ]

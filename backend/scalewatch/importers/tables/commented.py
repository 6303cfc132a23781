"""Tables whose header is a comment, as people write them by hand."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from scalewatch.importers.series import ImportedMeasurement
from scalewatch.importers.source import Source
from scalewatch.importers.tables import separated
from scalewatch.importers.tables.columns import (
    CONFIGURATION,
)
from scalewatch.texts.scales import parameter_of

_NUMBER: Final = re.compile(r"[+-]?(\d++(\.\d*+)?|\.\d++)([eE][+-]?\d++)?")

_SPREAD: Final = re.compile(r"(std|stdev|dev|err|error|sigma|±|\+/-)", re.IGNORECASE)
_WORDS: Final = re.compile(r"\S+(?: \S+)*")
_LETTERS: Final = re.compile("[a-z]+")
_TIME_WORDS: Final = frozenset({"avg", "average", "mean", "time", "per", "step"})
_RATED: Final = re.compile(
    r"avg|average|mean|median|max|min|time|sec|rate|speed|perf|flop|bandwidth|latency"
    r"|efficiency|[/(\[]",
    re.IGNORECASE,
)
"""Words of what is measured, also where all of it is whole numbers."""

_HELD: Final = re.compile(
    r"size|grid|version|level|zones|cells|^(rocm|cuda|gcc|mpi|ppn)"
)
_RESOURCES: Final[Mapping[str, str]] = {
    "mpi": "p",
    "omp": "threads",
    **{name: name for name in ("cores", "cpus", "gpus", "gcds", "tiles")},
}
"""Resources that programs are scaled over, beside the usual names of parameters."""

MOST_COLUMNS: Final = 1000
"""Columns of a table, whose names are compared in pairs."""

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
                and all(map(_NUMBER.fullmatch, (cells[0], cells[-1])))
                and (
                    _is_resource(header.names[0]) or not (has_prose or header.is_loose)
                )
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
        usual = _usual_names(block.names)
        renamed = dict(zip(block.names, usual, strict=True))
        by_usual_name = {
            key: [renamed.get(name, name) for name in names]
            for key, names in stated.items()
        }
        block.names = list(usual)
        facts = {**block.facts}
        if len(blocks) > 1:
            key, value = _fact(block.title) or (_TITLE, str(number))
            facts[key] = value
        held = [key for key in facts if key not in usual]
        for key in held:
            block.add(key, facts[key])
        if held:
            stated_held = [*by_usual_name.get(CONFIGURATION, ()), *held]
            by_usual_name[CONFIGURATION] = stated_held
        yield from separated.read_rows(
            source,
            [(block.rows[0][0] - 1, block.names), *block.rows],
            by_usual_name,
            has_coordinate=has_coordinate,
            title=block.title,
        )


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
            if self.header is None or not _is_commented_out(line):
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
        has_number = any(map(_NUMBER.fullmatch, cells))
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
        if _joined_names([comments[at]], len(header.names), header.delimiter):
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
        if names := _joined_names(comments, len(cells), delimiter):
            return _Header(names, delimiter, is_loose=False)
    cells = line.split()
    for comment in reversed(comments if len(cells) <= MOST_COLUMNS else ()):
        words = _split_words(comment)
        if len(words) == len(cells) and not _NUMBER.fullmatch(words[0]):
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


class _Word(NamedTuple):
    """A word of the header and where it stands."""

    name: str
    start: int
    end: int


def _joined_names(
    comments: Sequence[str], cells: int, delimiter: str | None
) -> Sequence[str] | None:
    """Return the names of the columns: the last comment of as many words as cells.

    A word of a line below belongs to the column whose name ends with a slash, or else
    to that under which it stands; a row that is commented out has none.
    """
    if cells > MOST_COLUMNS:
        return None
    for at in range(len(comments) - 1, -1, -1):
        words = _words(comments[at], delimiter)
        names = [word.name for word in words]
        if len(words) == cells and not _NUMBER.fullmatch(names[0]):
            below = [
                word
                for line in comments[at + 1 :]
                if not _is_commented_out(line)
                for word in _words(line, delimiter)
            ]
            return _joined(words, below)
    return None


def _is_commented_out(comment: str) -> bool:
    """Tell whether a comment is a row that does not count."""
    return _NUMBER.match(comment[1:].lstrip()) is not None


def _split_words(comment: str) -> list[str]:
    """Return the words of a comment that single blanks separate."""
    return _distinct(comment.lstrip("#").split())


def _is_resource(name: str) -> bool:
    """Tell whether a word names a resource that programs are scaled over."""
    return parameter_of(name) is not None or name.lower() in _RESOURCES


def _usual_names(names: Sequence[str]) -> Sequence[str]:
    """Return names as they are usual: an average time per step is a time.

    One that stands for another column already is not used again.
    """
    usual: list[str] = []
    for name in names:
        words = _LETTERS.findall(name.lower())
        is_time = words and _TIME_WORDS.issuperset(words) and not {"[", "("} & set(name)
        usual_name = "time" if is_time else name
        usual.append(name if usual_name in {*names, *usual} - {name} else usual_name)
    return usual


def _words(comment: str, delimiter: str | None) -> list[_Word]:
    text = " " + comment[1:]
    if delimiter is None:
        return [
            _Word(word[0], word.start(), word.end()) for word in _WORDS.finditer(text)
        ]
    names = [name.strip() for name in text.split(delimiter)]
    return [_Word(name, at, at) for at, name in enumerate(names)]


def _joined(columns: Sequence[_Word], below: Sequence[_Word]) -> Sequence[str]:
    names = [column.name for column in columns]
    for word in below:
        goes_on = [at for at, name in enumerate(names) if name.endswith(" /")]
        if goes_on:
            names[goes_on[0]] = f"{names[goes_on[0]].removesuffix(' /')} {word.name}"
            continue
        for at, column in enumerate(columns):
            if word.start < column.end and column.start < word.end:
                names[at] = f"{names[at]} {word.name}"
    return _distinct(names)


def _distinct(names: Sequence[str]) -> list[str]:
    first: dict[str, int] = {}
    for at, name in enumerate(names):
        first.setdefault(name, at)
    return [
        name if first[name] == at else f"{name} {at}" for at, name in enumerate(names)
    ]

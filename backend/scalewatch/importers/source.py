"""A text that is read line by line, with the line number for errors."""

import codecs
import math
import re
import tempfile
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Final, NamedTuple, Protocol, Self

from scalewatch.errors import MalformedFile, UnreadableFile
from scalewatch.importers.series import written_number
from scalewatch.outcomes import signs_of_abort

HEAD: Final = 64 * 1024
"""Bytes by which a format is known; jobs say much before their results."""

LONGEST_LINE: Final = 128 * 2**20
"""Bytes of a line, as of a JSON document; of no text, the most that is read at once."""

LONGEST_LOG_LINE: Final = 100_000
"""Bytes of a line of a log or a profile, of which real ones have some ten thousand."""

_PLAIN: Final = re.compile(r"\d+(\.\d*)?([eE][+-]?\d+)?")

_DIGITS: Final = re.compile(r"[\d.]+")

_LOOKED_THROUGH: Final = 256
"""Lines that are looked through at once for signs that a run was aborted."""

_LATIN: Final = re.compile(
    rb"(?<=[A-Za-z])[\xc0-\xfe]|[\xc0-\xfe](?=[A-Za-z])|\xb5(?=s)|\xb1|\xb0|[\xb2\xb3]"
)
"""Letters of words in Latin-1, and its signs of units and deviations."""

_ASCII: Final = bytes(range(128))

_SHOWN: Final = 40
"""Characters of the text that an error quotes."""


LEFT_OUT: Final = "left out"
"""Meaning of a column that is neither setting nor value."""


class ReadColumn(NamedTuple):
    """A column of a table, with its meaning and the reason for it."""

    name: str
    meaning: str
    why: str


class ReadTable(NamedTuple):
    """A table that was read: its place, its heading and its columns."""

    place: str
    title: str
    columns: Sequence[ReadColumn]


class Surroundings(Protocol):
    """The files beside a file, in a folder or an archive; the same for all in it."""

    def __hash__(self) -> int:
        """Return a hash: readers keep what a folder holds besides."""

    def names(self) -> Sequence[str]:
        """Return the names of the files there."""

    def lines(self, name: str) -> Iterable[bytes] | None:
        """Return the lines of a file there, or None if there is none."""


class Source:
    """The lines of a file, without their ends.

    Parameters
    ----------
    name
        How errors call it.
    lines
        The file's lines as bytes; UTF-8, with or without byte order mark.
    surroundings
        The files beside it, if it lies in a folder or an archive.

    Attributes
    ----------
    notes
        Remarks of readers on parts that they left out or took otherwise than expected.
    skipped
        Counts results that readers left out, by the reason.
    tables
        The tables that were read, each with the meanings of its columns.
    across
        Statistic over the processes of a profile: `max`, `sum` or `mean`.
    longest_line
        Bytes that no line may have.
    aborts
        Lines that tell of an end by error, by number, if `look_for_aborts` was called.
    """

    def __init__(
        self,
        name: str,
        lines: Iterable[bytes],
        surroundings: Surroundings | None = None,
    ) -> None:
        self.name = name
        self.surroundings = surroundings
        self.notes: list[str] = []
        self.skipped: Counter[str] = Counter()
        self.tables: list[ReadTable] = []
        self.across = "max"
        self.longest_line = LONGEST_LINE - 1
        self.line = 0
        self.aborts: list[tuple[int, str]] = []
        self.origin = (("file", name),)
        self._last = b"\n"
        self._lines = _in_utf8(iter(lines))
        self._ahead: deque[bytes] = deque()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        self._last = raw = self._ahead.popleft() if self._ahead else self._read()
        self.line += 1
        if raw.isascii() and b"\0" not in raw and len(raw) <= self.longest_line:
            return raw.decode("ascii").rstrip("\r\n")  # as nearly all lines are
        return self._decoded(raw, self.line)

    @property
    def is_line_complete(self) -> bool:
        """Whether the last line read has its end."""
        return self._last.endswith(b"\n")

    def peek(self) -> str:
        """Return the next line that says something, and stay before it.

        Raises
        ------
        UnreadableFile
            If there is none.
        """
        for number, raw in enumerate(self._all_ahead(), self.line + 1):
            text = self._decoded(raw, number)
            if says_something(text):
                return text
        raise UnreadableFile(self.name, "it holds no measurements")

    def beginning(self, size: int) -> bytes:
        """Return the first bytes, if the file has so many, and stay before them."""
        read = b""
        for raw in self._all_ahead():
            read += raw
            if len(read) >= size:
                break
        return read[:size]

    @contextmanager
    def copied(self) -> Iterator[Path]:
        """Give what is left of the file a name, as readers of other formats ask for."""
        with tempfile.TemporaryDirectory(prefix="scalewatch-") as folder:
            path = Path(folder, "copy")
            with path.open("wb") as copy:
                for raw in self._all_ahead():
                    copy.write(raw)
                    self._ahead.clear()
            yield path

    def head(self, start: int = 0) -> str:
        """Return `HEAD` bytes of text without blank lines before, and stay before them.

        Parameters
        ----------
        start
            Lines ahead that are passed over.
        """
        ahead = self._ahead
        size = sum(map(len, islice(ahead, start, None)))
        while size < HEAD or len(ahead) <= start:
            try:
                raw = self._read()
            except StopIteration:
                break
            ahead.append(raw)
            size += len(raw) if len(ahead) > start else 0
        head = b"".join(islice(ahead, start, None))
        return head[:HEAD].decode("utf-8-sig", "replace").lstrip("\r\n")

    def ahead(self, lines: int) -> Sequence[bytes]:
        """Return the next lines, and stay before them."""
        return tuple(islice(self._all_ahead(), lines))

    def note_once(self, note: str) -> None:
        """Add a remark, unless it was made before."""
        if note not in self.notes:
            self.notes.append(note)

    def look_for_aborts(self) -> None:
        """Look for lines that tell of an end by error among those that are left."""
        ahead = tuple(self._ahead)
        self.aborts = _aborts(self.line + 1, ahead)
        self._lines = self._looked_through(self.line + 1 + len(ahead), self._lines)

    def malformed(
        self, expected: str, actual: str, line: int | None = None
    ) -> MalformedFile:
        """Return the error that a line, by default the last one read, is wrong."""
        place = f"line {self.line if line is None else line}"
        return MalformedFile(self.name, place, expected, actual)

    def require_whole_line(self) -> None:
        """Refuse a last line without its end: its last number may lack digits.

        Raises
        ------
        MalformedFile
            If the last line read has no end.
        """
        if not self.is_line_complete:
            raise self.malformed("the end of the line", "the end of the file")

    def number(self, text: str) -> float:
        """Return a number as programs print results: digits, with no sign.

        Raises
        ------
        MalformedFile
            If the last line read has another one.
        """
        if not _PLAIN.fullmatch(text):
            raise self.malformed("a number", quoted(text))
        return self.finite(text)

    def finite(self, text: str) -> float:
        """Return a number of any notation that a double holds.

        Raises
        ------
        MalformedFile
            If the last line read has another one.
        """
        try:
            number = written_number(text)
        except ValueError:
            raise self.malformed("a number", quoted(text)) from None
        if math.isinf(number):
            raise self.malformed("a finite number", quoted(text))
        return number

    def _all_ahead(self) -> Iterator[bytes]:
        yield from tuple(self._ahead)
        while True:
            try:
                raw = self._read()
            except StopIteration:
                return
            self._ahead.append(raw)
            yield raw

    def _looked_through(self, first: int, lines: Iterator[bytes]) -> Iterator[bytes]:
        while together := tuple(islice(lines, _LOOKED_THROUGH)):
            self.aborts += _aborts(first, together)
            first += len(together)
            yield from together

    def _read(self) -> bytes:
        try:
            return next(self._lines)
        except OSError as error:
            raise unreadable(self.name, error) from None

    def _decoded(self, raw: bytes, line: int) -> str:
        if b"\0" in raw:
            raise self.malformed("text", "a binary file", line)
        if len(raw) > self.longest_line:
            most = f"lines of at most {self.longest_line:,} bytes"
            raise self.malformed(most, "a longer one", line)
        try:
            text = raw.decode("utf-8-sig" if line == 1 else "utf-8")
        except UnicodeDecodeError as error:
            if not _LATIN.sub(b"", raw).strip(_ASCII):
                return raw.decode("latin-1").rstrip("\r\n")
            actual = f"byte 0x{raw[error.start]:02x}"
            raise self.malformed("text in UTF-8", actual, line) from None
        return text.rstrip("\r\n")


def _aborts(first: int, lines: Sequence[bytes]) -> list[tuple[int, str]]:
    return [(first + at, sign) for at, sign in signs_of_abort(lines)]


def _in_utf8(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Return lines, of a text in UTF-16 with its byte-order mark in UTF-8."""
    first = next(lines, b"")
    if not first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return chain([first], lines) if first else lines
    content = bytearray(first)
    for line in lines:
        content += line
        if len(content) > LONGEST_LINE:
            break
    text = content.decode("utf-16", "replace")
    return iter(text.encode("utf-8", "replace").splitlines(keepends=True))


def says_something(line: str) -> bool:
    """Tell whether a line is neither blank, nor a comment, nor `sep=;` of Excel."""
    text = line.lstrip()
    return bool(text) and not text.startswith(("#", "sep="))


def is_printed_row(cells: Sequence[str], columns: int) -> bool:
    """Tell a row of a printed table from what others print meanwhile.

    A row with a wrong cell is one: it must be refused, and not left out.
    """
    numbers = sum(_DIGITS.fullmatch(cell) is not None for cell in cells)
    if numbers == len(cells):
        return numbers > 0
    return numbers > 0 and len(cells) == columns and not cells[0].isalpha()


def quoted(content: object) -> str:
    """Return content as an error quotes it: short, and printable everywhere."""
    text = ascii(content) if isinstance(content, str) else str(content)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def unreadable(name: str, error: OSError | ValueError) -> UnreadableFile:
    """Return the error that the system refuses a file."""
    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    return UnreadableFile(name, reason[:1].lower() + reason[1:])

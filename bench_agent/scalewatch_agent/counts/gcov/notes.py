"""Read what gcc writes: notes beside an object, and counters when a process ends.

Notes hold the graph of each function. A file has a header and tagged records, in the
byte order of the machine. Since gcc 12 lengths are bytes and texts are not padded;
before, both came in words of four bytes.

References
----------
gcc/gcov-io.h in the sources of gcc.
"""

import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from scalewatch_agent.counts.regions import Place, Uncountable

OLDEST: Final = 9
"""The first gcc whose notes name the folder and the columns of functions."""

FUNCTION: Final = 0x01000000
BLOCKS: Final = 0x01410000
ARCS: Final = 0x01430000
LINES: Final = 0x01450000

ENTRY: Final = 0
EXIT: Final = 1
"""Blocks of every graph."""


class Unreadable(Uncountable):
    """Coverage data that cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Arc:
    """Where control can go from one block to another.

    Parameters
    ----------
    is_derived
        Whether its count follows from others, so that it has no counter.
    is_fake
        Whether it stands for a call that does not return.
    """

    source: int
    target: int
    is_derived: bool = False
    is_fake: bool = False


@dataclass(slots=True, eq=False)
class Graph:
    """A function as gcc sees it when it inserts the counters.

    `checksums` tell whether counters belong to it, `lines` which block stems from
    which lines.
    """

    name: str
    checksums: tuple[int, int]
    is_artificial: bool
    place: Place
    blocks: int = 0
    arcs: list[Arc] = field(default_factory=list)
    lines: dict[int, tuple[Place, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Notes:
    """The graphs of one object; `stamp` names the compilation that wrote them."""

    stamp: int
    version: str
    graphs: Mapping[int, Graph]


@lru_cache(maxsize=4096)
def read_notes(path: Path, modified: float) -> Notes:  # noqa: ARG001 - of the cache
    """Return what the file at `path`, of this time of modification, holds.

    Raises
    ------
    Unreadable
        If it is missing, damaged, or from a gcc that is too old.
    """
    reader = Reader(path, b"gcno")
    try:
        folder = Path(reader.text())
        reader.word()  # whether blocks that were not executed are known
        graphs: dict[int, Graph] = {}
        lines = _Lines(folder)
        graph = None
        for tag, length in reader.records():
            if tag == FUNCTION:
                ident, graph = _function(reader, folder)
                graphs[ident] = graph
                lines.file = graph.place.file
            elif graph is None:
                continue
            elif tag == BLOCKS:
                graph.blocks = reader.word()
            elif tag == ARCS:
                source = reader.word()
                for _ in range((length // 4 - 1) // 2):
                    target, flags = reader.word(), reader.word()
                    arc = Arc(source, target, bool(flags & 1), bool(flags & 2))
                    graph.arcs.append(arc)
            elif tag == LINES:
                block = reader.word()
                graph.lines[block] = lines.read(reader)
    except struct.error:
        raise Unreadable(f"{path} is cut off: build again") from None
    return Notes(reader.stamp, reader.compiler, graphs)


class Reader:
    """Reads words and texts of a file, from its header on."""

    def __init__(self, path: Path, kind: bytes) -> None:
        try:
            self.content = path.read_bytes()
        except OSError as error:
            raise Unreadable(f"{path} cannot be read: {error.strerror}") from None
        self.path = path
        self.place = 12
        magic = self.content[:4]
        if magic not in {kind, kind[::-1]} or len(self.content) < self.place:
            raise Unreadable(f"{path} holds no coverage data of gcc: build again")
        self.order = ">" if magic == kind else "<"
        version, self.stamp = struct.unpack_from(f"{self.order}II", self.content, 4)
        letters = struct.pack(">I", version).decode("latin-1")
        # Letter and digit are the tens and units of the version: B2 is 12.
        self.major = 10 * (ord(letters[0]) - ord("A")) + int(letters[1:2])
        self.compiler = f"{self.major}.{letters[2]}"
        if self.major < OLDEST:
            raise Unreadable(
                f"{path} was written by gcc {self.compiler}, which is too old for "
                f"counting: use gcc {OLDEST} or newer"
            )
        self.in_bytes = self.major >= 12
        if self.in_bytes:
            self.word()  # checksum of the whole

    def word(self) -> int:
        """Return the next number."""
        value: int
        (value,) = struct.unpack_from(f"{self.order}I", self.content, self.place)
        self.place += 4
        return value

    def counters(self, size: int) -> tuple[int, ...]:
        """Return the next counters, `size` bytes of them; the lower half is first."""
        words = struct.unpack_from(
            f"{self.order}{size // 4}I", self.content, self.place
        )
        return tuple(
            low | high << 32 for low, high in zip(words[::2], words[1::2], strict=True)
        )

    def text(self) -> str:
        """Return the next text."""
        length = self.word() * (1 if self.in_bytes else 4)
        raw = self.content[self.place : self.place + length]
        self.place += length
        return raw.rstrip(b"\0").decode(errors="replace")

    def records(self) -> Iterator[tuple[int, int]]:
        """Yield tag and length in bytes of each record, negative as it stands."""
        while self.place + 8 <= len(self.content) and (tag := self.word()):
            (length,) = struct.unpack_from(f"{self.order}i", self.content, self.place)
            self.place += 4
            length *= 1 if self.in_bytes else 4
            after = self.place + max(length, 0)
            yield tag, length
            self.place = after


def _function(reader: Reader, folder: Path) -> tuple[int, Graph]:
    ident, lines, structure = (reader.word() for _ in range(3))
    name = reader.text()
    is_artificial = bool(reader.word())
    file = _file(reader.text(), folder)
    place = Place(file, reader.word())
    return ident, Graph(name, (lines, structure), is_artificial, place)


@lru_cache(maxsize=4096)
def _file(name: str, folder: Path) -> Path:
    return Path(os.path.normpath(folder / name))


class _Lines:
    """The lines of blocks; a file holds from the record that names it on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder

    def read(self, reader: Reader) -> tuple[Place, ...]:
        lines = []
        while True:
            if number := reader.word():
                lines.append(Place(self.file, number))
            elif name := reader.text():
                self.file = _file(name, self.folder)
            else:
                return tuple(lines)


COUNTERS: Final = 0x01A10000
SUMMARY: Final = 0xA1000000


@dataclass(frozen=True, slots=True)
class Counters:
    """Counters of the arcs of each function, added up over `processes`.

    A function that no process has reached may be missing.
    """

    processes: int
    arcs: Mapping[int, tuple[int, ...]]


def read_counters(path: Path, notes: Notes) -> Counters:
    """Return what the file at `path` holds of the functions in `notes`.

    Raises
    ------
    Unreadable
        If it stems from another build, or is damaged.
    """
    reader = Reader(path, b"gcda")
    if reader.stamp != notes.stamp:
        raise Unreadable(
            f"{path.name} was counted by another build than the one that lies there "
            "now: build again"
        )
    processes = 0
    arcs: dict[int, tuple[int, ...]] = {}
    ident = None
    try:
        for tag, length in reader.records():
            if tag == SUMMARY:
                processes = reader.word()
            elif tag == FUNCTION:
                ident = _ident_of(reader, notes) if length else None
            elif tag == COUNTERS and ident is not None:
                # Zeros are not written; their length is negative.
                arcs[ident] = (
                    reader.counters(length) if length > 0 else (0,) * (-length // 8)
                )
    except struct.error:
        raise Unreadable(f"{path.name} is cut off: count again") from None
    return Counters(processes, arcs)


def _ident_of(reader: Reader, notes: Notes) -> int:
    ident = reader.word()
    checksums = (reader.word(), reader.word())
    graph = notes.graphs.get(ident)
    if graph is None or graph.checksums != checksums:
        raise Unreadable(
            f"{reader.path.name} was counted by another build than the one that lies "
            "there now: build again"
        )
    return ident

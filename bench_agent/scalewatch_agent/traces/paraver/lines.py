"""Read the lines of a .prv file in blocks, as arrays of whole numbers.

1:cpu:application:task:thread:begin:end:state
2:cpu:application:task:thread:time:type:value[:type:value …]
3:cpu:application:task:thread:sent:physically:cpu:…:thread:received:physically:size:tag
"""

import gzip
import itertools
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.errors import TraceUnusable

Numbers = NDArray[np.int64]

_MOST_DIGITS: Final = 20
_WIDE: Final = re.compile(rb"\d{19,20}")
_LARGEST: Final = 2**63 - 1
"""Value of counters beyond 64 bits with a sign, of which no call is made."""

BLOCK: Final = 8 * 2**20
MOST_RATIO: Final = 400
"""A trace shrinks to a tenth; what shrinks more than this is no trace."""

MOST_TASKS: Final = 65_536

FIELDS: Final = {1: 8, 3: 15}
STATE, EVENT, MESSAGE = 1, 2, 3
_TASKS: Final = re.compile(r"(\d{1,7})\(")
HEADER: Final = re.compile(
    r"#Paraver \(.*?\):(?P<runtime>\d{1,18})(?P<unit>_\w+)?:"
    r"(?P<nodes>[^:]*):(?P<applications>\d+):(?P<rest>.*)"
)


@dataclass(frozen=True, slots=True)
class Header:
    """Header of a file: run time in ns, tasks, members of communicators."""

    runtime: int
    tasks: int
    communicators: dict[int, NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines: states and messages by row, events one row for each type and value.

    Columns of `states` and `messages` are those of the line; of `events` they are
    task, thread, time, type and value. Of events there are those of the wanted types.
    """

    states: Numbers
    events: Numbers
    messages: Numbers


def read_lines(path: Path, kinds: Sequence[int]) -> tuple[Header, Iterator[Block]]:
    """Return the header of a trace, and its blocks with events of some types.

    Raises
    ------
    TraceUnusable
        If that is no trace of one MPI program in ns; also while blocks are read.
    """
    texts = _texts(path)
    first = next(texts, b"")
    head, _, rest = first.partition(b"\n")
    match = HEADER.match(head.decode("utf-8", "replace").rstrip("\r"))
    if match is None:
        raise TraceUnusable(path, "the first line is no header of Paraver", 1)
    if match["unit"] != "_ns":
        unit = (match["unit"] or "_µs")[1:]
        raise TraceUnusable(path, f"its times are in {unit}: ns can be read", 1)
    if match["applications"] != "1":
        raise TraceUnusable(path, f"it holds {match['applications']} applications", 1)
    tasks = _TASKS.match(match["rest"])
    if tasks is None or not int(tasks[1]):
        raise TraceUnusable(path, "the header says no number of tasks", 1)
    # Tasks, then the threads and the node of each: 2(1:1,1:1)
    placed = match["rest"][tasks.end() :].partition(")")[0].count(":")
    if placed != int(tasks[1]):
        raise TraceUnusable(path, f"{placed} of {tasks[1]} tasks have a node", 1)
    if placed > MOST_TASKS:
        raise TraceUnusable(path, f"{placed:,} tasks are too many", 1)
    if not int(match["runtime"]):
        raise TraceUnusable(path, "the run took no time", 1)
    header = Header(int(match["runtime"]), int(tasks[1]), {})
    count = 0
    while rest.startswith(b"c:"):
        line, _, rest = rest.partition(b"\n")
        count += 1
        _add_communicator(path, header, line, 1 + count)
    return header, _blocks(path, rest, texts, 2 + count, kinds)


def _texts(path: Path) -> Iterator[bytes]:
    """Yield whole lines, some megabytes at a time."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            file = gzip.GzipFile(fileobj=raw) if packed else raw
            most = path.stat().st_size * MOST_RATIO + BLOCK
            begun, size = b"", 0
            while text := file.read(BLOCK):
                size += len(text)
                if size > most:
                    raise TraceUnusable(
                        path, f"it unpacks to more than {MOST_RATIO} times its size"
                    )
                whole, end, begun_next = text.rpartition(b"\n")
                if not end:
                    raise TraceUnusable(
                        path, f"a line is longer than {BLOCK // 2**20} MiB"
                    )
                yield begun + whole + end
                begun = begun_next
            if begun:
                yield begun + b"\n"
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise TraceUnusable(path, f"it cannot be unpacked: {error}") from None
    except OSError as error:
        raise TraceUnusable(path, error.strerror or str(error)) from None


def _add_communicator(path: Path, header: Header, line: bytes, number: int) -> None:
    try:
        _, _, name, count, *members = map(int, [b"0", *line.strip().split(b":")[1:]])
    except ValueError:
        raise TraceUnusable(path, "this is no communicator", number) from None
    if len(members) != count or not all(0 < each <= header.tasks for each in members):
        raise TraceUnusable(path, "a communicator has other members", number)
    header.communicators[name] = np.array(members, np.int64) - 1


def _blocks(
    path: Path, rest: bytes, texts: Iterator[bytes], line: int, kinds: Sequence[int]
) -> Iterator[Block]:
    for text in itertools.chain([rest] if rest else [], texts):
        yield _block(path, text, line, kinds)
        line += text.count(b"\n")


def _block(path: Path, text: bytes, first_line: int, wanted: Sequence[int]) -> Block:
    characters = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    _check_characters(path, text, characters, first_line)
    separators = np.flatnonzero((characters == ord(":")) | (characters == ord("\n")))
    # The separators before each line's end, and that one, end its fields.
    fields = np.diff(np.r_[0, np.searchsorted(separators, ends, "right")])
    offsets = np.cumsum(fields) - fields
    joined = _WIDE.sub(_bounded, text.replace(b"\n", b":")).decode("ascii")
    numbers = np.fromstring(joined, np.int64, sep=":")
    kinds = numbers[offsets]
    right = np.zeros(len(kinds), bool)
    for kind, count in FIELDS.items():
        right |= (kinds == kind) & (fields == count)
    right |= (kinds == EVENT) & (fields >= 8) & (fields % 2 == 0)
    if not right.all():
        line = int(np.argmin(right))
        raise TraceUnusable(
            path,
            f"a record of kind {kinds[line]} with {fields[line]} fields is unknown",
            first_line + line,
        )
    chosen = kinds == EVENT
    pairs = (fields[chosen] - 6) // 2
    begin = np.repeat(offsets[chosen], pairs)
    rank = np.arange(len(begin)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    at = begin + 6 + 2 * rank
    # Most are of counters: those go first.
    is_wanted = np.isin(numbers[at], wanted)
    begin, at = begin[is_wanted], at[is_wanted]
    columns = [numbers[begin + 3], numbers[begin + 4], numbers[begin + 5]]
    return Block(
        _rows(numbers, offsets[kinds == STATE], FIELDS[STATE]),
        np.stack([*columns, numbers[at], numbers[at + 1]], axis=1),
        _rows(numbers, offsets[kinds == MESSAGE], FIELDS[MESSAGE]),
    )


def _bounded(number: re.Match[bytes]) -> bytes:
    return str(min(int(number[0]), _LARGEST)).encode()


def _check_characters(
    path: Path, text: bytes, characters: NDArray[np.uint8], first_line: int
) -> None:
    """See that there are digits between separators, not too many of them."""
    is_digit = (characters >= ord("0")) & (characters <= ord("9"))
    is_separator = (characters == ord(":")) | (characters == ord("\n"))
    wrong = ~(is_digit | is_separator)
    minus = characters == ord("-")
    wrong[1:] &= ~(minus[1:] & is_separator[:-1])
    # An empty field: one separator after another, or after a minus.
    wrong[1:] |= is_separator[1:] & (is_separator[:-1] | minus[:-1])
    wrong[0] = not is_digit[0]
    separators = np.flatnonzero(is_separator)
    wide = np.diff(np.r_[-1, separators]) > len("-") + _MOST_DIGITS
    wrong[separators[wide]] = True
    if wrong.any():
        line = first_line + text.count(b"\n", 0, int(np.argmax(wrong)))
        raise TraceUnusable(path, "this line holds other things than numbers", line)


def _rows(numbers: Numbers, offsets: Numbers, count: int) -> Numbers:
    rows: Numbers = numbers[offsets[:, np.newaxis] + np.arange(count)]
    return rows

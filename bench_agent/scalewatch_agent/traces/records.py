"""Records of calls: 48 bytes each, one file for each thread of each process.

A file is a header of 64 bytes and records, in the order in which calls ended. It is
read in blocks, never as a whole. A program that was killed leaves what it had
flushed, perhaps with a part of a record at the end: the file is then truncated.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntFlag
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces.stored import BLOCK, Rows, StoredRows, sampled

Records = NDArray[Any]
"""Records of calls, shape (n,), of type `RECORD`."""

RECORD: Final = np.dtype(
    [
        ("start", "<u8"),  # ns
        ("took", "<u8"),  # ns; 32 bits would overflow after 4.3 s
        ("bytes", "<u8"),
        ("peer", "<i4"),  # rank in the communicator: partner or root; -1 if none
        ("tag", "<i4"),
        ("request", "<u4"),  # numbered from 1 in each process; 0 if none
        ("site", "<u4"),
        ("communicator", "<u4"),
        ("function", "<u2"),
        ("flags", "<u2"),
    ]
)

HEADER: Final = np.dtype(
    [
        ("magic", "S8"),
        ("version", "<u4"),
        ("record_size", "<u4"),
        ("rank", "<u4"),
        ("thread", "<u4"),
        ("processes", "<u4"),
        ("closed", "<u4"),  # 1 once all records are written
        ("run", "S32"),  # the same in all files of a run
    ]
)

MAGIC: Final = b"SWTRACE"
VERSION: Final = 1


class Flag(IntFlag):
    """Flags of a record.

    A `PART` is no call, but a message that the call before it has completed: one
    record for each message that a wait, or the second half of an exchange, brought.
    """

    SENT = 1
    RECEIVED = 2
    POSTED = 4
    PART = 8


@dataclass(frozen=True, slots=True)
class RecordFile:
    """The records of one thread."""

    path: Path
    rank: int
    thread: int
    processes: int
    run: str
    records: StoredRows
    is_truncated: bool


def open_records(path: Path) -> RecordFile:
    """Return the records of a file, which is read where they are wanted.

    Raises
    ------
    TraceUnusable
        If it does not hold records of this version.
    """
    try:
        size = path.stat().st_size
        raw = np.fromfile(path, HEADER, count=1)
    except OSError as error:
        raise TraceUnusable(path, error.strerror or str(error)) from None
    if not raw.size:
        raise TraceUnusable(path, f"{size} bytes are no trace: its header alone has 64")
    header = raw[0]
    if header["magic"] != MAGIC:
        raise TraceUnusable(path, f"it begins with {bytes(header['magic'])!r}")
    if header["version"] != VERSION or header["record_size"] != RECORD.itemsize:
        raise TraceUnusable(
            path,
            f"it is of version {header['version']} with records of "
            f"{header['record_size']} bytes; version {VERSION} with "
            f"{RECORD.itemsize} bytes can be read",
        )
    count, rest = divmod(size - HEADER.itemsize, RECORD.itemsize)
    return RecordFile(
        path,
        int(header["rank"]),
        int(header["thread"]),
        int(header["processes"]),
        header["run"].decode("ascii", "replace"),
        StoredRows(path, RECORD, HEADER.itemsize, count),
        is_truncated=bool(rest) or not header["closed"],
    )


WINDOW: Final = 500_000
"""Records of all processes that are taken at a time."""

SAMPLES: Final = 16_384
"""Records by whose times a trace is divided."""

_STEP: Final = 64


def blocks(records: Rows, size: int = BLOCK) -> Iterator[tuple[int, NDArray[Any]]]:
    """Yield where blocks of records begin, and these; parts stay with their call."""
    begin = 0
    while begin < len(records):
        end = next_call(records, begin + size)
        yield begin, records[begin:end]
        begin = end


def next_call(records: Rows, at: int) -> int:
    """Return the first position from one on that is no part; their number if none."""
    step = _STEP
    while at < len(records):
        flags = records[at : at + step]["flags"]
        calls = np.flatnonzero((flags & Flag.PART) == 0)
        if len(calls):
            return at + int(calls[0])
        at, step = at + len(flags), 2 * step
    return len(records)


def windows(
    all_records: Sequence[Rows], size: int = WINDOW
) -> Iterator[list[tuple[int, int]]]:
    """Yield from where to where to read the records of each process.

    What processes do at one moment comes together, roughly: a window holds about so
    many records of all processes, by the times of some of them.
    """
    lengths = np.array([len(records) for records in all_records], np.int64)
    begins = [0] * len(lengths)
    for about in _ends(all_records, lengths, size):
        ends = [
            max(begin, next_call(records, end))
            for records, begin, end in zip(all_records, begins, about, strict=True)
        ]
        yield list(zip(begins, ends, strict=True))
        begins = ends


def _ends(
    all_records: Sequence[Rows], lengths: NDArray[np.int64], size: int
) -> Iterator[list[int]]:
    total = int(lengths.sum())
    if total > size:
        stride = max(1, min(total // SAMPLES, size // max(1, len(lengths))))
        times = [sampled(records, stride)["start"] for records in all_records]
        numbers = np.repeat(np.arange(len(lengths)), [len(each) for each in times])
        in_time = numbers[np.argsort(np.concatenate(times), kind="stable")]
        step = max(1, size // stride)
        done = np.zeros(len(lengths), np.int64)
        for begin in range(0, len(in_time) - step, step):
            chosen = in_time[begin : begin + step]
            done += np.bincount(chosen, minlength=len(lengths))
            yield np.minimum(done * stride, lengths).tolist()
    yield lengths.tolist()


Indices = NDArray[np.int64]


def calls_of(records: NDArray[Any]) -> Indices:
    """Return the position of each record's call, its own or that of a part, (n,)."""
    numbers = np.arange(len(records))
    return np.maximum.accumulate(
        np.where(records["flags"] & Flag.PART, 0, numbers), dtype=np.int64
    )


def pairs(first: Indices, second: Indices) -> tuple[Indices, Indices]:
    """Return positions of the k-th keys that are equal, in both; keys are below 2³¹."""
    by_first, sent = _numbered(first)
    by_second, received = _numbered(second)
    at = np.searchsorted(received, sent)
    known = at < len(received)
    known[known] = received[at[known]] == sent[known]
    return by_first[known], by_second[at[known]]


def _numbered(key: Indices) -> tuple[Indices, Indices]:
    """Return the positions of keys in their order, and a number for each of these.

    The number holds the key and how many of the same key were before.
    """
    by_key = np.argsort(key, kind="stable")
    key = key[by_key]
    starts = np.flatnonzero(np.r_[True, key[1:] != key[:-1]][: len(key)])
    lengths = np.diff(np.r_[starts, len(key)])
    before = np.arange(len(key)) - np.repeat(starts, lengths)
    return by_key, key * (1 << 32) + before


class Open:
    """Requests that were posted and are still open, by their numbers."""

    def __init__(self) -> None:
        """Begin without any."""
        self._numbers = np.zeros(0, np.int64)
        self._values = np.zeros(0, np.int64)

    def ended(
        self, begun: Indices, values: Indices, ended: Indices
    ) -> tuple[Indices, Indices]:
        """Return which of those that end were begun, and the values of these.

        Parameters
        ----------
        begun, values
            Numbers of what begins, and what to remember of each, shape (n,).
        ended
            Numbers of what ends.
        """
        numbers = np.concatenate([self._numbers, begun])
        values = np.concatenate([self._values, values])
        key = np.unique(np.concatenate([numbers, ended]), return_inverse=True)[1]
        key = key.reshape(-1).astype(np.int64)
        first, second = pairs(key[: len(numbers)], key[len(numbers) :])
        is_open = np.ones(len(numbers), bool)
        is_open[first] = False
        self._numbers, self._values = numbers[is_open], values[is_open]
        return second, values[first]

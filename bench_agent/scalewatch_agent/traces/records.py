"""Records of calls: 48 bytes each, one file for each thread of each process.

A file is a header of 64 bytes and records, in the order in which calls ended. It is
read in blocks, never as a whole. A program that was killed leaves what it had
flushed, perhaps with a part of a record at the end: the file is then truncated.
"""

from dataclasses import dataclass
from enum import IntFlag
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces.stored.rows import StoredRows

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


def write_records(path: Path, header: dict[str, Any], records: Records) -> None:
    """Write a file of records, as the recorder does."""
    first = np.zeros(1, HEADER)
    values = {
        "magic": MAGIC,
        "version": VERSION,
        "record_size": RECORD.itemsize,
        "closed": 1,
    }
    for name, value in (values | header).items():
        first[name] = value
    with path.open("wb") as file:
        first.tofile(file)
        np.ascontiguousarray(records, RECORD).tofile(file)

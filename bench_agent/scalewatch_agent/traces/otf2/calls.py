"""Make a process out of the rows that a collector has written."""

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces import stored, trace
from scalewatch_agent.traces.otf2.definitions import NOTHING
from scalewatch_agent.traces.records import RECORD, Flag, Records

Rows = NDArray[Any]
"""Calls in the order in which they began, and parts behind theirs, of type `ROW`."""

ROW: Final = np.dtype(
    [
        ("start", "<u8"),  # ticks of the archive's clock
        ("took", "<u8"),
        ("bytes", "<u8"),
        ("request", "<u8"),
        ("function", "<u4"),  # a region
        ("caller", "<u4"),  # the region that was open then; NOTHING if none
        ("communicator", "<u4"),  # NOTHING where no event tells it
        ("flags", "<u4"),  # of `records.Flag`, and REQUESTED
        ("peer", "<i4"),  # rank in the communicator: partner or root; -1 if none
        ("tag", "<i4"),
    ]
)

HEADING: Final = np.dtype(
    [
        ("first", "<u8"),  # ticks of the first and the last event of any kind
        ("last", "<u8"),
        ("events", "<u8"),
        ("rows", "<u8"),
        ("left_open", "<u8"),  # calls without an end
        ("backwards", "<u8"),  # calls in which time ran backwards: they took none
        ("unused", "<u8"),
    ]
)

REQUESTED: Final = 16
"""The row has the number of a request that was begun or completed."""

STARTED: Final = 32
"""The call has started a collective that does not block."""

COMPLETED: Final = 64
"""Such a collective is completed: the row has its communicator, root and bytes."""


def read_rows(path: Path) -> tuple[dict[str, int], stored.StoredRows]:
    """Return the heading of a location's file, and its rows."""
    heading = np.fromfile(path, HEADING, count=1)[0]
    numbers = {name: int(heading[name]) for name in HEADING.names or ()}
    return numbers, stored.StoredRows(path, ROW, HEADING.itemsize, numbers["rows"])


T = TypeVar("T", bound=Hashable)

TABLE: Final = 1 << 20
"""Regions below are looked up in a table, others are sorted."""


class Numbering(Generic[T]):
    """Numbers from 0 on; regions that mean the same have the same."""

    def __init__(self, meaning: Callable[[int], T]) -> None:
        """Begin without any."""
        self._meaning = meaning
        self._numbers: dict[T, int] = {}
        # One more for NOTHING, the largest number of all.
        self._table = np.full(TABLE + 1, -1, np.int64)

    @property
    def meanings(self) -> list[T]:
        """The meanings in the order of their numbers."""
        return list(self._numbers)

    def of(self, regions: NDArray[np.uint32]) -> trace.Indices:
        """Return the number of what each region means, shape (n,)."""
        if ((regions >= TABLE) & (regions != NOTHING)).any():
            unique, place = np.unique(regions, return_inverse=True)
            numbers = [self._number(each) for each in unique.tolist()]
            return np.array(numbers, np.int64)[place.reshape(-1)]
        at = np.minimum(regions, TABLE)
        known: trace.Indices = self._table[at]
        if (is_new := known < 0).any():
            for region in np.unique(regions[is_new]).tolist():
                self._table[min(region, TABLE)] = self._number(region)
            known = self._table[at]
        return known

    def _number(self, region: int) -> int:
        return self._numbers.setdefault(self._meaning(region), len(self._numbers))


Ticks = NDArray[np.uint64]

BLOCK: Final = 250_000
"""Rows that are converted at a time."""

LAST_REQUEST: Final = 2**32 - 2
KEPT: Final = int(Flag.SENT | Flag.RECEIVED | Flag.POSTED | Flag.PART)


class Converter:
    """Makes records of the rows of all processes, with numbers in common.

    Parameters
    ----------
    functions, sites
        Of regions of MPI, and of those that call it.
    communicators
        Whose meanings are numbers in the trace.
    nanoseconds
        Times since the begin of the run, of ticks.
    """

    def __init__(
        self,
        functions: Numbering[str],
        sites: Numbering[trace.Site],
        communicators: Numbering[int],
        nanoseconds: Callable[[Ticks], trace.Indices],
    ) -> None:
        """Begin without any process."""
        self.functions, self.sites = functions, sites
        self._communicators = communicators
        self._nanoseconds = nanoseconds
        # One for all processes: each keeps some megabytes in memory.
        self._spool = stored.Spool(RECORD)
        self._added: list[tuple[int, int, int, tuple[int, int]]] = []

    def add(self, rows: stored.StoredRows, span: tuple[int, int]) -> None:
        """Take the rows of the next process, which ran from and to moments in ns."""
        begin = self._spool.count
        numbers = _request_numbers(rows)
        completed = _completed(rows)
        useful, now = 0, span[0]
        for first in range(0, len(rows), BLOCK):
            block = _begun(rows[first : first + BLOCK], completed)
            records: Records = np.zeros(len(block), RECORD)
            start = self._nanoseconds(block["start"])
            records["start"] = start
            records["took"] = self._nanoseconds(block["start"] + block["took"]) - start
            for name in ("bytes", "peer", "tag"):
                records[name] = block[name]
            records["function"] = self.functions.of(block["function"])
            records["site"] = self.sites.of(block["caller"])
            places = self._communicators.of(block["communicator"])
            records["communicator"] = np.array(self._communicators.meanings)[places]
            records["flags"] = block["flags"] & KEPT
            if (is_requested := (block["flags"] & REQUESTED) != 0).any():
                requests = numbers(block["request"][is_requested])
                records["request"][is_requested] = requests
            starts = records["start"].astype(np.int64)
            ends = np.maximum.accumulate(
                np.maximum(now, starts + records["took"].astype(np.int64))
            )
            useful += int(np.maximum(0, starts - np.r_[now, ends[:-1]]).sum())
            now = int(ends[-1])
            self._spool.add(records)
        useful += max(0, span[1] - now)
        self._added.append((begin, self._spool.count, useful, span))

    def processes(self) -> list[trace.Process]:
        """Return all processes in the order of their ranks."""
        records = self._spool.stored()
        return [
            trace.Process(rank, stored.part(records, begin, end), useful, span=span)
            for rank, (begin, end, useful, span) in enumerate(self._added)
        ]


def _completed(rows: stored.StoredRows) -> Rows:
    """Return the rows that complete collectives, by request; the last one holds."""
    completed = []
    for begin in range(0, len(rows), BLOCK):
        block = rows[begin : begin + BLOCK]
        completed.append(block[(block["flags"] & COMPLETED) != 0][::-1])
    together = np.concatenate(completed[::-1]) if completed else rows[:0]
    _, first = np.unique(together["request"], return_index=True)
    return together[first]


def _begun(rows: Rows, completed: Rows) -> Rows:
    """Say of collectives where they begin what is told where they are completed."""
    if not len(completed):
        return rows
    rows = rows.copy()
    started = np.flatnonzero(rows["flags"] & STARTED)
    known, requests = completed["request"], rows["request"][started]
    at = np.minimum(np.searchsorted(known, requests), len(known) - 1)
    is_known = known[at] == requests
    for name in ("communicator", "peer", "bytes"):
        rows[name][started[is_known]] = completed[name][at[is_known]]
    ends = (rows["flags"] & COMPLETED) != 0
    rows["communicator"][ends], rows["peer"][ends], rows["bytes"][ends] = NOTHING, -1, 0
    return rows


def _request_numbers(rows: stored.StoredRows) -> Callable[[Ticks], trace.Indices]:
    """Return what numbers requests from 1 on, in 32 bits."""
    largest = max(
        (
            int(rows[begin : begin + BLOCK]["request"].max())
            for begin in range(0, len(rows), BLOCK)
        ),
        default=0,
    )
    if largest <= LAST_REQUEST:
        return lambda requests: requests.astype(np.int64) + 1
    chosen = (rows["flags"] & REQUESTED) != 0
    known = np.unique(rows["request"][chosen])
    return lambda requests: np.searchsorted(known, requests) + 1

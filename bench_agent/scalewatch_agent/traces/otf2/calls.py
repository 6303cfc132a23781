"""Make a process out of the rows that a collector has written."""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces.otf2.definitions import NOTHING
from scalewatch_agent.traces.otf2.numbering import Numbering
from scalewatch_agent.traces.otf2.rows import (
    COMPLETED,
    REQUESTED,
    STARTED,
    Rows,
)
from scalewatch_agent.traces.records import RECORD, Flag, Records
from scalewatch_agent.traces.stored.rows import StoredRows, part
from scalewatch_agent.traces.stored.spool import Spool
from scalewatch_agent.traces.trace import Indices, Process, Site

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
        sites: Numbering[Site],
        communicators: Numbering[int],
        nanoseconds: Callable[[Ticks], Indices],
    ) -> None:
        """Begin without any process."""
        self.functions, self.sites = functions, sites
        self._communicators = communicators
        self._nanoseconds = nanoseconds
        # One for all processes: each keeps some megabytes in memory.
        self._spool = Spool(RECORD)
        self._added: list[tuple[int, int, int, tuple[int, int]]] = []

    def add(self, rows: StoredRows, span: tuple[int, int]) -> None:
        """Take the rows of the next process, which ran from and to moments in ns."""
        begin = self._spool.count
        numbers = _request_numbers(rows)
        completed = _completed(rows)
        useful, now = 0, span[0]
        for first in range(0, len(rows), BLOCK):
            block = _begun(rows[first : first + BLOCK], completed)
            records = self._records(block, numbers)
            starts = records["start"].astype(np.int64)
            ends = np.maximum.accumulate(
                np.maximum(now, starts + records["took"].astype(np.int64))
            )
            useful += int(np.maximum(0, starts - np.r_[now, ends[:-1]]).sum())
            now = int(ends[-1])
            self._spool.add(records)
        useful += max(0, span[1] - now)
        self._added.append((begin, self._spool.count, useful, span))

    def processes(self) -> list[Process]:
        """Return all processes in the order of their ranks."""
        records = self._spool.stored()
        return [
            Process(rank, part(records, begin, end), useful, span=span)
            for rank, (begin, end, useful, span) in enumerate(self._added)
        ]

    def _records(
        self, rows: Rows, request_numbers: Callable[[Ticks], Indices]
    ) -> Records:
        records: Records = np.zeros(len(rows), RECORD)
        start = self._nanoseconds(rows["start"])
        records["start"] = start
        records["took"] = self._nanoseconds(rows["start"] + rows["took"]) - start
        for name in ("bytes", "peer", "tag"):
            records[name] = rows[name]
        records["function"] = self.functions.of(rows["function"])
        records["site"] = self.sites.of(rows["caller"])
        places = self._communicators.of(rows["communicator"])
        records["communicator"] = np.array(self._communicators.meanings)[places]
        records["flags"] = rows["flags"] & KEPT
        if (is_requested := (rows["flags"] & REQUESTED) != 0).any():
            requests = request_numbers(rows["request"][is_requested])
            records["request"][is_requested] = requests
        return records


def _completed(rows: StoredRows) -> Rows:
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


def _request_numbers(rows: StoredRows) -> Callable[[Ticks], Indices]:
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

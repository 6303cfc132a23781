"""Make a process out of the rows that a collector has written."""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces.otf2.numbering import Numbering
from scalewatch_agent.traces.otf2.rows import REQUESTED, Rows
from scalewatch_agent.traces.records import RECORD, Flag, Records
from scalewatch_agent.traces.spool import Spool
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

    def process(self, rank: int, rows: Rows, span: tuple[int, int]) -> Process:
        """Return a process that ran from and to two moments, in ns."""
        spool = Spool(RECORD)
        numbers = _request_numbers(rows)
        useful, now = 0, span[0]
        for begin in range(0, len(rows), BLOCK):
            block = np.asarray(rows[begin : begin + BLOCK])
            records = self._records(block, numbers)
            starts = records["start"].astype(np.int64)
            ends = np.maximum.accumulate(
                np.maximum(now, starts + records["took"].astype(np.int64))
            )
            useful += int(np.maximum(0, starts - np.r_[now, ends[:-1]]).sum())
            now = int(ends[-1])
            spool.add(records)
        useful += max(0, span[1] - now)
        return Process(rank, spool.rows(), useful, span=span)

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


def _request_numbers(rows: Rows) -> Callable[[Ticks], Indices]:
    """Return what numbers requests from 1 on, in 32 bits."""
    largest = max(
        (
            int(np.max(rows["request"][begin : begin + BLOCK]))
            for begin in range(0, len(rows), BLOCK)
        ),
        default=0,
    )
    if largest <= LAST_REQUEST:
        return lambda requests: requests.astype(np.int64) + 1
    chosen = (np.asarray(rows["flags"]) & REQUESTED) != 0
    known = np.unique(rows["request"][chosen])
    return lambda requests: np.searchsorted(known, requests) + 1

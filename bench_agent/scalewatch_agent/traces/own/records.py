"""The records of a process in the numbers and on the clock of its trace."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces.messages.pairs import calls_of
from scalewatch_agent.traces.own.clocks import Timeline
from scalewatch_agent.traces.records import RECORD, Flag, Records
from scalewatch_agent.traces.stored.rows import BLOCK, Rows, StoredRows, sampled
from scalewatch_agent.traces.stored.spool import Spool
from scalewatch_agent.traces.windows import SAMPLES, WINDOW, next_call

Meaning = Mapping[int, tuple[int, int]]
"""Communicators by their numbers, and the offsets of ranks on them."""


@dataclass(slots=True)
class Translation:
    """Puts the numbers of the trace in the place of those of a process.

    Parameters
    ----------
    sites
        The place of each site, shape (n,).
    communicators
        The number of each communicator, and what to add to ranks, shape (m, 2).
    """

    times: Timeline
    sites: NDArray[np.uint32]
    communicators: NDArray[np.int64]
    has_other_sites: bool
    has_other_communicators: bool

    @classmethod
    def of(
        cls, times: Timeline, sites: NDArray[np.uint32], meaning: Meaning
    ) -> "Translation":
        """Return the translation for what a process has defined."""
        table = np.zeros((max(meaning, default=-1) + 1, 2), np.int64)
        for number, pair in meaning.items():
            table[number] = pair
        return cls(
            times,
            sites,
            table,
            not np.array_equal(sites, np.arange(len(sites))),
            any(number != each or shift for number, (each, shift) in meaning.items()),
        )

    def __call__(self, records: Records) -> Records:
        """Translate records where they are, and return them."""
        self.times.apply(records)
        if self.has_other_sites:
            records["site"] = self.sites[records["site"]]
        if self.has_other_communicators:
            table = self.communicators
            communicators = np.minimum(records["communicator"], len(table) - 1)
            records["communicator"] = table[communicators, 0]
            if table[:, 1].any():
                shift = np.where(records["peer"] >= 0, table[communicators, 1], 0)
                records["peer"] += shift.astype(np.int32)
        return records


@dataclass(slots=True)
class Seen:
    """Summary of the records of one thread.

    `in_mpi` is the time of its calls in ns, `backwards` how often one seems to begin
    before the one before it has begun.
    """

    in_mpi: int = 0
    backwards: int = 0


def seen(
    records: StoredRows, times: Timeline, check: Callable[[Records], None]
) -> Seen:
    """Look through the records of a thread as they are in its file."""
    summary, last = Seen(), 0
    for begin in range(0, len(records), BLOCK):
        block = records[begin : begin + BLOCK]
        check(block)
        is_call = (block["flags"] & Flag.PART) == 0
        summary.in_mpi += int(block["took"][is_call].sum())
        times.apply(block)
        start = block["start"]
        summary.backwards += int(start[0] < last) + int(
            np.count_nonzero(start[1:] < start[:-1])
        )
        last = int(start[-1])
    return summary


def forwards(records: StoredRows) -> Rows:
    """Return records of which none begins before the one before it has begun."""
    spool, last = Spool(RECORD), 0
    for begin in range(0, len(records), BLOCK):
        block = records[begin : begin + BLOCK]
        block["start"] = np.maximum.accumulate(np.maximum(last, block["start"]))
        last = int(block["start"][-1])
        spool.add(block)
    return spool.stored()


def merged(threads: Sequence[StoredRows]) -> Rows:
    """Return the records of several threads by the start of their calls."""
    spool = Spool(RECORD)
    begins = [0] * len(threads)
    for moment in (*_moments(threads), None):
        ends = [
            len(records) if moment is None else _begun_by(records, begin, moment)
            for records, begin in zip(threads, begins, strict=True)
        ]
        parts = [
            records[begin:end]
            for records, begin, end in zip(threads, begins, ends, strict=True)
        ]
        spool.add(_in_order(np.concatenate(parts)))
        begins = ends
    return spool.stored()


def _moments(threads: Sequence[StoredRows]) -> Iterator[int]:
    """Yield moments between which threads have about a block of records."""
    total = sum(map(len, threads))
    if total > WINDOW:
        stride = total // SAMPLES + 1
        times = np.sort(
            np.concatenate([sampled(each, stride)["start"] for each in threads])
        )
        step = max(1, WINDOW // stride)
        yield from np.unique(times[step::step]).tolist()


def _begun_by(records: StoredRows, begin: int, moment: int) -> int:
    """Return the first call that begins after a moment, by bisection."""
    low, high = begin, len(records)
    while low < high:
        middle = (low + high) // 2
        if records[middle]["start"] <= moment:
            low = middle + 1
        else:
            high = middle
    return next_call(records, low)


def _in_order(records: Records) -> NDArray[Any]:
    calls = calls_of(records)
    return records[np.lexsort((calls, records["start"][calls]))]

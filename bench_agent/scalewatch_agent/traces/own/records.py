"""The records of a process in the numbers and on the clock of its trace.

t' = t - offset(t),    offset linear between the begin and the end of recording
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces import stored, trace
from scalewatch_agent.traces.own.definitions import Definitions
from scalewatch_agent.traces.records import (
    RECORD,
    SAMPLES,
    WINDOW,
    Flag,
    RecordFile,
    Records,
    calls_of,
    next_call,
)


@dataclass(frozen=True, slots=True)
class Timeline:
    """From when to when a process was recorded, and how its clock is corrected."""

    begin: int
    end: int
    clocks: Sequence[tuple[int, int]]

    def apply(self, records: Records) -> None:
        """Correct the times of some records."""
        if self.clocks:
            start = records["start"].astype(np.int64)
            # Clocks of other hosts may have begun before that of process 0.
            records["start"] = np.maximum(0, corrected(start, self.clocks))


def timeline(definitions: Definitions, threads: Sequence[RecordFile]) -> Timeline:
    """Return the timeline of a process; its records stand for what is not defined."""
    records = [each.records for each in threads if len(each.records)]
    first = min((int(each[0]["start"]) for each in records), default=0)
    last = max(
        (int(each[-1]["start"] + each[-1]["took"]) for each in records), default=0
    )
    begin = first if definitions.begin is None else definitions.begin
    end = max(begin, last) if definitions.end is None else definitions.end
    clocks = definitions.clocks
    ends = corrected(np.array([begin, end], np.int64), clocks)
    return Timeline(int(ends[0]), int(ends[1]), clocks)


def corrected(
    times: trace.Nanoseconds, clocks: Sequence[tuple[int, int]]
) -> trace.Nanoseconds:
    """Return times of a process on the clock of process 0, in ns."""
    if not clocks:
        return times
    at, offsets = np.array(clocks, np.int64).T
    # Differences are small, so that float64 tells nanoseconds.
    drift = np.interp(times - at[0], at - at[0], offsets - offsets[0])
    moved: trace.Nanoseconds = times - offsets[0] - np.round(drift).astype(np.int64)
    return moved


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
    records: stored.StoredRows, times: Timeline, check: Callable[[Records], None]
) -> Seen:
    """Look through the records of a thread as they are in its file."""
    summary, last = Seen(), 0
    for begin in range(0, len(records), stored.BLOCK):
        block = records[begin : begin + stored.BLOCK]
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


def forwards(records: stored.StoredRows) -> stored.Rows:
    """Return records of which none begins before the one before it has begun."""
    spool, last = stored.Spool(RECORD), 0
    for begin in range(0, len(records), stored.BLOCK):
        block = records[begin : begin + stored.BLOCK]
        block["start"] = np.maximum.accumulate(np.maximum(last, block["start"]))
        last = int(block["start"][-1])
        spool.add(block)
    return spool.stored()


def merged(threads: Sequence[stored.StoredRows]) -> stored.Rows:
    """Return the records of several threads by the start of their calls."""
    spool = stored.Spool(RECORD)
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
        joined = np.concatenate(parts)
        calls = calls_of(joined)
        spool.add(joined[np.lexsort((calls, joined["start"][calls]))])
        begins = ends
    return spool.stored()


def _moments(threads: Sequence[stored.StoredRows]) -> Iterator[int]:
    """Yield moments between which threads have about a block of records."""
    total = sum(map(len, threads))
    if total > WINDOW:
        stride = total // SAMPLES + 1
        times = np.sort(
            np.concatenate([stored.sampled(each, stride)["start"] for each in threads])
        )
        step = max(1, WINDOW // stride)
        yield from np.unique(times[step::step]).tolist()


def _begun_by(records: stored.StoredRows, begin: int, moment: int) -> int:
    """Return the first call that begins after a moment, by bisection."""
    low, high = begin, len(records)
    while low < high:
        middle = (low + high) // 2
        if records[middle]["start"] <= moment:
            low = middle + 1
        else:
            high = middle
    return next_call(records, low)

"""The critical path of a trace: the calls and the computation that decide its run time.

It is followed backwards from the process that ends last. Where a call on it has waited,
the path goes on with the process that it waited for, at the moment at which that came:
when the late message was sent, the late receive was posted, or the last member or the
root of a collective entered. What gets shorter on the path makes the run shorter, until
another path is the longest; what is not on it does not.

References
----------
D. Böhme et al., "Scalable Critical-Path Based Performance Analysis", IPDPS 2012.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces import ideal
from scalewatch_agent.traces.records import Flag, Records, blocks
from scalewatch_agent.traces.trace import Indices, Nanoseconds, Trace

MOST_WAITS: Final = 1_000_000
"""Calls that have waited, which are held while the path is followed."""


@dataclass(frozen=True, slots=True)
class CriticalPath:
    """Parts of the critical path, in ns.

    Parameters
    ----------
    in_calls, before_calls
        Of the calls at each location, and of the computation before them, shape (k,).
    computing
        Outside of MPI, of each process, shape (p,).
    """

    in_calls: NDArray[np.float64]
    before_calls: NDArray[np.float64]
    computing: NDArray[np.float64]


class WaitingCalls:
    """The calls of each process that have waited: from when, until when, for whom."""

    def __init__(self, processes: int) -> None:
        """Begin without any."""
        nothing = np.zeros(0, np.int64)
        self._found = [[(nothing, nothing, nothing)] for _ in range(processes)]
        self.count = 0

    def add(self, number: int, block: Records, waited: NDArray[Any]) -> None:
        """Add those among some records of a process, which have to come in order."""
        at = np.flatnonzero(waited["cause"])
        self.count += len(at)
        if len(at) and self.count <= MOST_WAITS:
            start = block["start"][at].astype(np.int64)
            kinds = ("late_sender", "late_receiver", "collective")
            longest = np.max([waited[kind][at] for kind in kinds], axis=0)
            causes = waited["cause"][at].astype(np.int64) - 1
            self._found[number].append((start, start + longest, causes))

    def of(self, number: int) -> tuple[Nanoseconds, Nanoseconds, Indices]:
        """Return begins and ends of waiting of a process, and for whom, shape (n,)."""
        start, until, causes = zip(*self._found[number], strict=True)
        return np.concatenate(start), np.concatenate(until), np.concatenate(causes)


def critical_path(
    trace: Trace,
    waiting: WaitingCalls,
    locations: Callable[[Records], Indices],
    count: int,
) -> CriticalPath | None:
    """Return what lies on the critical path; None where too many calls have waited.

    Parameters
    ----------
    locations
        Returns the location of each of some records, by its number.
    count
        How many locations there are.
    """
    if waiting.count > MOST_WAITS:
        return None
    path = CriticalPath(
        np.zeros(count), np.zeros(count), np.zeros(len(trace.processes))
    )
    for number, spans in enumerate(_spans(trace, waiting)):
        if len(spans):
            _add(path, trace, number, np.array(spans, np.int64), locations)
    return path


def no_path() -> str:
    """Say why there is no critical path."""
    return f"no critical path: more than {MOST_WAITS:,} calls have waited"


def _spans(trace: Trace, waiting: WaitingCalls) -> Sequence[list[tuple[int, int]]]:
    """Return from when to when each process is on the path, in order of time."""
    lives = [_life(trace, number) for number in range(len(trace.processes))]
    calls = [waiting.of(number) for number in range(len(trace.processes))]
    spans: list[list[tuple[int, int]]] = [[] for _ in lives]
    number = max(range(len(lives)), key=lambda life: lives[life][1])
    moment = lives[number][1]
    while True:
        start, until, causes = calls[number]
        at = int(np.searchsorted(start, moment)) - 1
        while at >= 0 and until[at] >= moment:
            at -= 1
        if at < 0:
            spans[number].append((min(lives[number][0], moment), moment))
            return [life[::-1] for life in spans]
        spans[number].append((int(until[at]), moment))
        number, moment = int(causes[at]), int(until[at])


def _life(trace: Trace, number: int) -> tuple[int, int]:
    """Return when a process began and ended."""
    process = trace.processes[number]
    if process.span is not None:
        return process.span
    if not len(process.records):
        return 0, 0
    last = process.records[-1]
    return 0, int(last["start"]) + int(last["took"])


def _add(
    path: CriticalPath,
    trace: Trace,
    number: int,
    spans: NDArray[np.int64],
    locations: Callable[[Records], Indices],
) -> None:
    """Add what lies on the path of a process, given from when to when it is on it."""
    last, in_mpi = 0, 0
    for _, block in blocks(trace.processes[number].records):
        calls = block[(block["flags"] & Flag.PART) == 0]
        start = calls["start"].astype(np.int64)
        begin = ideal.time_within(spans, start)
        end = np.maximum.accumulate(
            np.maximum(
                last, ideal.time_within(spans, start + calls["took"].astype(np.int64))
            )
        )
        before = np.r_[last, end[:-1]]
        gaps, inside = np.maximum(0, begin - before), end - np.maximum(begin, before)
        key, size = locations(calls), len(path.in_calls)
        path.in_calls[:] += np.bincount(key, inside, minlength=size)
        path.before_calls[:] += np.bincount(key, gaps, minlength=size)
        last, in_mpi = int(end[-1]), in_mpi + int(inside.sum())
    path.computing[number] = int((spans[:, 1] - spans[:, 0]).sum()) - in_mpi

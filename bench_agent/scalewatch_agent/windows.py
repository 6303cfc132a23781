"""Window-synchronised timing: all processes start at the same moment.

Rank 0 announces the start of a batch of windows in its own time; each process waits on
its own clock for the start of each window. A process that gets there late makes the
repetition worthless, so it is counted and made again. One late process also drags the
windows behind it, therefore batches are short, and wait longer where that happens.
"""

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from os import sched_yield
from time import perf_counter_ns
from typing import Self

from mpi4py import MPI

from scalewatch_agent.clocks import Clock

BATCH = 20
TOLERANCE = 1_000
"""A start up to a microsecond late counts as punctual: the waiting loop's own grain."""

SPINNING = 5_000
"""Nanoseconds before a start from which the core is no longer offered to others."""

SHORTEST_LEAD, LONGEST_LEAD = 100_000, 2_000_000
SLACK = 10_000
LONGEST_STRETCH = 8


@dataclass(frozen=True, slots=True)
class Pace:
    """Nanoseconds from an announcement to its first window, and the window's length."""

    window: int
    longest_window: int
    lead: int = SHORTEST_LEAD

    @classmethod
    def for_duration(cls, duration: int) -> Self:
        """Return the pace for an operation of that many nanoseconds."""
        window = 2 * duration + SLACK
        return cls(window, LONGEST_STRETCH * window)

    def after(self, is_late: list[bool]) -> Self:
        """Return the pace that a batch with these late starts calls for."""
        lead = 2 * self.lead if is_late[0] else self.lead
        dragged = sum(is_late[1:]) > len(is_late) // 10
        window = 2 * self.window if dragged else self.window
        return replace(
            self,
            lead=min(lead, LONGEST_LEAD),
            window=min(window, self.longest_window),
        )


@dataclass(slots=True)
class Timed:
    """Nanoseconds of the punctual repetitions, and the number of late ones."""

    values: list[int] = field(default_factory=list)
    late: int = 0


def time_in_windows(  # noqa: PLR0913 - what, where, how often, how long, how fast
    call: Callable[[], object],
    comm: MPI.Intracomm,
    clock: Clock,
    *,
    repetitions: int,
    budget: int,
    pace: Pace,
) -> Timed:
    """Return the time of each punctual repetition on the slowest process.

    Collective over `comm`; every process gets the same. Fewer than `repetitions` are
    made where the `budget` of nanoseconds ends first.
    """
    timed = Timed()
    deadline = perf_counter_ns() + budget
    while plan := _announce(comm, pace, repetitions - len(timed.values), deadline):
        start, window, batch = plan
        measured = _run(call, start - clock.offset, window, batch)
        comm.Allreduce(MPI.IN_PLACE, [measured, MPI.INT64_T], MPI.MAX)
        is_late = [delay > TOLERANCE for delay in measured[batch:]]
        timed.values.extend(
            value
            for value, late in zip(measured[:batch], is_late, strict=True)
            if not late
        )
        timed.late += sum(is_late)
        pace = pace.after(is_late)
    return timed


def _announce(
    comm: MPI.Intracomm, pace: Pace, missing: int, deadline: int
) -> tuple[int, int, int] | None:
    """Return start in rank 0's time, window and number of repetitions, if any."""
    now = perf_counter_ns()
    affordable = max((deadline - now - pace.lead) // pace.window, 0)
    batch = min(BATCH, missing, affordable)
    plan = array("q", [now + pace.lead, pace.window, batch])
    comm.Bcast([plan, MPI.INT64_T])
    start, window, batch = plan
    return (start, window, batch) if batch else None


def _run(
    call: Callable[[], object], start: int, window: int, batch: int
) -> "array[int]":
    """Return the batch's durations, then its delays, in nanoseconds."""
    measured = array("q", bytes(16 * batch))
    for i in range(batch):
        _wait_until(start)
        begin = perf_counter_ns()
        call()
        measured[i] = perf_counter_ns() - begin
        measured[batch + i] = begin - start
        start += window
    return measured


def _wait_until(moment: int) -> None:
    while moment - perf_counter_ns() > SPINNING:
        sched_yield()
    while perf_counter_ns() < moment:
        pass

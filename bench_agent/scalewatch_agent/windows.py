"""Window-synchronised timing: all processes start at the same moment.

Rank 0 announces the start of a batch of windows in its own time; each process waits on
its own clock for the start of each window. A process that gets there late makes the
repetition worthless, so it is counted and made again. One late process also drags the
windows behind it, therefore batches are short, and shorter still where that happens.
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

LEAD = 100_000
"""Nanoseconds from an announcement to its first window."""

SLACK = 10_000
LARGEST_STRETCH = 8


HOPELESS = 100
"""Late starts after which windows have failed, unless one in ten is punctual."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How far apart the starts are, in nanoseconds, and how many are announced.

    A late start doubles `stretch`: longer waits for a system that is slower than it
    seemed, shorter batches for one that is disturbed. Punctual batches undo it.
    """

    shortest_window: int
    stretch: int = 1

    @classmethod
    def for_duration(cls, duration: int) -> Self:
        """Return the pace for an operation of that many nanoseconds."""
        return cls(2 * duration + SLACK)

    @property
    def window(self) -> int:
        """From one start to the next."""
        return self.shortest_window * self.stretch

    @property
    def lead(self) -> int:
        """From the announcement to the first start."""
        return LEAD * self.stretch

    @property
    def batch(self) -> int:
        """The number of starts in an announcement."""
        return BATCH // self.stretch

    def after(self, late: int) -> Self:
        """Return the pace that a batch with so many late starts calls for."""
        stretch = self.stretch * 2 if late else self.stretch // 2
        return replace(self, stretch=min(max(stretch, 1), LARGEST_STRETCH))


@dataclass(slots=True)
class Timed:
    """Nanoseconds of the punctual repetitions, and the number of late ones."""

    values: list[int] = field(default_factory=list)
    late: int = 0

    @property
    def is_hopeless(self) -> bool:
        """Whether nearly all starts are late, as on a machine that is busy."""
        return self.late > max(HOPELESS, 10 * len(self.values))


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
    made where the `budget` of nanoseconds ends first, or nearly all start late.
    """
    timed = Timed()
    deadline = perf_counter_ns() + budget
    while not timed.is_hopeless and (
        plan := _announce(comm, pace, repetitions - len(timed.values), deadline)
    ):
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
        pace = pace.after(sum(is_late))
    return timed


def _announce(
    comm: MPI.Intracomm, pace: Pace, missing: int, deadline: int
) -> tuple[int, int, int] | None:
    """Return start in rank 0's time, window and number of repetitions, if any."""
    now = perf_counter_ns()
    affordable = max((deadline - now - pace.lead) // pace.window, 0)
    batch = min(pace.batch, missing, affordable)
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

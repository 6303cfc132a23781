"""Time an operation across all processes of a communicator."""

from dataclasses import dataclass
from statistics import median
from typing import Literal

from mpi4py import MPI

from scalewatch_agent.barriers import time_behind_barriers
from scalewatch_agent.clocks import largest_error, synchronise
from scalewatch_agent.kernels import Operation
from scalewatch_agent.windows import Pace, time_in_windows

ENOUGH = 20
"""Punctual repetitions without which windows have failed."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How often an operation is repeated, and the seconds after which it has to do."""

    repetitions: int
    warm_ups: int
    budget: float


@dataclass(frozen=True, slots=True)
class Timing:
    """Nanoseconds per repetition on the slowest process, and how they were taken."""

    values: tuple[int, ...]
    synchronisation: Literal["window", "barrier"]
    warm_ups: int
    late: int | None = None
    clock_error: int | None = None


def time_operation(
    operation: Operation,
    comm: MPI.Intracomm,
    effort: Effort,
    *,
    oversubscribed: bool,
) -> Timing:
    """Time each repetition on the slowest process, from a common start.

    Windows need a core per process: where there are more processes, or where another
    load makes nearly all starts late, barriers separate the repetitions instead.
    Collective over `comm`; every process gets the same.
    """
    budget = round(effort.budget * 1e9)
    call = operation.call
    warm_ups = time_behind_barriers(call, comm, effort.warm_ups, budget)
    late = None
    if not oversubscribed:
        clock = synchronise(comm)
        pace = Pace.for_duration(round(median(warm_ups)))
        timed = time_in_windows(
            call,
            comm,
            clock,
            repetitions=effort.repetitions,
            budget=budget,
            pace=pace,
        )
        if len(timed.values) >= min(ENOUGH, effort.repetitions):
            return Timing(
                tuple(timed.values),
                "window",
                len(warm_ups),
                timed.late,
                largest_error(comm, clock),
            )
        late = timed.late
    values = time_behind_barriers(call, comm, effort.repetitions, budget)
    return Timing(tuple(values), "barrier", len(warm_ups), late)

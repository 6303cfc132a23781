"""Barrier-synchronised timing: for jobs with more processes than cores.

The processes leave a barrier one after the other, so a repetition holds part of that
skew; but a late process delays only the repetition it is late for.
"""

from array import array
from collections.abc import Callable
from time import perf_counter_ns

from mpi4py import MPI

FIRST_BATCH = 5
LARGEST_BATCH = 50


def time_behind_barriers(
    call: Callable[[], object], comm: MPI.Intracomm, repetitions: int, budget: int
) -> list[int]:
    """Return the time of each repetition on the slowest process, in nanoseconds.

    Collective over `comm`; every process gets the same list. It is shorter than
    `repetitions`, but never empty, where the `budget` of nanoseconds ends first.
    """
    values: list[int] = []
    began = perf_counter_ns()
    while batch := _next_batch(comm, len(values), repetitions, began, budget):
        durations = array("q", bytes(8 * batch))
        barrier = comm.Barrier
        for i in range(batch):
            barrier()
            start = perf_counter_ns()
            call()
            durations[i] = perf_counter_ns() - start
        comm.Allreduce(MPI.IN_PLACE, [durations, MPI.INT64_T], MPI.MAX)
        values.extend(durations)
    return values


def _next_batch(
    comm: MPI.Intracomm, made: int, repetitions: int, began: int, budget: int
) -> int:
    """Return how many repetitions follow; rank 0's clock decides for all."""
    if made == 0:
        size = min(FIRST_BATCH, repetitions)
    else:
        elapsed = perf_counter_ns() - began
        affordable = (budget - elapsed) * made // max(elapsed, 1)
        size = max(0, min(LARGEST_BATCH, repetitions - made, affordable))
    decision = array("q", [size])
    comm.Bcast([decision, MPI.INT64_T])
    return decision[0]

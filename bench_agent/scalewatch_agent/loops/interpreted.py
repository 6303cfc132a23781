"""The loops in Python: where no compiler is, and to measure what Python costs."""

from array import array
from collections.abc import Callable
from time import perf_counter_ns

from mpi4py import MPI

from scalewatch_agent.loops import Kind, Rounds, Spans, nanoseconds


class InterpretedLoop:
    """Repeats a call from Python."""

    kind: Kind = "interpreted"

    def __init__(self, call: Callable[[], object], comm: MPI.Intracomm) -> None:
        self.call = call
        self.comm = comm

    def behind_barriers(self, batch: int) -> Spans:
        """Repeat it, each time behind a barrier."""
        begun, ended = nanoseconds(batch), nanoseconds(batch)
        barrier, call = self.comm.Barrier, self.call
        for i in range(batch):
            barrier()
            begin = perf_counter_ns()
            call()
            ended[i] = perf_counter_ns()
            begun[i] = begin
        return Spans(begun, ended)

    def in_rounds(self, batch: int, lead: int, offset: int) -> Rounds:
        """Repeat it, each time from a start that rank 0 announces `lead` before."""
        late, lasted = nanoseconds(batch), nanoseconds(batch)
        start = nanoseconds(1)
        message = [start, MPI.INT64_T]
        announces = self.comm.rank == 0
        announce, call = self.comm.Bcast, self.call
        self.comm.Barrier()
        for i in range(-1, batch):  # the first round does not count, see loop.c
            if announces:
                start[0] = perf_counter_ns() + offset + lead
            announce(message)
            moment = start[0] - offset
            begin = perf_counter_ns()
            while begin < moment:  # who offers the core to others here starts late
                begin = perf_counter_ns()
            call()
            end = perf_counter_ns()
            lasted[max(i, 0)] = end - begin
            late[max(i, 0)] = begin - moment
        return Rounds(late, lasted)


def read_clock(batch: int) -> "array[int]":
    """Return what the clock shows each time that Python reads it."""
    readings = nanoseconds(batch)
    for i in range(batch):
        readings[i] = perf_counter_ns()
    return readings

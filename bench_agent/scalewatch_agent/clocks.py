"""Offsets between the clocks of the processes.

A process compares its clock with another one by ping-pong: it sends at t0, the other
one answers with its own time, the answer is there at t1. The other clock then showed
its time at (t0 + t1) / 2, give or take half of the round trip; the quickest of several
round trips says it best. The processes form a binomial tree below rank 0, so that p
clocks are compared in log2(p) steps; offsets and errors add up along a path.

References
----------
T. Hoefler, T. Schneider, A. Lumsdaine: Accurately measuring collective operations at
massive scale (2008).
"""

from array import array
from dataclasses import dataclass
from time import perf_counter_ns

from mpi4py import MPI

EXCHANGES = 50
TAG = 2


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a process against that of rank 0, in nanoseconds.

    Local time plus `offset` is the time of rank 0, up to `error` more or less.
    """

    offset: int
    error: int


def synchronise(comm: MPI.Intracomm, exchanges: int = EXCHANGES) -> Clock:
    """Compare all clocks with that of rank 0; collective over `comm`."""
    clock = Clock(0, 0)
    distance = 1 << max(comm.size - 1, 0).bit_length() >> 1
    while distance:
        place = comm.rank % (2 * distance)
        if place == distance:
            clock = _compare(comm, comm.rank - distance, exchanges)
        elif place == 0 and comm.rank + distance < comm.size:
            _answer(comm, comm.rank + distance, exchanges, clock)
        distance >>= 1
    return clock


def largest_error(comm: MPI.Intracomm, clock: Clock) -> int:
    """Return the largest error of any process; collective over `comm`."""
    error = array("q", [clock.error])
    comm.Allreduce(MPI.IN_PLACE, [error, MPI.INT64_T], MPI.MAX)
    return error[0]


def _compare(comm: MPI.Intracomm, reference: int, exchanges: int) -> Clock:
    reply = array("q", [0, 0])
    message = [reply, MPI.INT64_T]
    quickest: tuple[int, Clock] | None = None
    for _ in range(exchanges):
        sent = perf_counter_ns()
        comm.Send(message, reference, TAG)
        comm.Recv(message, reference, TAG)
        received = perf_counter_ns()
        round_trip = received - sent
        if quickest is None or round_trip < quickest[0]:
            there, error = reply
            half = (round_trip + 1) // 2
            quickest = round_trip, Clock(there - sent - half, error + half)
    assert quickest is not None
    return quickest[1]


def _answer(comm: MPI.Intracomm, asker: int, exchanges: int, clock: Clock) -> None:
    reply = array("q", [0, clock.error])
    message = [reply, MPI.INT64_T]
    question = [array("q", [0, 0]), MPI.INT64_T]
    for _ in range(exchanges):
        comm.Recv(question, asker, TAG)
        reply[0] = perf_counter_ns() + clock.offset
        comm.Send(message, asker, TAG)

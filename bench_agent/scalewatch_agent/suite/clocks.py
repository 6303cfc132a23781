"""Offsets between the clocks of the processes, and how they drift.

Processes of one host read one clock, so the first process of each host compares for
all of them. It compares its clock with another one by ping-pong: it sends at t0, the
other one answers with its own time, the answer is there at t1. The other clock then
showed its time at (t0 + t1) / 2, give or take half of the round trip; the quickest of
several round trips says it best. In C an exchange takes as long as the network does; in
Python, microseconds more, by half of which the comparison is unsure. The hosts form a
binomial tree below that of rank 0, so that h clocks are compared in log2(h) steps;
offsets and errors add up along a path.

References
----------
T. Hoefler, T. Schneider, A. Lumsdaine: Accurately measuring collective operations at
massive scale (2008). S. Hunold, A. Carpen-Amarie: Hierarchical clock synchronization in
MPI (2018).
"""

import os
from array import array
from collections.abc import Callable
from functools import partial
from time import perf_counter_ns
from typing import NamedTuple, Protocol

from mpi4py import MPI

from scalewatch_agent.loops import compiled, nanoseconds
from scalewatch_agent.loops.drift import Clock, ClockReading

TAG = 2

Now = Callable[[], int]


class ClockReply(NamedTuple):
    """Answer of another clock: nanoseconds, by the local clock and by the other."""

    sent: int
    round_trip: int
    there: int
    error: int

    @property
    def comparison(self) -> ClockReading:
        """The other clock showed its time in the middle, give or take half of it."""
        half = (self.round_trip + 1) // 2
        at = self.sent + half
        return ClockReading(at, self.there - at, self.error + half)


class Exchange(Protocol):
    """Exchanges messages with one other process."""

    def ask(self, times: int) -> ClockReply:
        """Ask for the time so often, and return the quickest answer."""

    def answer(self, times: int, mine: ClockReading) -> None:
        """Answer as often with the time that `mine` makes of the local clock."""


class InterpretedExchange:
    """Exchanges messages from Python, by any clock."""

    def __init__(self, comm: MPI.Comm, other: int, now: Now) -> None:
        self.comm, self.other, self.now = comm, other, now

    def ask(self, times: int) -> ClockReply:
        """Ask for the time so often, and return the quickest answer."""
        reply = nanoseconds(2)
        message = [reply, MPI.INT64_T]
        answers = []
        for _ in range(times):
            sent = self.now()
            self.comm.Send(message, self.other, TAG)
            self.comm.Recv(message, self.other, TAG)
            answers.append(ClockReply(sent, self.now() - sent, *reply))
        return min(answers, key=lambda answer: answer.round_trip)

    def answer(self, times: int, mine: ClockReading) -> None:
        """Answer as often with the time that `mine` makes of the local clock."""
        reply = nanoseconds(2)
        question = [nanoseconds(2), MPI.INT64_T]
        for _ in range(times):
            self.comm.Recv(question, self.other, TAG)
            moment = self.now()
            reply[0] = moment + mine.offset
            reply[1] = mine.error_at(moment)
            self.comm.Send([reply, MPI.INT64_T], self.other, TAG)


class CompiledExchange:
    """Exchanges messages from C, by the clock that Python calls perf_counter."""

    def __init__(self, comm: MPI.Comm, other: int, library: compiled.Library) -> None:
        self.library = library
        self.comm, self.other = comm, other

    def ask(self, times: int) -> ClockReply:
        """Ask for the time so often, and return the quickest answer."""
        question, reply, quickest = (nanoseconds(count) for count in (2, 2, 4))
        both = (self._send(question), self._receive(reply))
        compiled.ask(self.library, both, reply, times, quickest)
        return ClockReply(*quickest)

    def answer(self, times: int, mine: ClockReading) -> None:
        """Answer as often with the time that `mine` makes of the local clock."""
        question, reply = nanoseconds(2), nanoseconds(2)
        both = (self._receive(question), self._send(reply))
        compiled.answer(self.library, both, reply, times, mine)

    def _send(self, numbers: "array[int]") -> compiled.FunctionCall:
        end = (len(numbers), MPI.INT64_T, self.other, TAG, self.comm)
        return compiled.step("MPI_Send", numbers, *end)

    def _receive(self, numbers: "array[int]") -> compiled.FunctionCall:
        end = (len(numbers), MPI.INT64_T, self.other, TAG, self.comm)
        status = compiled.memory_of(MPI._sizeof(MPI.Status))  # noqa: SLF001 - mpi4py's only way
        return compiled.step("MPI_Recv", numbers, *end, status)


EXCHANGES = 50

BOOT = "/proc/sys/kernel/random/boot_id"
TIME_NAMESPACE = "/proc/self/ns/time"
"""A file and a link that are the same for all processes of one monotonic clock."""

LONGEST_IDENTITY = 128

Exchanges = Callable[[MPI.Comm, int], Exchange]


def host() -> bytes:
    """Return what is the same for all processes that read one clock."""
    try:
        with open(BOOT, "rb") as file:  # noqa: PTH123 - pathlib is dear in each process
            return file.read() + os.readlink(TIME_NAMESPACE).encode()  # noqa: PTH115
    except OSError:
        return MPI.Get_processor_name().encode()


class Clocks:
    """Compares the clocks of all processes of a communicator.

    Parameters
    ----------
    comm
        Who compares; making and synchronising are collective over it.
    identity
        The same for processes whose clocks need no comparison.
    now
        Reads the clock, in nanoseconds.
    library
        The compiled loops, which compare their own clock more surely than Python.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        identity: bytes | None = None,
        now: Now = perf_counter_ns,
        library: compiled.Library | None = None,
    ) -> None:
        self.comm = comm
        self.now = now
        self.exchange: Exchanges = (
            partial(InterpretedExchange, now=now)
            if library is None
            else partial(CompiledExchange, library=library)
        )
        self.clock = Clock()
        size = LONGEST_IDENTITY
        mine = (identity or host())[:size].ljust(size)
        everyone = bytearray(size * comm.size)
        comm.Allgather([mine, MPI.BYTE], [everyone, size, MPI.BYTE])
        self.on_host = comm.Split(
            next(
                rank
                for rank in range(comm.size)
                if everyone[size * rank : size * (rank + 1)] == mine
            ),
            comm.rank,
        )
        self.leads = self.on_host.rank == 0
        leaders = comm.Split(0 if self.leads else MPI.UNDEFINED, comm.rank)
        self.leaders = leaders if self.leads else None

    def synchronise(self, exchanges: int = EXCHANGES) -> None:
        """Compare all clocks with that of rank 0, once more."""
        result = array("q", [0, 0, 0])
        if self.leaders is not None:
            mine = ClockReading(self.now(), 0, 0)
            distance = 1 << max(self.leaders.size - 1, 0).bit_length() >> 1
            while distance:
                place = self.leaders.rank % (2 * distance)
                if place == distance:
                    comparison = self.exchange(
                        self.leaders, self.leaders.rank - distance
                    )
                    mine = comparison.ask(exchanges).comparison
                elif place == 0 and self.leaders.rank + distance < self.leaders.size:
                    asker = self.exchange(self.leaders, self.leaders.rank + distance)
                    asker.answer(exchanges, mine)
                distance >>= 1
            compared = mine
            result = array("q", [compared.at, compared.offset, compared.error])
        self.on_host.Bcast([result, MPI.INT64_T])
        self.clock.learn(ClockReading(*result))

    def offset(self) -> int:
        """Return what to add to local time now to get that of rank 0."""
        return self.clock.offset(self.now())

    def is_stale(self, age: int) -> bool:
        """Tell whether the last comparison is so old; rank 0's clock decides."""
        stale = array("b", [self.now() - self.clock.comparisons[-1].at > age])
        self.comm.Bcast([stale, MPI.SIGNED_CHAR])
        return bool(stale[0])

    def largest_error(self) -> int:
        """Return the largest error of any process now; collective."""
        error = array("q", [self.clock.error(self.now())])
        self.comm.Allreduce(MPI.IN_PLACE, [error, MPI.INT64_T], MPI.MAX)
        return error[0]

    def free(self) -> None:
        """Give the communicators back; collective."""
        self.on_host.Free()
        if self.leaders is not None:
            self.leaders.Free()

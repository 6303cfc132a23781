"""Two processes compare their clocks by ping-pong.

One asks: it sends, and keeps the quickest round trip. The other one answers with its
own time and how unsure that is. In C an exchange takes as long as the network does; in
Python, microseconds more, by half of which the comparison is unsure.
"""

from array import array
from collections.abc import Callable
from typing import NamedTuple, Protocol

from mpi4py import MPI

from scalewatch_agent.loops import nanoseconds
from scalewatch_agent.loops.compiled import Library, answer, ask
from scalewatch_agent.loops.drift import ClockReading
from scalewatch_agent.loops.program import FunctionCall, memory_of, step

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

    def __init__(self, comm: MPI.Comm, other: int, library: Library) -> None:
        self.library = library
        self.comm, self.other = comm, other

    def ask(self, times: int) -> ClockReply:
        """Ask for the time so often, and return the quickest answer."""
        question, reply, quickest = (nanoseconds(count) for count in (2, 2, 4))
        both = (self._send(question), self._receive(reply))
        ask(self.library, both, reply, times, quickest)
        return ClockReply(*quickest)

    def answer(self, times: int, mine: ClockReading) -> None:
        """Answer as often with the time that `mine` makes of the local clock."""
        question, reply = nanoseconds(2), nanoseconds(2)
        both = (self._receive(question), self._send(reply))
        answer(self.library, both, reply, times, mine)

    def _send(self, numbers: "array[int]") -> FunctionCall:
        end = (len(numbers), MPI.INT64_T, self.other, TAG, self.comm)
        return step("MPI_Send", numbers, *end)

    def _receive(self, numbers: "array[int]") -> FunctionCall:
        end = (len(numbers), MPI.INT64_T, self.other, TAG, self.comm)
        status = memory_of(MPI._sizeof(MPI.Status))  # noqa: SLF001 - mpi4py's only way
        return step("MPI_Recv", numbers, *end, status)

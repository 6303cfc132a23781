"""The loops in C, which the agent compiled before it started the job."""

import ctypes
from array import array
from collections.abc import Sequence

from mpi4py import MPI

from scalewatch_agent.loops import Kind, Rounds, Spans, nanoseconds
from scalewatch_agent.loops.drift import STEADY, ClockReading
from scalewatch_agent.loops.program import FunctionCall, calls, step

Library = ctypes.CDLL


def load(path: str) -> Library | None:
    """Return the compiled loops, or None where this process cannot load them."""
    try:
        library = ctypes.CDLL(path)
    except OSError:
        return None
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    library.behind_barriers.argtypes = [
        *(pointer, number, pointer, number, pointer, pointer),
    ]
    library.in_rounds.argtypes = [
        *(pointer, number, pointer, pointer, pointer, number, number, number),
        *(number, pointer, pointer),
    ]
    library.ask.argtypes = [pointer, pointer, number, pointer]
    library.answer.argtypes = [pointer, pointer, *(number,) * 5]
    library.read_clock.argtypes = [number, pointer]
    library.read_clock.restype = None
    return library


class CompiledLoop:
    """Repeats a sequence of C calls without Python."""

    kind: Kind = "compiled"

    def __init__(
        self, steps: Sequence[FunctionCall], comm: MPI.Intracomm, library: Library
    ) -> None:
        self.steps = steps  # they hold the buffers that the calls point to
        self.library = library
        self.announces = comm.rank == 0
        self.start = nanoseconds(1)
        bcast = ("MPI_Bcast", self.start, 1, MPI.INT64_T, 0, comm)
        self.calls = calls(steps, library)
        self.barrier = calls([step("MPI_Barrier", comm)], library)
        self.announcement = calls([step(*bcast)], library)

    def behind_barriers(self, batch: int) -> Spans:
        """Repeat it, each time behind a barrier.

        Raises
        ------
        MPI.Exception
            If a call answers with an error.
        """
        begun, ended = nanoseconds(batch), nanoseconds(batch)
        _check(
            self.library.behind_barriers(
                self.calls,
                len(self.steps),
                self.barrier,
                batch,
                _address(begun),
                _address(ended),
            )
        )
        return Spans(begun, ended)

    def in_rounds(self, batch: int, lead: int, offset: int) -> Rounds:
        """Repeat it, each time from a start that rank 0 announces `lead` before.

        Raises
        ------
        MPI.Exception
            If a call answers with an error.
        """
        late, lasted = nanoseconds(batch), nanoseconds(batch)
        _check(
            self.library.in_rounds(
                self.calls,
                len(self.steps),
                self.barrier,
                self.announcement,
                _address(self.start),
                self.announces,
                lead,
                offset,
                batch,
                _address(late),
                _address(lasted),
            )
        )
        return Rounds(late, lasted)


def read_clock(library: Library, batch: int) -> "array[int]":
    """Return what the clock shows each time that the loop reads it."""
    readings = nanoseconds(batch)
    library.read_clock(batch, _address(readings))
    return readings


def ask(
    library: Library,
    both: Sequence[FunctionCall],
    reply: "array[int]",
    times: int,
    quickest: "array[int]",
) -> None:
    """Send and receive so often, and keep the quickest `reply`; see loop.c.

    Raises
    ------
    MPI.Exception
        If a call answers with an error.
    """
    _check(
        library.ask(calls(both, library), _address(reply), times, _address(quickest))
    )


def answer(
    library: Library,
    both: Sequence[FunctionCall],
    reply: "array[int]",
    times: int,
    mine: ClockReading,
) -> None:
    """Receive and send so often, with the time that `mine` makes of now as `reply`.

    Raises
    ------
    MPI.Exception
        If a call answers with an error.
    """
    _check(library.answer(calls(both, library), _address(reply), times, *mine, STEADY))


def _address(numbers: "array[int]") -> int:
    return numbers.buffer_info()[0]


def _check(error: int) -> None:
    if error:
        raise MPI.Exception(error)

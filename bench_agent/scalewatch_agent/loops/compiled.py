"""The loops in C, which the agent compiled before it started the job.

They take operations as calls of C functions with their words.
"""

import ctypes
from array import array
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from mpi4py import MPI

from scalewatch_agent.loops import Kind, Rounds, Spans, nanoseconds
from scalewatch_agent.loops.drift import STEADY, ClockReading

ARGUMENTS: Final = 12

Handle: TypeAlias = "MPI.Comm | MPI.Datatype | MPI.Op | MPI.Win | MPI.Info"
Memory: TypeAlias = (
    "bytearray | array[float] | array[int] | ctypes.Array[ctypes.c_char]"
)
Argument: TypeAlias = "int | Memory | Handle | None"


class FunctionCall(NamedTuple):
    """One call of a C function.

    Integers are passed as they are, memory by its address, MPI's objects by their
    handles, and None as a null pointer.
    """

    function: str
    arguments: tuple[Argument, ...]


def step(function: str, *arguments: Argument) -> FunctionCall:
    """Return the step that calls `function`."""
    return FunctionCall(function, arguments)


class Call(ctypes.Structure):
    """`struct call` of loop.c."""

    _fields_ = (
        ("function", ctypes.c_void_p),
        ("arguments", ctypes.c_ssize_t * ARGUMENTS),
    )


def calls(steps: Sequence[FunctionCall], helpers: ctypes.CDLL) -> "ctypes.Array[Call]":
    """Return `steps` in memory; they do not keep their buffers alive.

    Functions are looked for in the MPI library that mpi4py is linked with, then in the
    loop's `own` library.
    """
    mpi = ctypes.CDLL(MPI.__file__)
    made = (Call * len(steps))()
    for i, step in enumerate(steps):
        library = mpi if step.function.startswith("MPI_") else helpers
        made[i].function = ctypes.cast(
            getattr(library, step.function), ctypes.c_void_p
        ).value
        for k, argument in enumerate(step.arguments):
            made[i].arguments[k] = _word(argument)
    return made


def memory_of(size: int) -> "ctypes.Array[ctypes.c_char]":
    """Return memory for what MPI writes, such as requests."""
    return ctypes.create_string_buffer(size)


def _word(argument: Argument) -> int:
    match argument:
        case None:
            return 0
        case int():
            return argument
        case array():
            return argument.buffer_info()[0]
        case bytearray():
            return ctypes.addressof(ctypes.c_char.from_buffer(argument))
        case ctypes.Array():
            return ctypes.addressof(argument)
    return ctypes.c_ssize_t(MPI._handleof(argument)).value  # noqa: SLF001 - mpi4py's only way


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

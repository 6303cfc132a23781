"""Operations as the compiled loop takes them: calls of C functions with their words."""

import ctypes
from array import array
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from mpi4py import MPI

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

"""The kernels an agent can run, one file per family.

A kernel takes a communicator and a message size in bytes, allocates what it needs, and
returns the operation to be timed. Registering it under its region, and naming region
and module in `scalewatch_agent.suite.suites`, is enough to reach the command line.
"""

from array import array
from collections.abc import Callable, Collection, Iterable
from importlib import import_module
from typing import Literal, NamedTuple, TypeAlias

from mpi4py.MPI import Intracomm

from scalewatch_agent.loops.compiled import FunctionCall

Buffer: TypeAlias = "bytearray | array[float]"


def seconds(nanoseconds: float) -> float:
    """Return the shortest decimal of so many nanoseconds in seconds."""
    return nanoseconds / 1e9  # a power of ten rounds to it


class Operation(NamedTuple):
    """A timed operation, and the buffers it works on.

    Parameters
    ----------
    call
        Does it once, from Python.
    sent, received
        None where this process sends or receives nothing; the same in a broadcast.
    steps
        What `call` does, for the compiled loop; None where that cannot do it.
    source
        The rank from which everything comes, if it comes from one; the operation
        cannot have begun before that process did.
    metric, unit, better
        What is reported of it.
    value
        Makes that of the nanoseconds of a repetition.
    prepare
        Is told what a warm-up took, and returns by how much longer repetitions take.
    free
        Gives back what the operation holds; collective.
    """

    call: Callable[[], object]
    sent: "Buffer | None" = None
    received: "Buffer | None" = None
    steps: tuple[FunctionCall, ...] | None = None
    source: int | None = None
    metric: str = "time"
    unit: str = "s"
    better: Literal["lower", "higher"] = "lower"
    value: Callable[[int], float] = seconds
    prepare: Callable[[int], int] | None = None
    free: Callable[[], object] | None = None


class Unfit(Exception):
    """A kernel cannot work with so many processes; its message is the reason."""

    def __init__(self, processes: int, wanted: str) -> None:
        super().__init__(f"{processes} processes where it needs {wanted}")


Kernel = Callable[[Intracomm, int], Operation]

KERNELS: dict[str, Kernel] = {}
"""By region, once they are loaded."""


def load_kernels(
    families: Iterable[str], regions: Collection[str] | None = None
) -> None:
    """Import families, so that each of their kernels registers itself.

    As far as the given regions need them; all without any.
    """
    for family in families:
        if regions is None or not KERNELS.keys() >= set(regions):
            import_module(f"{__name__}.{family}")


def kernel(region: str) -> Callable[[Kernel], Kernel]:
    """Register a kernel under the name of the region it measures."""

    def register(function: Kernel) -> Kernel:
        KERNELS[region] = function
        return function

    return register


def pattern(rank: int, message_bytes: int) -> bytearray:
    """Return a message that tells its sender, so that a mix-up shows."""
    return bytearray((rank + 1 + 7 * i) % 251 for i in range(message_bytes))

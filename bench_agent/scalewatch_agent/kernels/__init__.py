"""The kernels an agent can run, one file per family.

A kernel takes a communicator and a message size in bytes, allocates what it needs, and
returns the operation to be timed. Registering it under its region in a module that
`FAMILIES` names, and naming the region in `scalewatch_agent.suites`, is enough to reach
the command line.
"""

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Final, TypeAlias

from mpi4py.MPI import Intracomm

Buffer: TypeAlias = "bytearray | array[float]"


@dataclass(frozen=True, slots=True)
class Operation:
    """What is timed, and the buffers it works on.

    A buffer is None where this process sends or receives nothing; in a broadcast both
    are the same.
    """

    call: Callable[[], object]
    sent: "Buffer | None" = None
    received: "Buffer | None" = None


Kernel = Callable[[Intracomm, int], Operation]

KERNELS: dict[str, Kernel] = {}
"""By region, once they are loaded."""

FAMILIES: Final = ("collectives", "litmus")
"""The modules beside this one whose kernels are loaded."""


def load_kernels() -> None:
    """Import all families, so that each kernel registers itself."""
    for family in FAMILIES:
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

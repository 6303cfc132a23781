"""One-sided communication: what a window costs between two fences.

Each process works on the memory of its right neighbour.
"""

from functools import partial

from mpi4py import MPI

from scalewatch_agent.kernels import Operation, kernel, pattern
from scalewatch_agent.loops.program import step

NO_PROMISE = 0
"""Nothing is asserted about what happens between two fences."""


@kernel("MPI_Win_fence")
def fence(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Close an epoch in which nothing happened."""
    window = _window(comm, bytearray(message_bytes))
    return Operation(
        partial(window.Fence, NO_PROMISE),
        steps=(step("MPI_Win_fence", NO_PROMISE, window),),
        free=window.Free,
    )


@kernel("MPI_Put")
def put(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Write into the neighbour's memory, and fence."""
    mine, exposed = pattern(comm.rank, message_bytes), bytearray(message_bytes)
    window = _window(comm, exposed)
    neighbour = (comm.rank + 1) % comm.size

    def call() -> None:
        window.Put([mine, MPI.BYTE], neighbour)
        window.Fence(NO_PROMISE)

    of_it = (message_bytes, MPI.BYTE)
    return Operation(
        call,
        sent=mine,
        received=exposed,
        steps=(
            step("MPI_Put", mine, *of_it, neighbour, 0, *of_it, window),
            step("MPI_Win_fence", NO_PROMISE, window),
        ),
        free=window.Free,
    )


@kernel("MPI_Get")
def get(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Read the neighbour's memory, and fence."""
    exposed, mine = pattern(comm.rank, message_bytes), bytearray(message_bytes)
    window = _window(comm, exposed)
    neighbour = (comm.rank + 1) % comm.size

    def call() -> None:
        window.Get([mine, MPI.BYTE], neighbour)
        window.Fence(NO_PROMISE)

    of_it = (message_bytes, MPI.BYTE)
    return Operation(
        call,
        sent=exposed,
        received=mine,
        steps=(
            step("MPI_Get", mine, *of_it, neighbour, 0, *of_it, window),
            step("MPI_Win_fence", NO_PROMISE, window),
        ),
        free=window.Free,
    )


def _window(comm: MPI.Intracomm, exposed: bytearray) -> MPI.Win:
    """Return a window whose first epoch has begun."""
    window = MPI.Win.Create(exposed, 1, MPI.INFO_NULL, comm)
    window.Fence(NO_PROMISE)
    return window

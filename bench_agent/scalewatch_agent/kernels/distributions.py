"""Collectives that give each process data of its own."""

from array import array
from functools import partial
from itertools import accumulate

from mpi4py import MPI

from scalewatch_agent.kernels import Operation, kernel, pattern
from scalewatch_agent.kernels.collectives import ROOT
from scalewatch_agent.loops.program import step


@kernel("MPI_Scatter")
def scatter(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Send each process a message of its own from the root."""
    is_root = comm.rank == ROOT
    send = (
        bytearray().join(pattern(rank, message_bytes) for rank in range(comm.size))
        if is_root
        else None
    )
    receive = bytearray(message_bytes)
    of_each = (message_bytes, MPI.BYTE)
    sent = None if send is None else [send, *of_each]
    return Operation(
        partial(comm.Scatter, sent, [receive, MPI.BYTE], ROOT),
        sent=send,
        received=receive,
        steps=(step("MPI_Scatter", send, *of_each, receive, *of_each, ROOT, comm),),
        source=ROOT,
    )


@kernel("MPI_Alltoallv")
def alltoallv(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Send each process a message of its own, half of them half as long."""
    sizes = [uneven(comm.rank, other, message_bytes) for other in range(comm.size)]
    counts = array("i", sizes)
    starts = array("i", [0, *accumulate(sizes)][: comm.size])
    send = bytearray().join(
        pattern(comm.rank + other, size) for other, size in enumerate(sizes)
    )
    # What two processes send to each other is equally long.
    receive = bytearray(len(send))
    of_each = (counts, starts, MPI.BYTE)
    return Operation(
        partial(
            comm.Alltoallv,
            [send, (counts, starts), MPI.BYTE],
            [receive, (counts, starts), MPI.BYTE],
        ),
        sent=send,
        received=receive,
        steps=(step("MPI_Alltoallv", send, *of_each, receive, *of_each, comm),),
    )


def uneven(rank: int, other: int, message_bytes: int) -> int:
    """Return the size of what two processes send to each other."""
    return message_bytes // (1 + (rank + other) % 2)

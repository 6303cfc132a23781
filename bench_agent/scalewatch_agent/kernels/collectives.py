"""MPI's collective operations, rooted at rank 0.

The message size is what each process contributes for each receiver. Buffers are passed
with their datatype, the cheapest form that mpi4py has.
"""

from array import array
from collections.abc import Callable
from functools import partial

from mpi4py import MPI

from scalewatch_agent.kernels import Operation, kernel, pattern
from scalewatch_agent.loops.program import step

ROOT = 0
DOUBLE_BYTES = 8


@kernel("MPI_Barrier")
def barrier(comm: MPI.Intracomm, message_bytes: int) -> Operation:  # noqa: ARG001
    """Wait for all processes."""
    return Operation(comm.Barrier, steps=(step("MPI_Barrier", comm),))


@kernel("MPI_Bcast")
def bcast(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Send the root's message to all processes."""
    is_root = comm.rank == ROOT
    buffer = pattern(ROOT, message_bytes) if is_root else bytearray(message_bytes)
    return Operation(
        partial(comm.Bcast, [buffer, MPI.BYTE], ROOT),
        sent=buffer,
        received=buffer,
        steps=(step("MPI_Bcast", buffer, message_bytes, MPI.BYTE, ROOT, comm),),
        source=ROOT,
    )


@kernel("MPI_Reduce")
def reduce(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Add up the doubles of all processes at the root."""
    send = doubles(comm.rank, message_bytes)
    receive = array("d", bytes(message_bytes)) if comm.rank == ROOT else None
    received = None if receive is None else [receive, MPI.DOUBLE]
    end = (MPI.DOUBLE, MPI.SUM, ROOT, comm)
    return Operation(
        partial(comm.Reduce, [send, MPI.DOUBLE], received, MPI.SUM, ROOT),
        sent=send,
        received=receive,
        steps=(step("MPI_Reduce", send, receive, len(send), *end),),
    )


@kernel("MPI_Allreduce")
def allreduce(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Add up the doubles of all processes, everywhere."""
    return sums("MPI_Allreduce", comm.Allreduce, comm, message_bytes)


@kernel("MPI_Gather")
def gather(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Collect one message from each process at the root."""
    send = pattern(comm.rank, message_bytes)
    is_root = comm.rank == ROOT
    receive = bytearray(comm.size * message_bytes) if is_root else None
    received = None if receive is None else [receive, message_bytes, MPI.BYTE]
    of_each = (message_bytes, MPI.BYTE)
    return Operation(
        partial(comm.Gather, [send, MPI.BYTE], received, ROOT),
        sent=send,
        received=receive,
        steps=(step("MPI_Gather", send, *of_each, receive, *of_each, ROOT, comm),),
    )


@kernel("MPI_Allgather")
def allgather(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Collect one message from each process, everywhere."""
    send = pattern(comm.rank, message_bytes)
    receive = bytearray(comm.size * message_bytes)
    of_each = (message_bytes, MPI.BYTE)
    return Operation(
        partial(comm.Allgather, [send, MPI.BYTE], [receive, *of_each]),
        sent=send,
        received=receive,
        steps=(step("MPI_Allgather", send, *of_each, receive, *of_each, comm),),
    )


@kernel("MPI_Alltoall")
def alltoall(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Send each process a message of its own."""
    send = bytearray().join(
        pattern(comm.rank + receiver, message_bytes) for receiver in range(comm.size)
    )
    receive = bytearray(comm.size * message_bytes)
    of_each = (message_bytes, MPI.BYTE)
    return Operation(
        partial(comm.Alltoall, [send, *of_each], [receive, *of_each]),
        sent=send,
        received=receive,
        steps=(step("MPI_Alltoall", send, *of_each, receive, *of_each, comm),),
    )


def sums(
    function: str,
    call: Callable[..., object],
    comm: MPI.Intracomm,
    message_bytes: int,
) -> Operation:
    """Return the operation that gives each process a sum of doubles of some."""
    send = doubles(comm.rank, message_bytes)
    receive = array("d", bytes(message_bytes))
    end = (MPI.DOUBLE, MPI.SUM, comm)
    return Operation(
        partial(call, [send, MPI.DOUBLE], [receive, MPI.DOUBLE], MPI.SUM),
        sent=send,
        received=receive,
        steps=(step(function, send, receive, len(send), *end),),
    )


def doubles(rank: int, message_bytes: int) -> "array[float]":
    """Return numbers that tell whose they are."""
    return array("d", (float(rank + i) for i in range(message_bytes // DOUBLE_BYTES)))

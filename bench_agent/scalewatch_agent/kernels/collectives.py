"""MPI's collective operations, rooted at rank 0.

The message size is what each process contributes for each receiver. Buffers are passed
with their datatype, the cheapest form that mpi4py has.
"""

from array import array
from functools import partial

from mpi4py import MPI

from scalewatch_agent.kernels import Operation, kernel, pattern

ROOT = 0
DOUBLE_BYTES = 8


@kernel("MPI_Barrier")
def barrier(comm: MPI.Intracomm, message_bytes: int) -> Operation:  # noqa: ARG001
    """Wait for all processes."""
    return Operation(comm.Barrier)


@kernel("MPI_Bcast")
def bcast(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Send the root's message to all processes."""
    is_root = comm.rank == ROOT
    buffer = pattern(ROOT, message_bytes) if is_root else bytearray(message_bytes)
    call = partial(comm.Bcast, [buffer, MPI.BYTE], ROOT)
    return Operation(call, sent=buffer, received=buffer)


@kernel("MPI_Reduce")
def reduce(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Add up the doubles of all processes at the root."""
    send = _doubles(comm.rank, message_bytes)
    if comm.rank != ROOT:
        call = partial(comm.Reduce, [send, MPI.DOUBLE], None, MPI.SUM, ROOT)
        return Operation(call, sent=send)
    receive = array("d", bytes(message_bytes))
    call = partial(
        comm.Reduce, [send, MPI.DOUBLE], [receive, MPI.DOUBLE], MPI.SUM, ROOT
    )
    return Operation(call, sent=send, received=receive)


@kernel("MPI_Allreduce")
def allreduce(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Add up the doubles of all processes, everywhere."""
    send = _doubles(comm.rank, message_bytes)
    receive = array("d", bytes(message_bytes))
    call = partial(comm.Allreduce, [send, MPI.DOUBLE], [receive, MPI.DOUBLE], MPI.SUM)
    return Operation(call, sent=send, received=receive)


@kernel("MPI_Gather")
def gather(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Collect one message from each process at the root."""
    send = pattern(comm.rank, message_bytes)
    if comm.rank != ROOT:
        call = partial(comm.Gather, [send, MPI.BYTE], None, ROOT)
        return Operation(call, sent=send)
    receive = bytearray(comm.size * message_bytes)
    call = partial(
        comm.Gather, [send, MPI.BYTE], [receive, message_bytes, MPI.BYTE], ROOT
    )
    return Operation(call, sent=send, received=receive)


@kernel("MPI_Allgather")
def allgather(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Collect one message from each process, everywhere."""
    send = pattern(comm.rank, message_bytes)
    receive = bytearray(comm.size * message_bytes)
    call = partial(comm.Allgather, [send, MPI.BYTE], [receive, message_bytes, MPI.BYTE])
    return Operation(call, sent=send, received=receive)


@kernel("MPI_Alltoall")
def alltoall(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Send each process a message of its own."""
    send = bytearray().join(
        pattern(comm.rank + receiver, message_bytes) for receiver in range(comm.size)
    )
    receive = bytearray(comm.size * message_bytes)
    call = partial(
        comm.Alltoall,
        [send, message_bytes, MPI.BYTE],
        [receive, message_bytes, MPI.BYTE],
    )
    return Operation(call, sent=send, received=receive)


def _doubles(rank: int, message_bytes: int) -> "array[float]":
    return array("d", (float(rank + i) for i in range(message_bytes // DOUBLE_BYTES)))

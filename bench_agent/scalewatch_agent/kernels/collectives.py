"""MPI's collective operations, rooted at rank 0.

The message size is what each process contributes for each receiver. Buffers are passed
with their datatype, the cheapest form that mpi4py has.
"""

from array import array
from collections.abc import Callable
from functools import partial
from itertools import accumulate

from mpi4py import MPI

from scalewatch_agent.kernels import Operation, kernel, pattern
from scalewatch_agent.loops.compiled import step

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


@kernel("MPI_Scan")
def scan(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Add up the doubles of all processes up to this one."""
    return sums("MPI_Scan", comm.Scan, comm, message_bytes)


@kernel("MPI_Exscan")
def exscan(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Add up the doubles of all processes before this one; rank 0 gets nothing."""
    return sums("MPI_Exscan", comm.Exscan, comm, message_bytes)


@kernel("MPI_Reduce_scatter")
def reduce_scatter(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Add up the doubles of all processes, and leave each its part."""
    send = doubles(comm.rank, comm.size * message_bytes)
    receive = array("d", bytes(message_bytes))
    counts = array("i", [len(receive)] * comm.size)
    call = partial(
        comm.Reduce_scatter,
        [send, MPI.DOUBLE],
        [receive, MPI.DOUBLE],
        counts,
        MPI.SUM,
    )
    arguments = (send, receive, counts, MPI.DOUBLE, MPI.SUM, comm)
    return Operation(
        call,
        sent=send,
        received=receive,
        steps=(step("MPI_Reduce_scatter", *arguments),),
    )

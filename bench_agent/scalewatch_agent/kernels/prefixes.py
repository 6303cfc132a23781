"""Reductions whose result differs from process to process."""

from array import array
from functools import partial

from mpi4py import MPI

from scalewatch_agent.kernels import Operation, kernel
from scalewatch_agent.kernels.collectives import doubles, sums
from scalewatch_agent.loops.program import step


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

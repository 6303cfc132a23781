"""Litmus tests: known algorithms from point-to-point messages.

If their models diverge too, suspect the platform and not the library.
"""

from mpi4py import MPI

from scalewatch_agent.kernels import Operation, kernel, pattern
from scalewatch_agent.loops.compiled import memory_of, step

ROOT = 0
TAG = 1


@kernel("Bcast (binary tree)")
def binary_tree_bcast(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Send the root's message down a binary tree.

    Process r receives from (r - 1) / 2 and sends to 2r + 1 and 2r + 2, where they
    exist: at most 2 log2(p) messages follow each other.
    """
    rank = comm.rank
    buffer = pattern(ROOT, message_bytes) if rank == ROOT else bytearray(message_bytes)
    message = [buffer, MPI.BYTE]
    children = tuple(range(2 * rank + 1, min(2 * rank + 3, comm.size)))
    receive, send = comm.Recv, comm.Send
    parent = (rank - 1) // 2

    def pass_on() -> None:
        for child in children:
            send(message, child, TAG)

    def receive_and_pass_on() -> None:
        receive(message, parent, TAG)
        for child in children:
            send(message, child, TAG)

    of_it = (buffer, message_bytes, MPI.BYTE)
    status = memory_of(MPI._sizeof(MPI.Status))  # noqa: SLF001 - mpi4py's only way
    steps = [step("MPI_Send", *of_it, child, TAG, comm) for child in children]
    if rank != ROOT:
        steps.insert(0, step("MPI_Recv", *of_it, parent, TAG, comm, status))
    return Operation(
        pass_on if rank == ROOT else receive_and_pass_on,
        sent=buffer,
        received=buffer,
        steps=tuple(steps),
        source=ROOT,
    )

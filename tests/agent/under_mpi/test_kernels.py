from array import array

import pytest
from mpi4py import MPI

from scalewatch_agent.kernels import KERNELS, Operation, load_kernels, pattern
from scalewatch_agent.suites import RUNTIME

load_kernels()
BYTES = 64


def twice(region: str, comm: MPI.Intracomm) -> Operation:
    """Return the operation after two calls: a repetition must not spoil the next."""
    operation = KERNELS[region](comm, BYTES)
    operation.call()
    operation.call()
    return operation


def sums(size: int) -> array:
    """Over all ranks, the sum of rank + i is size · i plus the sum of the ranks."""
    return array("d", [size * i + size * (size - 1) / 2 for i in range(BYTES // 8)])


def test_suite_has_a_kernel_for_each_of_its_regions():
    assert set(RUNTIME.regions) <= set(KERNELS)


@pytest.mark.parametrize("region", ["MPI_Bcast", "Bcast (binary tree)"])
def test_bcast_delivers_the_message_of_the_root(region, comm):
    assert twice(region, comm).received == pattern(0, BYTES)


def test_reduce_adds_up_at_the_root(comm):
    received = twice("MPI_Reduce", comm).received

    assert received == (sums(comm.size) if comm.rank == 0 else None)


def test_allreduce_adds_up_everywhere(comm):
    assert twice("MPI_Allreduce", comm).received == sums(comm.size)


def test_gather_collects_at_the_root_in_the_order_of_ranks(comm):
    received = twice("MPI_Gather", comm).received

    collected = b"".join(pattern(rank, BYTES) for rank in range(comm.size))
    assert received == (collected if comm.rank == 0 else None)


def test_allgather_collects_everywhere_in_the_order_of_ranks(comm):
    received = twice("MPI_Allgather", comm).received

    assert received == b"".join(pattern(rank, BYTES) for rank in range(comm.size))


def test_alltoall_brings_each_process_its_own_messages(comm):
    received = twice("MPI_Alltoall", comm).received

    meant = (pattern(sender + comm.rank, BYTES) for sender in range(comm.size))
    assert received == b"".join(meant)


def test_barrier_moves_no_data(comm):
    operation = twice("MPI_Barrier", comm)

    assert operation.sent is operation.received is None

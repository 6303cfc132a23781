from array import array

import pytest
from mpi4py import MPI

from scalewatch_agent.kernels import KERNELS, Operation, load_kernels, pattern
from scalewatch_agent.kernels.collectives import uneven
from scalewatch_agent.kernels.messages import AT_ONCE
from scalewatch_agent.suite.suites import RUNTIME, SORTING

load_kernels(RUNTIME.families)
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


def test_suites_have_a_kernel_for_each_of_their_regions():
    assert {*RUNTIME.regions, *RUNTIME.more, *SORTING.regions} == set(KERNELS)


@pytest.mark.parametrize("region", [*RUNTIME.regions, *RUNTIME.more])
def test_kernel_measures_what_its_suite_says(region, comm):
    operation = KERNELS[region](comm, BYTES)

    assert (operation.metric, operation.unit) == RUNTIME.measured_of(region)
    comm.Barrier()
    if operation.free is not None:
        operation.free()


@pytest.mark.parametrize(
    "region",
    ["MPI_Bcast", "Bcast (binary tree)", "MPI_Ibcast", "MPI_Ibcast overlap"],
)
def test_bcast_delivers_the_message_of_the_root(region, comm):
    assert twice(region, comm).received == pattern(0, BYTES)


def test_reduce_adds_up_at_the_root(comm):
    received = twice("MPI_Reduce", comm).received

    assert received == (sums(comm.size) if comm.rank == 0 else None)


@pytest.mark.parametrize(
    "region", ["MPI_Allreduce", "MPI_Iallreduce", "MPI_Iallreduce overlap"]
)
def test_allreduce_adds_up_everywhere(region, comm):
    assert twice(region, comm).received == sums(comm.size)


def test_scan_adds_up_to_each_process(comm):
    assert twice("MPI_Scan", comm).received == sums(comm.rank + 1)


def test_exscan_adds_up_before_each_process(comm):
    received = twice("MPI_Exscan", comm).received

    assert received == (sums(comm.rank) if comm.rank else array("d", bytes(BYTES)))


def test_reduce_scatter_leaves_each_process_its_part(comm):
    received = twice("MPI_Reduce_scatter", comm).received

    # Process r has the elements from r · len on; element i is rank + i everywhere.
    number, size = len(received), comm.size
    assert list(received) == [
        size * i + size * (size - 1) / 2
        for i in range(comm.rank * number, (comm.rank + 1) * number)
    ]


def test_scatter_gives_each_process_its_message(comm):
    assert twice("MPI_Scatter", comm).received == pattern(comm.rank, BYTES)


def test_alltoallv_brings_messages_of_uneven_lengths(comm):
    received = twice("MPI_Alltoallv", comm).received

    meant = (
        pattern(sender + comm.rank, uneven(comm.rank, sender, BYTES))
        for sender in range(comm.size)
    )
    assert received == b"".join(meant)


def test_put_writes_into_the_right_neighbour(comm):
    operation = twice("MPI_Put", comm)

    assert operation.received == pattern((comm.rank - 1) % comm.size, BYTES)
    operation.free()


def test_get_reads_the_right_neighbour(comm):
    operation = twice("MPI_Get", comm)

    assert operation.received == pattern((comm.rank + 1) % comm.size, BYTES)
    operation.free()


@pytest.mark.parametrize(
    "region", ["Point-to-point latency", "Point-to-point bandwidth"]
)
def test_first_and_last_process_exchange_messages(region, comm):
    operation = twice(region, comm)

    last = comm.size - 1
    if comm.rank not in {0, last}:
        assert operation.received is None
    elif "latency" in region:
        assert operation.received == pattern(last - comm.rank, BYTES)
    elif comm.rank == last:
        assert operation.received == pattern(0, BYTES)


def test_bandwidth_counts_all_messages_and_latency_one_way(comm):
    bandwidth = KERNELS["Point-to-point bandwidth"](comm, BYTES)
    latency = KERNELS["Point-to-point latency"](comm, BYTES)

    assert bandwidth.value(1_000) == pytest.approx(AT_ONCE * BYTES / 1e-6)
    assert latency.value(3_000) == pytest.approx(1.5e-6)


def test_overlap_is_what_does_not_show(comm):
    operation = KERNELS["MPI_Iallreduce overlap"](comm, BYTES)

    assert operation.prepare(1_000) == 1_000
    assert [operation.value(t) for t in (900, 1_000, 1_500, 2_000, 9_000)] == (
        pytest.approx([1, 1, 0.5, 0, 0])
    )


def test_gather_collects_at_the_root_in_the_order_of_ranks(comm):
    received = twice("MPI_Gather", comm).received

    collected = b"".join(pattern(rank, BYTES) for rank in range(comm.size))
    assert received == (collected if comm.rank == 0 else None)


def test_allgather_collects_everywhere_in_the_order_of_ranks(comm):
    received = twice("MPI_Allgather", comm).received

    assert received == b"".join(pattern(rank, BYTES) for rank in range(comm.size))


@pytest.mark.parametrize(
    "region", ["MPI_Alltoall", "MPI_Ialltoall", "MPI_Ialltoall overlap"]
)
def test_alltoall_brings_each_process_its_own_messages(region, comm):
    received = twice(region, comm).received

    meant = (pattern(sender + comm.rank, BYTES) for sender in range(comm.size))
    assert received == b"".join(meant)


def test_barrier_moves_no_data(comm):
    operation = twice("MPI_Barrier", comm)

    assert operation.sent is operation.received is None

"""Overheads of made traces against a table that anybody can compute."""

import numpy as np
import pytest

from scalewatch_agent.traces.overheads import Overheads
from scalewatch_agent.traces.records import Flag
from scalewatch_agent.traces.reduction import reduced
from support.traces import brought, call, post, send, trace


def times(function, processes, sizes):
    """Return 10 ns a process for barriers, 1 ns a byte for messages."""
    if function == "MPI_Barrier":
        return np.full(len(sizes), 10e-9 * processes)
    return sizes * 1e-9 if function in {"MPI_Send", "MPI_Recv"} else None


def test_collectives_count_the_processes_of_their_communicator():
    made = trace(
        [call("MPI_Barrier", 0, 100), call("MPI_Barrier", 200, 100, communicator=1)],
        [call("MPI_Barrier", 0, 100), call("MPI_Barrier", 200, 100, communicator=1)],
        [call("MPI_Barrier", 0, 100)],
        communicators={1: np.array([0, 1])},
    )

    lost = Overheads(made, times, 0).of(made.processes[0].records)

    assert lost.tolist() == [70, 80]
    assert reduced(made, times).overhead == pytest.approx((3 * 70 + 2 * 80) * 1e-9)


def test_wait_has_the_best_time_of_its_largest_message():
    waiting = [
        post(0, 1),
        post(1, 2),
        send(2, 1, 1, request=3, bytes=60),
        call("MPI_Waitall", 10, 100),
        brought(10, 100, 1, 1, bytes=20),
        brought(10, 100, 1, 2, bytes=40),
        call("MPI_Waitall", 10, 100, request=3, flags=Flag.PART),
        call("MPI_Waitall", 200, 30),
    ]
    made = trace(waiting, [])

    whole = Overheads(made, times, 0)
    halves = Overheads(made, times, 0)
    records = made.processes[0].records

    for lost in (
        whole.of(records),
        np.concatenate([halves.of(records[:3]), halves.of(records[3:])]),
    ):
        # max(20, 40, 60) of the first wait; the second one completes nothing
        assert lost[3] == pytest.approx(40)
        assert lost[7] == pytest.approx(30)
    assert whole.not_calibrated == halves.not_calibrated == {"MPI_Irecv"}


def test_wait_has_the_best_time_of_the_collective_that_it_completes():
    start = {"request": 3, "communicator": 1, "bytes": 24}
    others = [call("MPI_Iallreduce", 0, 40, **start)]
    waiting = [
        call("MPI_Iallreduce", 0, 40, **start),
        call("MPI_Waitall", 50, 700),
        call("MPI_Waitall", 50, 700, request=3, flags=Flag.PART),
        call("MPI_Waitall", 800, 700),
    ]
    made = trace(waiting, others, [], communicators={1: np.array([0, 1])})

    def best_times(function, processes, sizes):
        best = {"MPI_Iallreduce": 1e-9, "MPI_Iallreduce › MPI_Wait": 10e-9}
        return sizes * processes * best.get(function, 0.0)

    whole, halves = (Overheads(made, best_times, 0) for _ in range(2))
    records = made.processes[0].records

    for lost in (
        whole.of(records),
        np.concatenate([halves.of(records[:1]), halves.of(records[1:])]),
    ):
        # two of three processes take part
        assert lost[[0, 1, 3]] == pytest.approx([0, 700 - 10 * 2 * 24, 700])


def test_root_of_a_scatter_has_the_best_time_of_what_each_gets():
    scatter = [call("MPI_Scatterv", 0, 100, peer=0, bytes=60)]
    made = trace(scatter, [call("MPI_Scatterv", 0, 100, peer=0, bytes=20)], [])

    def best_times(function, processes, sizes):  # noqa: ARG001 - of a table
        return sizes * 1e-9

    lost = [
        Overheads(made, best_times, rank).of(made.processes[rank].records).tolist()
        for rank in (0, 1)
    ]

    assert lost == [[80], [80]]

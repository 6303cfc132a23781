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

    lost = Overheads(made, times).of(made.processes[0].records)

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

    whole = Overheads(made, times)
    halves = Overheads(made, times)
    records = made.processes[0].records

    for lost in (
        whole.of(records),
        np.concatenate([halves.of(records[:3]), halves.of(records[3:])]),
    ):
        # max(20, 40, 60) of the first wait; the second one completes nothing
        assert lost[3] == pytest.approx(40)
        assert lost[7] == pytest.approx(30)
    assert whole.not_calibrated == halves.not_calibrated == {"MPI_Irecv"}

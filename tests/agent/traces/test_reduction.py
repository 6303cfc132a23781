"""Sums by location, against sums made by hand."""

from functools import partial

import numpy as np
import pytest

from scalewatch_agent.traces import reduction
from scalewatch_agent.traces.records import blocks
from scalewatch_agent.traces.reduction import reduced
from scalewatch_agent.traces.trace import Site
from support.traces import call, receive, send, trace

SITES = (Site("a.c", 10, "main"), Site("a.c", 20, "main"))


def example():
    return trace(
        [
            send(100, 10, 1, bytes=8, site=0),
            send(300, 30, 1, bytes=16, site=0),
            call("MPI_Barrier", 400, 100, site=1),
        ],
        [
            receive(50, 70, 0, bytes=8, site=1),
            receive(200, 140, 0, bytes=16, site=1),
            call("MPI_Barrier", 450, 50, site=1),
        ],
        sites=SITES,
    )


def test_time_calls_messages_and_bytes_add_up_by_function_and_place():
    found = {(one.function, one.site.line): one for one in reduced(example()).locations}

    sent, received = found["MPI_Send", 10], found["MPI_Recv", 20]
    assert (sent.calls, sent.messages, sent.bytes) == (2, 2, 24)
    assert sent.mpi_time == pytest.approx(40e-9)
    assert (received.calls, received.messages, received.bytes) == (2, 2, 24)
    assert received.mpi_time == pytest.approx(210e-9)
    # 100 - 50 and 300 - 200
    assert received.wait_late_sender == pytest.approx(150e-9)
    assert found["MPI_Barrier", 20].wait_collective == pytest.approx(50e-9)
    assert set(found) == {("MPI_Send", 10), ("MPI_Recv", 20), ("MPI_Barrier", 20)}


def test_program_is_the_sum_of_its_locations_the_longest_first():
    found = reduced(example())

    times = [one.mpi_time for one in found.locations]
    assert times == sorted(times, reverse=True)
    assert found.mpi_time == pytest.approx(sum(times)) == pytest.approx(400e-9)
    assert found.useful.tolist() == pytest.approx([860e-9, 740e-9])
    assert found.efficiencies.parallel == pytest.approx(0.8)
    assert found.efficiencies.load_balance == pytest.approx(800 / 860)


def test_overhead_is_what_calls_take_beyond_their_best_and_never_negative():
    def best(function, processes, sizes):
        assert processes == 2
        return sizes * 1e-9 if function == "MPI_Send" else None

    found = reduced(example(), best)

    # max(0, 10 - 8) + max(0, 30 - 16); the rest is not calibrated
    overheads = {one.function: one.overhead for one in found.locations}
    assert overheads["MPI_Send"] == pytest.approx(16e-9)
    assert overheads["MPI_Recv"] == pytest.approx(210e-9)
    assert found.overhead == pytest.approx(376e-9)
    assert found.not_calibrated == {"MPI_Recv", "MPI_Barrier"}


def test_nothing_is_calibrated_unless_somebody_says_so():
    found = reduced(example())

    assert found.overhead == found.mpi_time
    assert found.not_calibrated == {"MPI_Send", "MPI_Recv", "MPI_Barrier"}


@pytest.mark.parametrize("size", [1, 2])
def test_blocks_add_up_to_the_whole(size, monkeypatch):
    whole = reduced(example())
    monkeypatch.setattr(reduction, "blocks", partial(blocks, size=size))

    assert reduced(example()).locations == whole.locations


def test_long_durations_keep_their_digits():
    ten_hours = 36_000 * 10**9 + 1
    found = reduced(
        trace([call("MPI_Barrier", 0, ten_hours)], [], runtime=2 * ten_hours)
    )

    assert found.locations[0].mpi_time == pytest.approx(36_000.000000001, rel=1e-15)


def test_sums_of_generated_calls_are_those_of_a_loop():
    generator = np.random.default_rng(7)
    took, sites = generator.integers(1, 99, 500), generator.integers(0, 2, 500)
    calls = [
        call("MPI_Barrier", 100 * k, took[k], site=sites[k], bytes=k)
        for k in range(500)
    ]

    found = reduced(trace(calls, sites=SITES, runtime=50_000))

    for one in found.locations:
        chosen = sites == SITES.index(one.site)
        assert one.calls == chosen.sum()
        assert one.bytes == np.flatnonzero(chosen).sum()
        assert one.mpi_time == pytest.approx(took[chosen].sum() * 1e-9)

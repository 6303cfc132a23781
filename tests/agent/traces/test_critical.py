"""The critical path of traces of which one can tell it by hand."""

import pytest

from scalewatch_agent.traces import critical
from scalewatch_agent.traces.reduction import reduced
from scalewatch_agent.traces.results import region_names, results_of, trace_facts
from scalewatch_agent.traces.trace import Site
from support.agent_sentences import TRACES as SAID
from support.traces import brought, call, exchanged, post, receive, send, trace

SITES = (Site("a.c", 1, "main"), Site("a.c", 2, "main"))


def on_path(found):
    """Return the time in calls and before them of each location, in ns."""
    return {
        (one.function, one.site.line): (
            round(one.path_mpi_time * 1e9),
            round(one.path_computing * 1e9),
        )
        for one in found.locations
    }


def test_path_goes_through_the_process_that_computes_longer():
    """Process 1 computes 700 before each barrier, the others 100."""
    programs = []
    for rank in range(4):
        work = 700 if rank == 1 else 100
        programs.append(
            [
                call("MPI_Barrier", 1000 * step + work, 1000 - work, site=0)
                for step in range(5)
            ]
        )

    found = reduced(trace(*programs, runtime=5000, sites=SITES))

    computing = (found.path_computing * 1e9).round().tolist()
    assert computing == [0, 5 * 700, 0, 0]
    assert on_path(found) == {("MPI_Barrier", 1): (5 * 300, 5 * 700)}
    assert trace_facts(found)["critical_path"] == SAID["path"]


def test_path_follows_messages_back_to_a_slow_sender():
    # 0 computes 500, sends; 1 waits for it, computes 200, sends back; 0 waits, ends
    first = [
        send(500, 10, 1),
        receive(520, 205, 1, site=1),
        call("MPI_Send", 800, 0, peer=1),
    ]
    second = [receive(10, 510, 0, site=1), send(720, 10, 0)]

    found = reduced(trace(first, second, runtime=800, sites=SITES))

    # 0 to 500, the message until 520, 200 at process 1 until 720, 5 more, and 75
    assert (found.path_computing * 1e9).round().tolist() == [575, 200]
    assert on_path(found) == {
        ("MPI_Send", 1): (0, 500 + 200 + 75),
        ("MPI_Recv", 2): (20 + 5, 0),
    }


def test_path_follows_the_latest_request_of_a_wait_and_an_open_source():
    receiver = [
        post(10, request=1, peer=-1),
        post(20, request=2, peer=-1),
        call("MPI_Waitall", 100, 805),
        brought(100, 805, 2, request=1),
        brought(100, 805, 1, request=2),
        call("MPI_Send", 950, 0),
    ]

    found = reduced(trace(receiver, [send(300, 9, 0)], [send(900, 9, 0)], sites=SITES))

    # process 2 sends last, and to whom the source was open
    assert (found.path_computing * 1e9).round().tolist() == [45, 0, 900]


def test_path_adds_up_to_the_run_and_is_never_longer(monkeypatch):
    programs, clocks = exchanged(4, 300, seed=3)
    made = trace(*programs, runtime=int(clocks.max()))

    found = reduced(made)

    ends = [one.records["start"] + one.records["took"] for one in made.processes]
    in_mpi = sum(one.path_mpi_time for one in found.locations)
    before = sum(one.path_computing for one in found.locations)
    last = max(int(one[-1]) for one in ends)
    assert in_mpi + before == pytest.approx(last * 1e-9)
    assert before == pytest.approx(found.path_computing.sum())
    assert before <= found.ideal_runtime * (1 + 1e-9)

    monkeypatch.setattr(critical, "MOST_WAITS", 3)
    without = reduced(made)
    assert without.path_computing is None
    assert trace_facts(without)["remarks"] == (SAID["no path"])
    assert "remarks" not in trace_facts(found)
    assert {one.path_computing for one in without.locations} == {None}
    metrics = {one.metric for one in results_of(without, region_names([without]))}
    assert "path_computing" not in metrics

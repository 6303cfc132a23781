"""Run times on an ideal network, against those that one works out by hand."""

import pytest

from scalewatch_agent.traces import ideal as replay
from scalewatch_agent.traces.collectives import Collectives
from scalewatch_agent.traces.ideal import ideal_runtime
from scalewatch_agent.traces.messages import matched
from scalewatch_agent.traces.reduction import NO_IDEAL, reduced
from scalewatch_agent.traces.results import region_names, results_of
from support.traces import call, exchanged, receive, send, trace


def ideal(*processes):
    made = trace(*processes)
    return ideal_runtime(made, matched(made), Collectives(made))


def test_message_arrives_when_it_is_sent():
    # 0 computes 100 and sends; 1 computes 40, then 60 after the message: 160
    first = [call("MPI_Send", 0, 0), send(100, 30, 1), call("MPI_Send", 130, 0)]
    second = [
        call("MPI_Send", 0, 0),
        receive(40, 100, 0),
        call("MPI_Send", 200, 0),
    ]

    assert ideal(first, second) == 160


def test_chain_of_processes_stays_a_chain():
    count, work = 8, 100
    programs = []
    for rank in range(count):
        begin = rank * (work + 7)
        program = [call("MPI_Irecv", 0, 0)]
        if rank:
            program.append(receive(0, begin, rank - 1))
        if rank < count - 1:
            program.append(send(begin + work, 7, rank + 1))
        else:
            program.append(call("MPI_Irecv", begin + work, 0))
        programs.append(program)

    assert ideal(*programs) == count * work


def test_barrier_takes_as_long_as_the_slowest_and_no_longer():
    programs = [
        [
            call("MPI_Send", 0, 0),
            call("MPI_Barrier", work, 500 - work),
            call("MPI_Send", 550, 0),
        ]
        for work in (100, 400, 250)
    ]

    assert ideal(*programs) == 450


def test_program_that_waits_for_ever_has_no_ideal_run_time():
    made = trace(
        [receive(0, 10, 1), send(20, 1, 1)], [receive(0, 10, 0), send(20, 1, 0)]
    )

    assert ideal_runtime(made, matched(made), Collectives(made)) is None


def test_trace_that_is_too_long_has_no_ideal_run_time_and_says_so(monkeypatch):
    made = trace([send(0, 1, 1), send(5, 1, 1)], [receive(0, 3, 0), receive(4, 3, 0)])
    assert reduced(made).remarks == ()
    monkeypatch.setattr(replay, "MOST_STEPS", 3)

    found = reduced(made)

    assert found.ideal_runtime is found.efficiencies.transfer is None
    assert found.remarks == (NO_IDEAL,)
    assert "ideal_runtime" not in {
        one.metric for one in results_of(found, region_names([found]))
    }


def test_process_that_never_calls_computes_all_the_time():
    assert ideal([call("MPI_Send", 0, 10), call("MPI_Send", 60, 0)], []) == 1000


@pytest.mark.parametrize("seed", range(5))
def test_ideal_run_is_never_longer_than_the_run(seed):
    programs, clocks = exchanged(3, 200, seed)

    found = ideal(*programs)

    assert found is not None
    assert 0 < found <= clocks.max()

"""Wait states of traces with known delays."""

from dataclasses import replace

import numpy as np
import pytest

from scalewatch_agent.traces.collectives import Collectives
from scalewatch_agent.traces.messages import matched
from scalewatch_agent.traces.reduction import reduced
from scalewatch_agent.traces.waits import wait_states
from support.traces import brought, call, post, receive, send, trace


def waits(*processes):
    made = trace(*processes)
    found = wait_states(made, matched(made), Collectives(made))
    rows = [found.of(number) for number in range(len(processes))]
    return {
        kind: [
            {at: wait for at, wait in enumerate(one[kind].tolist()) if wait}
            for one in rows
        ]
        for kind in ("late_sender", "late_receiver", "collective")
    }


@pytest.mark.parametrize(
    ("sent", "waited"), [(300, {0: 200}), (100, {}), (50, {}), (900, {0: 250})]
)
def test_receiver_waits_until_the_sender_sends_or_it_has_ended(sent, waited):
    found = waits([send(sent, 10, 1)], [receive(100, 250, 0)])

    assert found["late_sender"] == [{}, waited]


def test_sender_waits_for_a_receiver_that_was_ready_before_the_send_ended():
    found = waits([send(100, 400, 1)], [receive(350, 160, 0)])

    assert found["late_receiver"] == [{0: 250}, {}]
    assert found["late_sender"] == [{}, {}]


def test_eager_send_waits_for_nobody():
    found = waits([send(100, 20, 1)], [receive(350, 5, 0)])

    assert found["late_receiver"] == [{}, {}]


def test_posted_receive_is_ready_before_its_wait():
    receiver = [
        post(150, request=1),
        call("MPI_Waitall", 300, 250),
        brought(300, 250, 0, request=1),
    ]

    found = waits([send(100, 400, 1)], receiver)

    assert found["late_receiver"] == [{0: 50}, {}]


def test_latest_message_of_a_wait_counts_and_once():
    receiver = [
        post(1, request=1),
        post(2, request=2),
        call("MPI_Waitall", 100, 500),
        brought(100, 500, 0, request=1),
        brought(100, 500, 0, request=2),
    ]

    found = waits([send(200, 10, 1), send(400, 10, 1)], receiver)

    assert found["late_sender"] == [{}, {2: 300}]


def test_all_wait_at_a_barrier_for_the_last():
    found = waits(
        [call("MPI_Barrier", 100, 405)],
        [call("MPI_Barrier", 500, 5)],
        [call("MPI_Barrier", 300, 205)],
    )

    assert found["collective"] == [{0: 400}, {}, {0: 200}]


def test_broadcast_waits_for_its_root_alone():
    found = waits(
        [call("MPI_Bcast", 100, 305, peer=1)],
        [call("MPI_Bcast", 400, 10, peer=1)],
        [call("MPI_Bcast", 900, 10, peer=1)],
    )

    assert found["collective"] == [{0: 300}, {}, {}]


def test_root_of_a_reduction_that_is_early_waits_for_the_last():
    found = waits(
        [call("MPI_Reduce", 100, 305, peer=0)],
        [call("MPI_Reduce", 400, 10, peer=0)],
        [call("MPI_Reduce", 50, 10, peer=0)],
    )

    assert found["collective"] == [{0: 300}, {}, {}]


def test_nothing_is_told_of_a_communicator_of_which_calls_are_missing():
    found = waits(
        [call("MPI_Barrier", 100, 405), call("MPI_Barrier", 600, 50)],
        [call("MPI_Barrier", 500, 5)],
    )

    assert found["collective"] == [{}, {}]


@pytest.mark.parametrize(
    ("is_truncated", "waited"), [(False, {7: 30}), (True, {3: 60, 7: 30})]
)
def test_messages_are_doubtful_where_ends_are_missing_but_at_the_end(
    is_truncated, waited
):
    sender = [send(70, 5, 1, tag=3), send(130, 5, 1, tag=7, communicator=1)]
    receiver = [
        receive(10, 70, 0, tag=3),
        receive(100, 40, 0, tag=7, communicator=1),
        receive(200, 10, 0, tag=3),
    ]
    made = trace(sender, receiver, communicators={1: np.array([0, 1])})

    made = replace(made, is_truncated=is_truncated)

    messages = matched(made)
    late = wait_states(made, messages, Collectives(made)).of(1)["late_sender"]
    tags = made.processes[1].records["tag"].tolist()
    assert {tag: wait for tag, wait in zip(tags, late, strict=True) if wait} == waited
    assert (messages.unmatched, messages.doubtful) == (1, {0})
    remarks = reduced(made).remarks
    assert any("lack an end" in remark for remark in remarks) != is_truncated

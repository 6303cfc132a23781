"""Which send goes with which receive."""

import numpy as np

from scalewatch_agent.traces.messages import matched
from support.traces import brought, call, post, receive, send, trace


def pairs(found):
    names = ["sender", "send", "receiver", "receive"]
    return sorted(tuple(row) for row in found.rows[:][names].tolist())


def test_messages_of_one_tag_match_in_order_and_others_overtake():
    sender = [send(0, 1, 1, tag=7), send(10, 1, 1, tag=8), send(20, 1, 1, tag=7)]
    receiver = [
        receive(0, 50, 0, tag=8),
        receive(60, 5, 0, tag=7),
        receive(70, 5, 0, tag=7),
    ]

    found = matched(trace(sender, receiver))

    assert pairs(found) == [(0, 0, 1, 1), (0, 1, 1, 0), (0, 2, 1, 2)]
    assert found.unmatched == 0


def test_requests_match_in_the_order_in_which_they_were_posted():
    sender = [send(100, 1, 1), send(200, 1, 1)]
    receiver = [
        post(10, request=1),
        post(20, request=2),
        call("MPI_Waitall", 50, 200),
        brought(50, 200, 0, request=2),
        brought(50, 200, 0, request=1),
    ]

    found = matched(trace(sender, receiver))

    assert pairs(found) == [(0, 0, 1, 2), (0, 1, 1, 2)]
    assert dict(found.rows[["send", "posted"]].tolist()) == {0: 10, 1: 20}


def test_ranks_are_those_of_the_communicator():
    reversed_world = {3: np.array([2, 1, 0])}
    sender = [send(0, 1, 0, communicator=3)]
    receiver = [receive(0, 5, 2, communicator=3)]

    found = matched(trace(sender, [], receiver, communicators=reversed_world))

    assert pairs(found) == [(0, 0, 2, 0)]


def test_messages_of_different_communicators_do_not_match():
    both = {3: np.array([0, 1])}

    found = matched(
        trace([send(0, 1, 1, communicator=3)], [receive(0, 5, 0)], communicators=both)
    )

    assert pairs(found) == []
    assert found.unmatched == 2


def test_partner_that_no_communicator_holds_is_nobody():
    found = matched(trace([send(0, 1, 99)], [receive(0, 5, -2)]))

    assert len(found) == found.unmatched == 0


def test_generated_exchange_matches_whatever_the_order_of_completion():
    generator = np.random.default_rng(20)
    count, tags = 2000, generator.integers(0, 5, 2000)
    sender = [send(10 * k, 1, 1, tag=tag) for k, tag in enumerate(tags)]
    posts = [post(k, request=k + 1, tag=tag) for k, tag in enumerate(tags)]
    order = generator.permutation(count)
    receiver = [*posts, call("MPI_Waitall", 5000, 9000)] + [
        brought(5000, 9000, 0, request=k + 1, tag=tags[k]) for k in order
    ]

    found = matched(trace(sender, receiver))

    assert found.unmatched == 0
    # The k-th of all was posted at k, and sent as the k-th.
    assert found.rows["posted"].tolist() == found.rows["send"].tolist()
    assert sorted(found.rows["send"].tolist()) == list(range(count))


def test_keys_that_are_far_apart_are_told_apart():
    generator = np.random.default_rng(4)
    far = {2**31 + k: np.array([0, 1]) for k in range(3)}
    tags = generator.choice([0, 1, 2**31 - 1, 2**30, -7], 400)
    numbers = generator.choice([0, *far], 400)
    sender = [
        send(10 * k, 1, 1, tag=tags[k], communicator=numbers[k]) for k in range(400)
    ]
    receiver = [
        receive(10 * k, 1, 0, tag=tags[k], communicator=numbers[k]) for k in range(400)
    ]

    found = matched(trace(sender, receiver, communicators=far))

    assert found.unmatched == 0
    assert pairs(found) == [(0, k, 1, k) for k in range(400)]


def test_windows_of_a_trace_find_the_messages_that_all_of_it_has():
    draw = np.random.default_rng(5)
    calls = [[] for _ in range(6)]
    for moment in range(400):
        source, goal, tag = (int(draw.integers(most)) for most in (6, 6, 2))
        communicator = int(draw.choice([0, 3]))
        local = [goal, source] if communicator == 0 else [5 - goal, 5 - source]
        is_lost = draw.random(2) < 0.02
        if not is_lost[0]:
            calls[source].append(
                send(moment, 1, local[0], tag=tag, communicator=communicator)
            )
        if not is_lost[1]:
            calls[goal].append(
                receive(moment, 9, local[1], tag=tag, communicator=communicator)
            )
    traced = trace(
        *calls, communicators={0: np.arange(6), 3: np.array([5, 4, 3, 2, 1, 0])}
    )
    whole = matched(traced)

    for size in (1, 70, 150):
        divided = matched(traced, size)

        assert pairs(divided) == pairs(whole)
        assert (divided.unmatched, divided.doubtful) == (whole.unmatched, {0, 3})
    assert len(whole) > 350


def test_request_that_ends_in_a_later_window_has_been_posted_before_others():
    sender = [send(100, 1, 1), send(200, 1, 1), send(900, 1, 1)]
    receiver = [
        post(10, request=1),
        receive(20, 190, 0),
        call("MPI_Waitall", 700, 10),
        brought(700, 10, 0, request=1),
        receive(800, 150, 0),
    ]
    traced = trace(sender, receiver)

    for size in (1, 2, 100):
        found = matched(traced, size)

        # The request was posted first: it has the first message.
        assert pairs(found) == [(0, 0, 1, 2), (0, 1, 1, 1), (0, 2, 1, 4)]
        assert dict(found.rows[["send", "posted"]].tolist()) == {0: 10, 1: 20, 2: 800}


def test_ends_whose_partner_comes_much_later_wait_for_it():
    count = 500
    sender = [send(k, 1, 1) for k in range(count)]
    receiver = [receive(10_000 + k, 1, 0) for k in range(count)]

    found = matched(trace(sender, receiver), 20)

    assert pairs(found) == [(0, k, 1, k) for k in range(count)]
    assert found.unmatched == 0


def test_sends_to_ranks_that_left_no_records_are_ends_without_another():
    found = matched(
        trace(
            [send(0, 1, 1), send(5, 1, 7)],
            [receive(0, 5, 0)],
            communicators={0: np.arange(8)},
        ),
        1,
    )

    assert pairs(found) == [(0, 0, 1, 0)]
    assert found.unmatched == 1

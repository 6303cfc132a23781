"""Gates on counts, of which one job says as much as many."""

import pytest

from support import sentences
from support.exact_counts import count
from support.histories import commit


def gate(client):
    return client.get(
        "/api/v1/projects/mpich/gate", params={"commit": commit(2)["sha"]}
    )


def test_counts_that_grow_faster_stop_a_commit_at_its_first_job(client, sessions):
    count(sessions, 1, {"exchange › loop 2": lambda p: 24 * p})
    count(sessions, 2, {"exchange › loop 2": lambda p: 12 * p * (p - 1)})

    said = gate(client).json()

    (finding,) = said["findings"]
    assert said["outcome"] == "worse"
    assert finding["region"] == "exchange › loop 2"
    assert finding["todo"] is None
    assert finding["sentence"] == (sentences.FASTER_COUNT)


def test_more_work_at_the_same_growth_is_told_as_such(client, sessions):
    count(sessions, 1, {"sort › loop 1": lambda p: 100 * p})
    count(sessions, 2, {"sort › loop 1": lambda p: 107 * p})

    said = gate(client).json()

    (finding,) = said["findings"]
    assert (said["outcome"], finding["kind"]) == ("worse", "constant")
    assert finding["sentence"] == (sentences.MORE_WORK)


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (lambda p: 300 * p, "3 times the messages at the same growth"),
        (lambda p: 120 * p - 4, "20 % more messages at the same growth"),
    ],
    ids=["thrice", "but for a few"],
)
def test_other_counts_are_told_by_their_metric(client, sessions, after, words):
    count(sessions, 1, {"halo": lambda p: 100 * p}, metric="messages")
    count(sessions, 2, {"halo": after}, metric="messages")

    (finding,) = gate(client).json()["findings"]

    assert finding["sentence"].startswith(words)


def test_less_work_and_the_same_work_pass(client, sessions):
    count(sessions, 1, {"sort": lambda p: 100 * p, "merge": lambda p: p * p})
    count(sessions, 2, {"sort": lambda p: 50 * p, "merge": lambda p: p * p})

    said = gate(client).json()

    assert (said["outcome"], said["findings"]) == ("fine", [])
    assert said["counts"]["better"] == 1


def test_counts_without_a_formula_are_compared_setting_by_setting(client, sessions):
    odd = {4: 17, 8: 91, 16: 120, 32: 1213, 64: 1300, 128: 9001, 2: 3}

    count(sessions, 1, {"odd": lambda p: odd[p]})
    count(sessions, 2, {"odd": lambda p: 2 * odd[p]})

    (finding,) = gate(client).json()["findings"]
    assert finding["sentence"].startswith("2 times the work")

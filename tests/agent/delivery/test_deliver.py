import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from time import monotonic
from uuid import UUID

import pytest

from scalewatch_agent.delivery.deliver import (
    MOST_RUNS,
    STORE,
    Delivered,
    Patience,
    Refused,
    Undelivered,
    deliver,
)
from scalewatch_agent.delivery.spool import Spool, SpooledRun
from support.agent_sentences import DELIVERY as SAID
from support.builders import run_report

QUICK = Patience(attempts=3, first_pause=0.001)
PROBLEM = json.dumps({"title": "RunAlreadyRecorded", "detail": "it has other content"})


@pytest.fixture
def spool(tmp_path):
    return Spool(tmp_path / "spool")


def spooled(spool, server, number=1):
    entry = spool.entry(run_report(id=str(UUID(int=number))), server)
    spool.put(entry)
    return entry


def answers(entries, spool, **options):
    return [delivery.answer for delivery in deliver(entries, spool, QUICK, **options)]


def pending(spool):
    return [SpooledRun.read(path).id for path in spool.pending()]


def test_delivered_run_leaves_the_spool(spool, receiver):
    entry = spooled(spool, receiver.url)

    (answer,) = answers([entry], spool)

    assert answer == Delivered(
        {"id": entry.id, "run": f"/api/v1/runs/{entry.id}", "state": "accepted"}
    )
    assert receiver.runs == [entry.run]
    assert pending(spool) == []


def test_run_that_the_server_has_already_is_delivered(spool, receiver):
    entry = spooled(spool, receiver.url)
    receiver.answers = [(200, json.dumps({"id": entry.id, "state": "done"}))]

    assert isinstance(answers([entry], spool)[0], Delivered)
    assert pending(spool) == []


def test_replaying_a_run_posts_the_same_bytes(spool, receiver):
    entry = spooled(spool, receiver.url)
    receiver.answers = [(500, "")] * QUICK.attempts

    answers([entry], spool)
    answers([SpooledRun.read(entry.path)], spool)

    assert len(set(receiver.bodies)) == 1
    assert len(receiver.bodies) == QUICK.attempts + 1


def test_run_waits_while_the_server_is_away(spool, nobody):
    entry = spooled(spool, nobody)

    (answer,) = answers([entry], spool)

    assert isinstance(answer, Undelivered)
    assert "refused" in answer.reason
    assert pending(spool) == [entry.id]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_passing_trouble_is_waited_out(status, spool, receiver):
    receiver.answers = [(status, "")] * (QUICK.attempts - 1)

    assert isinstance(answers([spooled(spool, receiver.url)], spool)[0], Delivered)


def test_lasting_trouble_keeps_the_run(spool, receiver):
    receiver.answers = [(500, "")] * QUICK.attempts
    entry = spooled(spool, receiver.url)

    (answer,) = answers([entry], spool)

    assert answer == Undelivered(SAID["server error"])
    assert pending(spool) == [entry.id]


@pytest.mark.parametrize("status", [400, 409, 413, 422])
def test_refused_run_is_put_aside_with_the_reason_and_not_tried_again(
    status, spool, receiver
):
    receiver.answers = [(status, PROBLEM)]
    entry = spooled(spool, receiver.url)

    (answer,) = answers([entry], spool)

    assert isinstance(answer, Refused)
    assert answer.reason == f"answered {status}: it has other content"
    assert len(receiver.bodies) == 1
    assert pending(spool) == []
    (refused,) = (SpooledRun.read(path) for path in spool.refused())
    assert refused.problem == json.loads(PROBLEM) | {"status": status}


@pytest.mark.parametrize("status", [401, 403, 404])
def test_answer_that_does_not_speak_of_the_run_keeps_it(status, spool, receiver):
    receiver.answers = [(status, "")]
    entry = spooled(spool, receiver.url)

    (answer,) = answers([entry], spool)

    assert isinstance(answer, Undelivered)
    assert not answer.is_passing
    assert len(receiver.bodies) == 1
    assert pending(spool) == [entry.id]


@pytest.mark.parametrize(
    "garbage", ["", "<html>Log in</html>", "[]", "{}", '{"id": "another"}']
)
def test_receipt_of_somebody_else_is_no_receipt(garbage, spool, receiver):
    receiver.answers = [(200, garbage)] * QUICK.attempts
    entry = spooled(spool, receiver.url)

    (answer,) = answers([entry], spool)

    assert answer == Undelivered(SAID["foreign receipt"])
    assert pending(spool) == [entry.id]


def test_server_that_is_away_costs_patience_once(spool, receiver):
    receiver.answers = [(503, "")] * (QUICK.attempts + 1)
    count = MOST_RUNS + 1
    entries = [spooled(spool, receiver.url, number) for number in range(1, count + 1)]

    answers(entries, spool)

    assert len(receiver.bodies) == QUICK.attempts + 1


def test_other_server_can_be_named(spool, nobody, receiver):
    answers([spooled(spool, nobody)], spool, server=receiver.url)

    assert len(receiver.runs) == 1


def test_many_runs_are_delivered_in_few_posts_and_in_order(spool, receiver):
    count = 2 * MOST_RUNS + 1
    entries = [spooled(spool, receiver.url, number) for number in range(1, count + 1)]

    answers(entries, spool)

    assert receiver.taken == [entry.id for entry in entries]
    assert len(receiver.bodies) == 3
    assert pending(spool) == []


def test_run_that_spoils_its_batch_is_found_and_the_others_are_delivered(
    spool, receiver
):
    entries = [spooled(spool, receiver.url, number) for number in range(1, 21)]
    spoiling = {entries[6].id, entries[13].id}
    receiver.refused = spoiling

    found = answers(entries, spool)

    refused = {
        entry.id
        for entry, answer in zip(entries, found, strict=True)
        if isinstance(answer, Refused)
    }
    assert refused == spoiling
    assert receiver.taken == [e.id for e in entries if e.id not in spoiling]
    assert {SpooledRun.read(path).id for path in spool.refused()} == spoiling


def test_batch_that_is_too_large_is_halved_until_it_fits(spool, receiver):
    receiver.answers = [(413, PROBLEM)]
    entries = [spooled(spool, receiver.url, number) for number in range(1, 5)]

    found = answers(entries, spool)

    assert all(isinstance(answer, Delivered) for answer in found)
    assert [len(json.loads(body)) for body in receiver.bodies] == [4, 2, 2]


@pytest.mark.parametrize("garbage", ["[]", "[{}, {}]", '{"id": "1"}', "[[[[[", "null"])
def test_batch_without_a_receipt_for_each_run_stays(garbage, spool, receiver):
    receiver.answers = [(202, garbage)] * QUICK.attempts
    entries = [spooled(spool, receiver.url, number) for number in (1, 2)]

    found = answers(entries, spool)

    assert all(isinstance(answer, Undelivered) for answer in found)
    assert pending(spool) == [entry.id for entry in entries]


def in_two_seconds():
    return format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)


@pytest.mark.parametrize("wish", [lambda: "1", in_two_seconds], ids=["seconds", "date"])
def test_server_that_asks_for_a_pause_gets_it(wish, spool, receiver):
    receiver.answers = [(429, "")]
    entry = spooled(spool, receiver.url)
    began = monotonic()
    receiver.headers = {"Retry-After": wish()}

    (answer,) = answers([entry], spool)

    assert isinstance(answer, Delivered)
    assert monotonic() - began > 0.9


def test_token_is_shown_to_the_server(spool, receiver):
    answers([spooled(spool, receiver.url)], spool, token="sw_abc")  # noqa: S106

    assert receiver.tokens == ["Bearer sw_abc"]


def test_no_token_is_shown_where_there_is_none(spool, receiver):
    answers([spooled(spool, receiver.url)], spool)

    assert receiver.tokens == [None]


def test_pauses_double_within_bounds():
    pauses = list(Patience(attempts=9, first_pause=1.0).pauses())

    assert len(pauses) == 8
    for doublings, pause in enumerate(pauses):
        assert min(30, 0.5 * 2**doublings) <= pause <= min(30, 1.5 * 2**doublings)


def test_server_that_does_not_know_the_newest_fields_gets_the_run_without(
    spool, receiver
):
    commit = {"sha": "v5.0.2", "author": "Ada", "repository": "git@github.com:a/b"}
    entry = spool.entry(run_report(commit=commit), receiver.url)
    spool.put(entry)
    fields = [f"0.commit.{name}" for name in ("author", "repository")]
    refusal = {"errors": [{"field": each, "message": "unknown"} for each in fields]}
    receiver.answers = [(422, json.dumps(refusal))]

    (answer,) = answers([entry], spool)

    assert isinstance(answer, Delivered)
    assert receiver.runs[-1]["commit"] == {"sha": "v5.0.2", "parents": []}


def test_server_that_refuses_more_than_the_newest_fields_gets_no_run(spool, receiver):
    commit = {"sha": "v5.0.2", "author": "Ada"}
    entry = spool.entry(run_report(commit=commit), receiver.url)
    spool.put(entry)
    refusal = {"errors": [{"field": "commit.author"}, {"field": "coordinate.p"}]}
    receiver.answers = [(422, json.dumps(refusal))]

    (answer,) = answers([entry], spool)

    assert isinstance(answer, Refused)
    assert len(receiver.bodies) == 1


def test_runs_go_into_a_store_as_to_a_server(spool, tmp_path):
    place = f"{STORE}{tmp_path / 'store'}"
    entries = [spooled(spool, place, number) for number in (1, 2)]

    given = answers(entries, spool)

    assert [type(answer) for answer in given] == [Delivered, Delivered]
    assert pending(spool) == []
    lines = [
        line
        for file in (tmp_path / "store" / "runs").rglob("*.jsonl")
        for line in file.read_bytes().splitlines()
    ]
    assert sorted(lines) == sorted(entry.body for entry in entries)


def test_runs_for_a_store_that_is_none_stay_in_the_spool(spool, tmp_path):
    (tmp_path / "file").write_text("")
    entry = spooled(spool, f"{STORE}{tmp_path / 'file'}")

    (answer,) = answers([entry], spool)

    assert isinstance(answer, Undelivered)
    assert str(tmp_path / "file") in answer.reason
    assert pending(spool) == [entry.id]


def test_a_run_that_contradicts_a_store_goes_aside(spool, tmp_path):
    place = f"{STORE}{tmp_path / 'store'}"
    answers([spooled(spool, place)], spool)
    other = spool.entry(run_report(id=str(UUID(int=1)), suite="other"), place)
    spool.put(other)

    (answer,) = answers([other], spool)

    assert isinstance(answer, Refused)
    assert [path.name for path in spool.refused()] == [other.path.name]

"""`POST /api/v1/reframe`: the posts of ReFrame's handler `httpjson`."""

import json
from pathlib import Path

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import OperationalError

from scalewatch.api.runs import posting
from scalewatch.storage import tables
from support.samples import sample


def case(**fields):
    defaults = {
        "check_name": "halo",
        "check_display_name": "halo %np=4",
        "check_system": "daint",
        "check_environ": "gnu",
        "check_num_tasks": 4,
        "check_jobid": "17",
        "check_job_completion_time_unix": 1764028800.5,
        "check_result": "pass",
        "check_perf_step_value": 0.5,
        "check_perf_step_unit": "s",
        "check_perf_rate_value": 8.0,
        "check_perf_rate_unit": "GB/s",
    }
    return defaults | fields


def post(client, content, **stated):
    stated = {"project": "halo", "commit": "v1.2", **stated}
    return client.post("/api/v1/reframe", json=content, params=stated)


def runs(sessions):
    with sessions.reading() as session:
        return session.scalar(select(func.count()).select_from(tables.Run))


def test_case_is_accepted_at_once_and_known_the_second_time(client, sessions):
    first = post(client, case())
    again = post(client, case())

    assert first.status_code == 202, first.text
    assert again.status_code == 200
    assert first.json()[0]["id"] == again.json()[0]["id"]
    run = client.get(first.json()[0]["run"]).json()
    assert (run["machine"], run["coordinate"]) == ("daint", {"p": 4})
    units = {one["metric"]: one["unit"] for one in run["results"]}
    assert units == {"step": "s", "rate": "GB/s"}
    assert runs(sessions) == 1


def test_commit_of_the_extras_goes_before_that_of_the_address(client):
    post(client, case(commit="v2.0"))

    listed = client.get("/api/v1/projects/halo/commits").json()["commits"]
    assert [one["sha"] for one in listed] == ["v2.0"]


def test_other_job_is_another_run(client, sessions):
    post(client, case())
    post(client, case(check_jobid="18"))

    assert runs(sessions) == 2


def without_performance():
    return {
        key: value for key, value in case().items() if not key.startswith("check_perf")
    }


def test_case_without_performance_stores_nothing_and_is_no_error(client, sessions):
    response = post(client, without_performance())

    assert response.is_success, response.text
    assert response.json() == []
    assert runs(sessions) == 0


def test_case_that_failed_before_its_performance_was_known_is_a_failed_run(client):
    failed = {**without_performance(), "check_perf_step_value": None}

    (accepted,) = post(client, failed).json()

    (told,) = client.get(accepted["run"]).json()["results"]
    assert (told["region"], told["metric"]) == ("halo", "step")
    assert told["reason"]


@pytest.mark.parametrize(
    ("content", "stated", "complaint"),
    [
        ({"nothing": 1}, {}, "expected the key 'runs'"),
        (case(check_perf_step_value="fast"), {}, "expected a finite number"),
        (case(), {"commit": ""}, "does not say its commit"),
        (case(check_system=None), {}, "does not say its machine"),
        (case(check_display_name="halo", check_num_tasks=None), {}, "at which p"),
    ],
)
def test_case_that_makes_no_run_says_why(client, content, stated, complaint):
    response = post(client, content, **stated)

    assert response.status_code == 422, response.text
    assert complaint in response.json()["detail"]


def test_busy_server_asks_to_come_back(client, monkeypatch):
    monkeypatch.setattr(posting, "MOST_WAITING", 0)

    response = post(client, case())

    assert response.status_code == 429
    assert int(response.headers["Retry-After"]) >= 1
    assert posting.AT_ONCE > 0


def test_database_that_is_away_is_busy_to_reframe(client, monkeypatch):
    def fail(*_):
        raise OperationalError("INSERT", {}, Exception("database is locked"))

    monkeypatch.setattr(posting, "transact", fail)

    assert post(client, case()).status_code == 429


def test_real_posts_are_stored(client, sessions):
    folder = Path(sample("reframe/generated-4.10.4"))
    posts = [json.loads(path.read_text()) for path in folder.glob("**/*httpjson*.json")]

    answers = [post(client, content, project="real") for content in posts]

    assert posts
    assert {answer.status_code for answer in answers} == {202}
    assert runs(sessions) == len(posts)

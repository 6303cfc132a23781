from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from scalewatch.pages.projects import COOKIE, PAUSE, news_sentence
from scalewatch.services.projects.timeline import SinceVisit
from scalewatch.storage.access import projects
from support import sentences
from support.builders import result, run_report
from support.histories import TREE, record_commit, reports
from support.recorded import failed_result, record
from support.shown_pages import of_one_moment


def seconds(ago: timedelta) -> int:
    """Return a moment as the cookie keeps it."""
    return int((datetime.now(UTC) - ago).timestamp())


def test_first_visit_is_only_noted(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    began = int(datetime.now(UTC).timestamp())

    answer = client.get("/")

    assert sentences.SINCE_LAST_VISIT not in answer.text
    before, last = map(int, answer.cookies[COOKIE].split("."))
    assert before == 0
    assert began <= last < began + 60
    header = answer.headers["set-cookie"]
    assert all(part in header for part in ("HttpOnly", "SameSite=lax", "Path=/"))
    assert answer.headers["cache-control"].startswith("private")


def test_later_visit_says_what_is_new_without_a_script(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    last = seconds(timedelta(days=2))
    client.cookies.set(COOKIE, f"0.{last}")

    answer = client.get("/")

    assert sentences.NEW_SINCE_TWO_DAYS in answer.text
    assert answer.cookies[COOKIE].startswith(f"{last}.")


def test_visit_goes_on_while_one_looks_again_soon(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    kept = f"{seconds(timedelta(days=3))}.{seconds(PAUSE / 2)}"
    client.cookies.set(COOKIE, kept)

    answer = client.get("/")

    assert sentences.NEW_SINCE_THREE_DAYS in answer.text


def test_first_visit_goes_on_as_the_first(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})

    first, again = of_one_moment(client, "/", lambda _: client.get("/"))

    assert again.text == first.text
    assert sentences.SINCE_LAST_VISIT not in again.text


def test_that_nothing_came_is_said():
    news = SinceVisit(datetime.now(UTC) - timedelta(days=2), 0, (), (), {})

    sentence = news_sentence(None, "mpich", news)

    assert sentence == sentences.NOTHING_NEW


@pytest.mark.parametrize("kept", ["", "x", "1.2.3", "-1.5", "9" * 40, "0.9999999999"])
def test_cookie_that_makes_no_sense_is_none(client, sessions, kept):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    client.cookies.set(COOKIE, kept)

    answer = client.get("/")

    assert answer.status_code == 200
    assert sentences.SINCE_LAST_VISIT not in answer.text


def test_what_a_script_asks_for_is_no_visit_and_a_known_page_is_one(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})

    asked = client.get("/", headers={"Sec-Fetch-Dest": "empty"})
    _, again = of_one_moment(
        client,
        "/",
        lambda page: client.get("/", headers={"If-None-Match": page.headers["etag"]}),
    )

    assert "set-cookie" not in asked.headers
    assert again.status_code == 304
    assert COOKIE in again.headers["set-cookie"]


def test_home_says_what_is_missing(client, sessions):
    with sessions.writing.begin() as session:
        projects.find_or_create(session, "new")
    record_commit(sessions, 1, {"MPI_Bcast": TREE})

    text = client.get("/").text

    assert sentences.NO_RUN_OF_NEW in text
    assert "/start?project=new" in text
    assert sentences.TWO_COMMITS_NEEDED in text


def test_home_calls_no_verdict_unchanged_that_was_never_given(client, sessions):
    for number in (1, 2):
        runs = reports(number, {"MPI_Bcast": TREE})
        record(sessions, [run for run in runs if run.coordinate["p"] <= 4])
    undecided = client.get("/").text

    for number in (3, 4):
        record_commit(sessions, number, {"MPI_Bcast": TREE})
    unchanged = client.get("/").text

    assert sentences.NO_SURE_CHANGE in undecided
    assert sentences.ONLY_SERIES_UNDECIDED in undecided
    assert "no verdict changed" in unchanged


def test_home_names_regions_that_fail_at_some_scales_only(client, sessions):
    reports = [
        run_report(
            id=str(UUID(int=p)),
            coordinate={"p": p},
            results=[
                failed_result("solve")
                if p > 16
                else result(region="solve", values=[1e-3 * p, 1.01e-3 * p])
            ],
        )
        for p in (2, 4, 8, 16, 32)
    ]
    record(sessions, reports)

    attention = client.get("/").text.partition("Needs attention")[2]

    assert "<bdi>solve</bdi>" in attention
    assert "Failed at p = 32: " in attention

import re
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from scalewatch.pages.projects import COOKIE, PAUSE, news_sentence
from scalewatch.pages.wording.formats import SPACE
from scalewatch.services.projects.timeline import SinceVisit
from scalewatch.storage.access import projects
from support import sentences
from support.builders import result, run_report
from support.histories import TREE, record_commit, reports, sha
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
    new = client.get("/").text
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    both = client.get("/").text

    for text in (new, both):
        assert "/start?project=new" in text
    assert sentences.NO_RUN_OF_NEW in new
    assert sentences.NO_RUN_ARRIVED in both


def test_single_project_says_how_many_commits_its_pages_need(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})

    assert sentences.TWO_COMMITS_NEEDED in client.get("/").text


def slower(number):
    return {"solve": TREE if number < 12 else lambda p: 1.8 * TREE(p)}


def test_home_of_several_projects_names_what_got_worse_first(client, sessions):
    for number in range(1, 21):
        record_commit(sessions, number, {"MPI_Bcast": TREE}, project="calm")
        record_commit(sessions, number, slower(number), project="worse")

    page = client.get("/").text
    shown = client.get("/?format=json").json()

    assert page.index('"/p/worse"') < page.index('"/p/calm"')
    assert re.search(
        r"<bdi>solve</bdi> 1\.8× slower at p = 64 on <bdi>jureca</bdi> since "
        rf"<bdi>{sha(12)[:10]}</bdi>",
        page.replace(SPACE, " "),
    )
    worse, calm = shown
    assert (worse["name"], worse["open_regressions"]) == ("worse", 1)
    assert calm["open_regressions"] == 0
    assert max(worse["trend"]) / min(worse["trend"]) > 1.7
    assert client.get("/?format=csv").text.count("\n") == 3


def test_groups_fold_by_the_address(client, sessions):
    with sessions.writing.begin() as session:
        for name in ["a-1", "a-2", "a-3", *"bcdefghi"]:
            projects.find_or_create(session, name)

    whole, folded = client.get("/").text, client.get("/?folded=a").text

    assert 'href="/?folded=a"' in whole
    assert 'href="/"' in folded
    assert '"/p/a-1"' in whole
    assert '"/p/a-1"' not in folded
    assert '"/p/b"' in folded


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

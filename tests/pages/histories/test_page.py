import re

import pytest
from sqlalchemy import event

from scalewatch.storage import tables
from support import sentences
from support.builders import on_cores, sweep_reports
from support.histories import LINEAR, TREE, record_history, reports, sha, store_nights
from support.recorded import record
from support.shown_pages import words_of

AT = 13


@pytest.fixture
def watched(sessions):
    """A broadcast that turns from a tree to a line at commit 13."""
    record_history(
        sessions,
        lambda number: {"MPI_Bcast": LINEAR if number >= AT else TREE},
        16,
    )


@pytest.mark.usefixtures("watched")
def test_history_shows_where_the_growth_changed_and_links_to_the_regression(client):
    page = client.get("/p/mpich/history?region=MPI_Bcast").text

    assert (sentences.TIME_GROWS_SINCE) in page
    assert "figures/history?project=mpich&amp;region=MPI_Bcast" in page
    (dots,) = re.findall(r'class="chart__dots" d="([^"]*)"', page)
    assert dots.count("M") == 16
    assert 'class="chart__change chart__change--worse"' in page
    assert 'href="/p/mpich/regressions/1"' in page


@pytest.mark.usefixtures("watched")
def test_history_of_all_regions_shows_the_eras_of_each_on_a_machine(client):
    page = client.get("/p/mpich/history").text
    listed = client.get("/p/mpich/history?format=csv").text.splitlines()

    assert sentences.ONE_WORSE_OF_SIXTEEN in page
    assert re.findall(r'class="commit-map__era growth--(\d)"', page) == ["2", "5"]
    assert f'<a href="/p/mpich/c/{sha(AT)[:10]}" aria-label=' in page
    assert (
        'role="group" aria-label="The time grows like O(p) since' in page
    )  # an image holds no links
    assert "/p/mpich/history?region=MPI_Bcast" in page
    assert [line.rpartition(",")[2] for line in listed] == ["growth", "log p", "p"]


@pytest.mark.usefixtures("watched")
def test_history_is_spaced_by_dates_when_asked(client):
    page = client.get("/p/mpich/history?axis=date").text

    assert '<option value="date" selected>' in page


@pytest.mark.usefixtures("watched")
def test_pages_have_exports(client):
    for page in ("history", "regressions"):
        for wanted in ("json", "csv", "md", "tex"):
            answer = client.get(f"/p/mpich/{page}?format={wanted}")

            assert answer.status_code == 200
            assert "growth" in answer.text


@pytest.mark.usefixtures("watched")
def test_json_of_a_history_says_of_its_regressions_what_the_page_says(client):
    (found,) = client.get("/api/v1/projects/mpich/history").json()["regressions"]
    whole = client.get(f"/api/v1/projects/mpich/regressions/{found['id']}").json()

    said = ("id", "is_worse", "state", "sentence")
    assert found == {name: whole[name] for name in said}


def test_a_growth_that_changed_comes_before_a_constant(client, sessions):
    record_history(
        sessions,
        lambda number: {
            "MPI_Bcast": LINEAR if number >= AT else TREE,
            "MPI_Reduce": lambda p: (1.5 if number >= 10 else 1) * TREE(p),
        },
        16,
    )

    found = client.get("/api/v1/projects/mpich/regressions").json()["regressions"]
    page = client.get("/p/mpich/regressions").text

    assert [each["kind"] for each in found] == ["constant", "growth"]
    shown = re.findall(r'id="regression-(\d+)"', page)
    assert [int(each) for each in shown] == [found[1]["id"], found[0]["id"]]


@pytest.mark.usefixtures("watched")
def test_states_are_filters_and_the_empty_one_says_what_to_run(client):
    page = client.get("/p/mpich/regressions?state=fixed").text

    assert sentences.NO_REGRESSION_IN_STATE in page
    assert sentences.GATE_COMMAND in words_of(page)


@pytest.mark.usefixtures("watched")
def test_what_was_not_measured_is_a_problem_and_not_a_failure(client):
    for path in (
        "/p/mpich/history?region=nothing",
        "/p/mpich/history?machine=nothing",
        "/p/mpich/history?metric=nothing",
        "/api/v1/projects/mpich/history?metric=nothing",
        "/api/v1/projects/mpich/regressions/99",
        "/p/mpich/regressions/99",
        "/p/nothing/regressions",
        "/p/nothing/regressions/1",
    ):
        assert client.get(path).status_code == 404


@pytest.mark.usefixtures("watched")
def test_history_over_http_has_steps_eras_and_changes(client):
    found = client.get("/api/v1/projects/mpich/history?region=MPI_Bcast").json()

    (series,) = found["series"]
    assert len(series["steps"]) == 16
    assert [segment["growth"] for segment in series["segments"]] == ["log p", "p"]
    (change,) = series["changes"]
    assert (change["first"], change["last"]) == (AT - 1, AT - 1)
    assert change["kind"] == "growth"


@pytest.mark.usefixtures("watched")
def test_history_is_read_in_parts_that_together_have_every_commit_once(client):
    address = "/api/v1/projects/mpich/history?region=MPI_Bcast"
    whole = client.get(address).json()

    parts = [client.get(address, params={"limit": 6}).json()]
    while before := parts[0]["next"]:
        asked = {"limit": 6, "before": before}
        parts.insert(0, client.get(address, params=asked).json())

    assert whole["next"] is None
    assert [len(part["commits"]) for part in parts] == [4, 6, 6]
    for what in ("commits", "steps"):
        every = [
            {**each, "position": None}
            for part in (whole, *parts)
            for each in (part["series"][0] if what == "steps" else part)[what]
        ]
        assert every[:16] == every[16:]


@pytest.mark.usefixtures("watched")
def test_a_part_of_a_history_reads_no_more_commits_than_it_needs(client):
    read: list[str] = []

    def note(row: tables.Commit, _: object) -> None:
        read.append(row.sha)

    event.listen(tables.Commit, "load", note)
    client.get("/api/v1/projects/mpich/history?region=MPI_Bcast&limit=4")
    event.remove(tables.Commit, "load", note)

    assert set(read) <= {sha(at) for at in range(11, 17)}


@pytest.mark.usefixtures("watched")
def test_page_of_older_commits_leads_to_the_newest(client):
    newest = client.get("/p/mpich/history?region=MPI_Bcast").text
    older = client.get(f"/p/mpich/history?region=MPI_Bcast&before={sha(12)}").text

    assert "The newest ones" not in newest
    assert "The 11 commits before" in older
    assert "The newest ones" in older


@pytest.mark.usefixtures("watched")
def test_accepting_a_regression_makes_its_growth_the_expectation(client, work_off):
    said = {"author": "ada", "state": "expected", "note": "linear since the rewrite"}

    answer = client.patch("/api/v1/projects/mpich/regressions/1", json=said)
    work_off()

    assert answer.json()["state"] == "expected"
    (promise,) = client.get("/api/v1/projects/mpich/expectations").json()[
        "expectations"
    ]
    assert (promise["growth"], promise["author"]) == ("p", "ada")
    assert promise["reason"] == "linear since the rewrite"
    gate = client.get("/api/v1/projects/mpich/gate", params={"commit": sha(AT)})
    assert gate.json()["outcome"] != "worse"
    history = client.get("/api/v1/projects/mpich/history").json()
    newest = history["series"][0]["steps"][-1]
    assert (newest["verdict"], newest["expectation_version"]) == ("match", 2)


def test_history_over_a_single_setting_shows_values_and_no_word_of_growth(
    client, sessions
):
    for number in (1, 2):
        runs = on_cores(4, reports(number, {"MPI_Bcast": TREE}))
        record(sessions, runs)

    page = client.get("/p/mpich/history?region=MPI_Bcast").text
    main = page[page.index("<main") : page.index("</main")].lower()

    assert sentences.AT_NEWEST_OF_TWO in main
    assert not [each for each in ("growth", "exponent", "p =") if each in main]


def test_history_shows_values_at_the_largest_setting_and_exponents_when_asked(
    client, sessions
):
    record_history(sessions, lambda _: {"MPI_Bcast": TREE}, 3)
    address = "/p/mpich/history?region=MPI_Bcast"

    values, exponents = (
        client.get(address + show).text for show in ("", "&show=exponent")
    )

    assert sentences.DOTS_ARE_TIMES in values
    assert sentences.DOTS_ARE_EXPONENTS in exponents
    assert "show=exponent" in exponents[exponents.index("figures/history") :][:200]


def test_history_marks_what_was_taken_for_a_bad_night(client, sessions):
    record_history(sessions, lambda _: {"MPI_Bcast": TREE}, 4)
    store_nights(sessions, bad={sha(3): "third"})

    page = client.get("/p/mpich/history?region=MPI_Bcast").text

    assert page.count('class="chart__night"') == 1
    assert "<title>bad night at" in page


def test_history_of_a_series_with_two_modes_says_so(client, sessions):
    slow = {number: number % 5 in {0, 3} for number in range(1, 51)}
    record_history(
        sessions,
        lambda number: {
            "MPI_Bcast": lambda p: (1.2 if slow[number] else 1.0) * TREE(p)
        },
        50,
    )

    page = client.get("/p/mpich/history?region=MPI_Bcast").text

    assert sentences.TWO_MODES in page


def test_history_of_few_commits_says_that_no_change_can_be_told(client, sessions):
    growths = {"MPI_Bcast": lambda p: 1e-6 * p}
    record(sessions, sweep_reports((2, 4, 8, 16, 32), growths, project="young"))

    page = client.get("/p/young/history").text

    assert sentences.TOO_FEW_COMMITS in page
    assert sentences.NONE_CHANGED_OF_ONE not in page

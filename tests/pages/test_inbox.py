"""The inbox: what became worse over all projects, treated from one page."""

from datetime import UTC, datetime, timedelta

import pytest

from scalewatch.services.access import policies, tokens
from scalewatch.services.access.callers import Role
from scalewatch.services.expectations import declarations
from scalewatch.services.expectations.declarations import Declaration
from scalewatch.storage.database.session import Sessions
from support.builders import result, run_report
from support.histories import LINEAR, TREE, commit, record_history, reports, sha
from support.recorded import record
from support.shown_pages import words_of

AT = 13
HERE = {"Sec-Fetch-Site": "same-origin"}
PROCESSES = (4, 8, 16, 32, 64)


def slower(number):
    """Return regions of which one turns to a line, and another doubles."""
    return {
        "MPI_Bcast": LINEAR if number >= AT else TREE,
        "MPI_Reduce": lambda p: (2.0 if number >= 9 else 1.0) * TREE(p),
    }


@pytest.fixture
def watched(sessions: Sessions):
    record_history(sessions, slower, 16)


@pytest.fixture
def projects(sessions: Sessions):
    """Two projects with the same two changes each."""
    for name in ("mpich", "openmpi"):
        record_history(sessions, slower, 16, project=name)


def inbox(client, **query):
    """Return the answer of the interface for programs."""
    return client.get("/api/v1/inbox", params={"period": "all", **query}).json()


def failing(number, is_failing, project="mpich"):
    """Return the runs of a commit, of which one may not do a region at p = 64."""
    return [
        run_report(
            id=f"00000000-0000-0000-{number:04d}-{p:012d}",
            project=project,
            commit=commit(number),
            coordinate={"p": p},
            results=[
                {"region": "MPI_Scan", "metric": "time", "unit": "s"}
                | {"status": "failed", "reason": "out of memory", "values": []}
                if is_failing and p == 64
                else result(region="MPI_Scan", values=[TREE(p), 1.01 * TREE(p)])
            ],
        )
        for p in PROCESSES
    ]


@pytest.mark.usefixtures("projects")
def test_inbox_has_all_projects_the_worst_first(client):
    page = client.get("/inbox?period=all").text
    listed = inbox(client)

    assert page.count('<tr id="regression-') == 4
    assert [each["project"] for each in listed["regressions"]].count("mpich") == 2
    regions = [each["members"][0]["region"] for each in listed["regressions"]]
    assert regions == ["MPI_Bcast", "MPI_Bcast", "MPI_Reduce", "MPI_Reduce"]
    assert "4 regressions open in 2 projects" in words_of(page)
    assert listed["projects"] == {"mpich": 2, "openmpi": 2}


@pytest.mark.usefixtures("projects")
@pytest.mark.parametrize(
    ("query", "number"),
    [
        ({"project": "mpich"}, 2),
        ({"machine": "jureca"}, 4),
        ({"machine": "juwels"}, 0),
        ({"kind": "growth"}, 2),
        ({"kind": "failure"}, 0),
        ({"size": "4"}, 2),
        ({"size": "1000"}, 0),
        ({"owner": "nobody"}, 4),
        ({"owner": "ada"}, 0),
        ({"state": "acknowledged"}, 0),
        ({"period": "7d"}, 0),
    ],
)
def test_each_part_of_the_address_chooses(client, query, number):
    assert len(inbox(client, **query)["regressions"]) == number
    page = client.get("/inbox", params={"period": "all", **query})
    assert page.text.count('<tr id="regression-') == number


def test_period_is_counted_from_the_commit_that_shows_a_change(client, sessions):
    ago = datetime.now(UTC) - timedelta(days=40)
    record(
        sessions,
        [
            report
            for number in range(1, 17)
            for report in reports(
                number,
                slower(number),
                commit=commit(
                    number,
                    committed_at=(ago + timedelta(days=2 * number)).isoformat(),
                ),
            )
        ],
    )

    assert len(inbox(client, period="7d")["regressions"]) == 0
    assert len(inbox(client, period="30d")["regressions"]) == 2
    page = words_of(client.get("/inbox?period=7d").text)
    assert "2 older" in page


@pytest.mark.usefixtures("watched")
@pytest.mark.parametrize(
    "query",
    [
        "period=fortnight",
        "state=gone",
        "kind=bug",
        "size=-1",
        "size=nan",
        "cursor=x",
        "project=none",
    ],
)
def test_unknown_choices_are_refused_by_name(client, query):
    for address in ("/inbox", "/api/v1/inbox", "/inbox.atom", "/inbox/lines.svg"):
        if address != "/inbox.atom" or "cursor" not in query:
            answer = client.get(f"{address}?{query}")
            assert answer.status_code in {404, 422}, address
            assert query.split("=")[1] in answer.text


@pytest.mark.usefixtures("projects")
def test_ticked_rows_of_several_projects_are_treated_together(client):
    ids = [str(each["id"]) for each in inbox(client)["regressions"]]

    answer = client.post(
        "/inbox?period=all&state=open",
        data={"regression": ids[:3], "state": "acknowledged", "owner": "ada"},
        headers=HERE,
        follow_redirects=False,
    )

    assert answer.status_code == 303
    assert answer.headers["location"] == "/inbox?period=all"
    assert inbox(client)["states"] == {"acknowledged": 3, "open": 1}
    assert inbox(client, state="acknowledged")["owners"] == {"ada": 3}


@pytest.mark.usefixtures("watched")
def test_assigning_without_a_name_takes_it_oneself(client):
    client.post("/inbox", data={"regression": ["1"], "assign": "1"}, headers=HERE)

    assert inbox(client)["owners"] == {"anybody": 1, "nobody": 1}
    assert inbox(client)["states"] == {"open": 2}


@pytest.mark.usefixtures("projects")
def test_one_row_without_the_right_changes_nothing(client, sessions):
    with sessions.writing.begin() as session:
        _, secret = tokens.create(session, "ci", Role.ADMIN, "mpich")
    ids = [str(each["id"]) for each in inbox(client)["regressions"]]
    form = {"regression": ids, "state": "acknowledged"}

    stranger = client.post("/inbox", data=form, headers=HERE)
    bearer = {**HERE, "Authorization": f"Bearer {secret}"}
    of_one = client.post("/inbox", data=form, headers=bearer)

    assert (stranger.status_code, of_one.status_code) == (401, 403)
    assert inbox(client)["states"] == {"open": 4}
    assert 'id="bulk"' not in client.get("/inbox?period=all").text


@pytest.mark.usefixtures("watched")
def test_forms_of_other_sites_are_refused(client):
    answer = client.post(
        "/inbox",
        data={"regression": ["1"], "state": "acknowledged"},
        headers={"Sec-Fetch-Site": "cross-site"},
    )

    assert answer.status_code == 403
    assert inbox(client)["states"] == {"open": 2}


@pytest.mark.usefixtures("projects")
def test_private_projects_are_not_in_the_inbox_of_strangers(client, sessions):
    with sessions.writing.begin() as session:
        _, secret = tokens.create(session, "ada", Role.READ, "openmpi")
        policies.change(session, "openmpi", policies.Policy(is_private=True))
    bearer = {"Authorization": f"Bearer {secret}"}

    assert inbox(client)["projects"] == {"mpich": 2}
    for address in ("/inbox", "/inbox.atom", "/inbox/lines.svg"):
        assert "openmpi" not in client.get(f"{address}?period=all").text
    assert client.get("/inbox?project=openmpi").status_code == 404
    seen = client.get("/api/v1/inbox?period=all", headers=bearer).json()
    assert seen["projects"] == {"mpich": 2, "openmpi": 2}


@pytest.mark.usefixtures("watched")
def test_rows_have_lines_of_one_sheet(client):
    page = client.get("/inbox?period=all").text
    drawn = client.get("/inbox/lines.svg?period=all")

    assert page.count('<use href="/inbox/lines.svg?period=all#s') == 2
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert drawn.text.count("<symbol") == 2
    tag = drawn.headers["etag"]
    again = client.get("/inbox/lines.svg?period=all", headers={"If-None-Match": tag})
    assert again.status_code == 304


@pytest.mark.usefixtures("projects")
def test_feed_has_the_rows_of_the_address(client):
    feed = client.get("/inbox.atom?period=all&project=mpich")

    assert feed.headers["content-type"] == "application/atom+xml"
    assert feed.text.count("<entry>") == 2
    assert "mpich: MPI_Bcast" in feed.text
    assert "http://testserver/p/mpich/regressions#regression-" in feed.text


def test_hostile_names_are_text(client, sessions):
    name = "<img src=x onerror=alert(1)>"
    record_history(
        sessions,
        lambda number: {name: LINEAR if number >= AT else TREE},
        16,
        project="<b>&",
        machine="<i>'",
    )

    page = client.get("/inbox?period=all&owner=nobody&machine=<i>'").text

    assert page.count('<tr id="regression-') == 1
    assert "<img" not in page
    assert "<b>&" not in page


def test_a_failure_is_found_since_its_first_commit_and_fixed(client, sessions):
    for number in (1, 2, 3, 4):
        record(sessions, failing(number, is_failing=number >= 3))

    (row,) = inbox(client, kind="failure")["regressions"]
    assert row["finding"]["words"] == "failed at p = 64: out of memory"
    assert (row["first"]["sha"], row["state"]) == (sha(3), "open")
    assert "failed at p = 64: out of memory" in words_of(
        client.get("/inbox?period=all").text
    )
    shown = client.get(f"/p/mpich/regressions/{row['id']}")
    assert "failed at p = 64" in words_of(shown.text)

    client.post(
        "/inbox",
        data={"regression": [str(row["id"])], "state": "expected"},
        headers=HERE,
    )
    record(sessions, failing(5, is_failing=True))
    assert inbox(client)["states"] == {"expected": 1}
    record(sessions, failing(6, is_failing=False))
    (fixed,) = inbox(client, state="fixed")["regressions"]
    assert (fixed["id"], fixed["fixed_by"]["sha"]) == (row["id"], sha(6))


def test_a_failure_of_the_whole_history_at_once_has_its_first_commit(client, sessions):
    record(
        sessions,
        [each for number in range(1, 7) for each in failing(number, number >= 4)],
    )

    (row,) = inbox(client, kind="failure")["regressions"]
    assert row["first"]["sha"] == sha(4)


def test_a_commit_that_leaves_a_failing_region_out_fixes_nothing(client, sessions):
    record(sessions, failing(1, is_failing=True))
    record(sessions, reports(2, {"MPI_Bcast": TREE}))

    assert inbox(client)["kinds"] == {"failure": 1}


def test_an_expectation_that_is_missed_is_found_and_accepted(
    client, sessions, work_off
):
    record_history(sessions, lambda _: {"MPI_Bcast": LINEAR}, 3)
    with sessions.writing.begin() as session:
        promised = [Declaration("MPI_Bcast", "time", "O(log p)")]
        declarations.declare(session, "mpich", promised, author="ada", reason=None)
    work_off()

    (row,) = inbox(client, kind="expectation")["regressions"]
    assert (row["finding"]["growth"], row["finding"]["expectation"]) == ("p", "log p")
    assert "instead of" in words_of(client.get("/inbox?period=all").text)
    client.post(
        "/inbox",
        data={"regression": [str(row["id"])], "state": "expected"},
        headers=HERE,
    )
    work_off()
    record_history(sessions, lambda _: {"MPI_Bcast": LINEAR}, 4)
    assert inbox(client, kind="expectation", state="fixed")["states"] == {"fixed": 1}


def test_findings_are_no_changes_of_a_project(client, sessions):
    record(sessions, failing(1, is_failing=True))

    assert client.get("/api/v1/projects/mpich/regressions").json()["regressions"] == []


@pytest.mark.usefixtures("watched")
def test_owners_follow_from_patterns_of_regions(client):
    address = "/p/mpich/settings/owners"
    lines = "*Bcast = ada\r\n\r\nMPI_* = a team\n"
    answer = client.post(address, data={"owners": lines}, headers=HERE)

    assert "*Bcast = ada\nMPI_* = a team\n" in answer.text
    assert inbox(client)["owners"] == {"ada": 1, "a team": 1}
    assert inbox(client, owner="ada")["regressions"][0]["owner"] == "ada"
    client.post("/inbox", data={"regression": ["1"], "owner": "bob"}, headers=HERE)
    assert inbox(client)["owners"] == {"bob": 1, "a team": 1}


@pytest.mark.usefixtures("watched")
@pytest.mark.parametrize("line", ["ada", "= ada", "MPI_* =", f"{'a' * 201} = ada"])
def test_a_line_of_owners_without_pattern_or_name_changes_nothing(client, line):
    lines = f"*Bcast = bob\n{line}"
    answer = client.post(
        "/p/mpich/settings/owners", data={"owners": lines}, headers=HERE
    )

    assert answer.status_code == 422
    assert "owners 2: a pattern of regions" in words_of(answer.text).lower()
    assert inbox(client)["owners"] == {"nobody": 2}


@pytest.mark.usefixtures("watched")
def test_owners_are_stated_by_programs(client):
    stated = {"owners": [{"pattern": "MPI_R*", "owner": "ada"}]}
    answer = client.put("/api/v1/projects/mpich/owners", json=stated)

    assert answer.json() == stated
    assert client.get("/api/v1/projects/mpich/owners").json() == stated
    assert inbox(client)["owners"] == {"ada": 1, "nobody": 1}

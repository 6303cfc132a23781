import re

import pytest
from sqlalchemy import delete, select

from scalewatch.storage import tables
from scalewatch.storage.database.session import Sessions
from support import sentences
from support.histories import LINEAR, TREE, record_commit, record_history, sha
from support.shown_pages import words_of

AT = 13
HERE = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def watched(sessions: Sessions):
    """A broadcast that turns from a tree to a line, as a reduction doubles."""
    record_history(
        sessions,
        lambda number: {
            "MPI_Bcast": LINEAR if number >= AT else TREE,
            "MPI_Reduce": lambda p: (2.0 if number >= 9 else 1.0) * TREE(p),
        },
        16,
    )


@pytest.mark.usefixtures("watched")
def test_a_regression_is_acknowledged_by_its_form_and_its_history_kept(client):
    page = client.get("/p/mpich/regressions").text
    assert "log <i>p</i>)</span> → <span" in page
    assert "5.0× slower at p = 64" in page
    assert 'method="post" action="/p/mpich/regressions"' in page

    answer = client.post(
        "/p/mpich/regressions/1",
        data={"state": "acknowledged", "owner": "ada", "note": "looking"},
        headers={"Sec-Fetch-Site": "same-origin"},
    )

    assert answer.status_code == 200
    regression = client.get("/api/v1/projects/mpich/regressions/1").json()
    assert (regression["state"], regression["owner"]) == ("acknowledged", "ada")
    said = [(each["action"], each["note"]) for each in regression["events"]]
    assert said == [
        ("found", None),
        ("open → acknowledged", "looking"),
        ("owner", "ada"),
    ]
    assert regression["last"]["sha"] == sha(AT)
    assert "<strong>open → acknowledged</strong>" in answer.text
    assert "<bdi>looking</bdi>" in answer.text
    page = client.get("/p/mpich/regressions").text
    assert "<td><bdi>ada</bdi></td>" in page
    assert "data-state>acknowledged<" in page


@pytest.mark.usefixtures("watched")
def test_a_regression_has_a_page_with_all_that_is_known_of_it(client):
    page = client.get("/p/mpich/regressions/1").text
    listed = client.get("/p/mpich/regressions/1?format=csv").text.splitlines()

    assert "Regression 1" in page
    assert "1 region on 1 machine. " not in page, "its heading says so"
    assert f'href="/p/mpich/c/{sha(AT)[:10]}"' in page
    assert "log <i>p</i>)</span> → <span" in page
    assert f"“<bdi>Change {AT}</bdi>”" in page
    assert f"/p/mpich/compare/{sha(AT - 1)[:10]}...{sha(AT)[:10]}" in page
    assert "figures/regression-curves?project=mpich&amp;regression=1" in page
    assert sentences.SERVE_COMMAND in words_of(page)
    assert "<strong>found</strong>" in page
    assert len(listed) == 2


@pytest.mark.usefixtures("watched")
def test_list_has_one_line_per_regression_the_worst_first(client):
    page = client.get("/p/mpich/regressions").text

    assert page.count('<tr id="regression-') == 2
    assert page.index("<bdi>MPI_<wbr>Bcast") < page.index("<bdi>MPI_<wbr>Reduce")
    assert "2.0× slower at p = 64" in page
    assert f"“<bdi>Change {AT}</bdi>”" in page


@pytest.mark.usefixtures("watched")
def test_ticked_regressions_are_acknowledged_together(client):
    answer = client.post(
        "/p/mpich/regressions",
        data={"regression": ["1", "2", "x"], "state": "acknowledged"},
        headers=HERE,
    )

    assert answer.status_code == 200
    found = client.get("/api/v1/projects/mpich/regressions").json()["regressions"]
    assert [each["state"] for each in found] == ["acknowledged"] * 2


@pytest.mark.usefixtures("watched")
def test_a_tick_for_no_regression_changes_nothing(client):
    answer = client.post(
        "/p/mpich/regressions",
        data={"regression": ["1", "99"], "state": "acknowledged"},
        headers=HERE,
    )

    assert answer.status_code == 404
    found = client.get("/api/v1/projects/mpich/regressions").json()["regressions"]
    assert [each["state"] for each in found] == ["open"] * 2


@pytest.mark.usefixtures("watched")
def test_rerun_asks_the_agent_of_the_machine(client):
    client.post("/p/mpich/regressions/1", data={"state": "rerun"}, headers=HERE)

    found = client.get("/api/v1/projects/mpich/regressions").json()
    (asked,) = found["confirmations"]
    assert (asked["machine"], asked["state"]) == ("jureca", "open")
    assert asked["reason"].endswith("asks for regression 1")
    events = client.get("/api/v1/projects/mpich/regressions/1").json()["events"]
    assert events[-1]["action"] == "rerun"


def test_improvements_are_folded(client, sessions):
    record_history(
        sessions, lambda number: {"MPI_Scan": LINEAR if number < AT else TREE}, 16
    )

    page = client.get("/p/mpich/regressions").text

    folded = page[page.index('<details class="details">') :]
    assert "1 improved" in folded
    assert "MPI_<wbr>Scan" in folded


def test_what_became_better_than_promised_is_no_mismatch(client, sessions):
    shrinking = {"MPI_Gather": LINEAR}, {"MPI_Gather": TREE}
    record_history(sessions, lambda number: shrinking[number >= AT], 16)

    page = words_of(client.get("/p/mpich/regressions/1").text)

    assert "match → better" in page
    assert "faster at p = 1,024" in page


@pytest.mark.usefixtures("watched")
def test_a_growth_that_stayed_stands_once_beside_each_series(client):
    listed = client.get("/api/v1/projects/mpich/regressions").json()["regressions"]
    seen = {}
    for each in listed:
        page = client.get(f"/p/mpich/regressions/{each['id']}").text
        (row, *_) = re.findall(r'<td class="lines__whole">(.*?)</td>', page)
        (region,) = re.findall(r"<h1>.*?MPI_(?:<wbr>)?(\w+)", page, re.DOTALL)[:1]
        seen[region] = row.count("</i>)</span>"), "as before" in row, "→" in row

    assert seen == {"Bcast": (2, False, True), "Reduce": (1, True, False)}


@pytest.mark.usefixtures("watched")
def test_regression_has_an_address_that_names_commit_kind_and_region(client, sessions):
    moved = client.get("/p/mpich/regressions/1?series=0", follow_redirects=False)
    named = moved.headers["location"]
    listed = client.get("/api/v1/projects/mpich/regressions/1").json()

    assert moved.status_code == 307
    assert named == (
        f"/p/mpich/regressions/{listed['first']['sha'][:12]}/{listed['kind']}/"
        f"{listed['members'][0]['region']}?series=0"
    )
    for listing in (
        "/p/mpich/regressions",
        "/inbox?period=all",
        "/inbox.atom?period=all",
    ):
        assert named.partition("?")[0] in client.get(listing).text
    page = client.get(named)
    assert page.status_code == 200
    assert client.get(f"{named}&format=json").json()["id"] == 1

    with sessions.writing.begin() as session:
        for kind in (tables.Shift, tables.RegressionEvent):
            session.execute(delete(kind))
        session.execute(delete(tables.Regression))
        session.execute(delete(tables.Shift))
    assert client.get(named).status_code == 404


@pytest.mark.usefixtures("watched")
@pytest.mark.parametrize(
    "name", ["0/growth/nonesuch", "%25/growth/MPI_Bcast", "0/better-growth/MPI_Bcast"]
)
def test_names_of_no_regression_are_not_found(client, name):
    assert client.get(f"/p/mpich/regressions/{name}").status_code == 404


def test_regressions_of_two_machines_from_one_commit_are_told_apart(sessions, client):
    def curves(number):
        return {"solve": TREE if number < 12 else lambda p: 1.8 * TREE(p)}

    for machine in ("jureca", "lumi"):
        for number in range(1, 21):
            record_commit(sessions, number, curves(number), machine=machine)
    numbers = [
        each["id"]
        for each in client.get("/api/v1/projects/mpich/regressions").json()[
            "regressions"
        ]
    ]
    with sessions.writing.begin() as session:
        first = session.get_one(tables.Regression, numbers[0])
        copy = {
            name: getattr(first, name)
            for name in (column.name for column in tables.Regression.__table__.columns)
            if name != "id"
        }
        second = tables.Regression(**copy)
        session.add(second)
        session.flush()
        shift = session.scalars(
            select(tables.Shift).where(tables.Shift.regression_id == first.id)
        ).all()[-1]
        shift.regression_id = second.id
        known = {first.id, second.id}

    named = {
        number: client.get(
            f"/p/mpich/regressions/{number}", follow_redirects=False
        ).headers["location"]
        for number in known
    }

    assert len(set(named.values())) == 2
    for number, path in named.items():
        mark = "&" if "?" in path else "?"
        assert client.get(f"{path}{mark}format=json").json()["id"] == number

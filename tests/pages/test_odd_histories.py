"""What users see of histories that are not as one would wish."""

from datetime import timedelta
from html import unescape

import pytest

from support import sentences
from support.builders import result, run
from support.histories import (
    FIRST_DAY,
    TREE,
    commit,
    record_commit,
    record_history,
    reports,
    sha,
)
from support.recorded import record

REGIONS = {"MPI_Bcast": TREE}
LATE = (FIRST_DAY + timedelta(days=120)).isoformat()

ODD = {
    "unknown parent": (
        {"parents": ["f" * 40]},
        "was placed by time: no parent was ever posted",
    ),
    "merge": ({"parents": [sha(5), sha(3)]}, f"{sha(6)[:10]} is a merge"),
    "force push": (
        {"parents": [sha(2)]},
        "3 commits left out because a force push has replaced it",
    ),
    "months of gap": (
        {"committed_at": LATE},
        "115 days without a measured commit before",
    ),
    "a branch": (
        {"branch": "topic"},
        "1 commit left out because it is on branch topic",
    ),
}


@pytest.mark.parametrize(("fields", "said"), ODD.values(), ids=ODD)
def test_an_odd_commit_is_said_and_breaks_no_page(client, sessions, fields, said):
    record_history(sessions, lambda _: REGIONS, 5)
    record(sessions, reports(6, REGIONS, commit=commit(6, **fields)))

    pages = {
        name: client.get(f"/p/mpich/{name}")
        for name in ("history", "regressions", f"c/{sha(6)}", "regressions.atom")
    }
    gate = client.get("/api/v1/projects/mpich/gate", params={"commit": sha(6)})

    assert {name: page.status_code for name, page in pages.items()} == dict.fromkeys(
        pages, 200
    )
    assert said in unescape(pages["history"].text)
    assert gate.json()["outcome"] == "fine"


def test_a_commit_that_comes_late_takes_its_place_and_that_is_said(client, sessions):
    for number in (1, 2, 3, 5, 4):
        record_commit(sessions, number, REGIONS)

    history = client.get("/api/v1/projects/mpich/history").json()

    assert [each["sha"] for each in history["commits"]] == list(map(sha, range(1, 6)))
    assert sentences.POSTED_LATE in client.get("/p/mpich/history").text


def test_a_renamed_region_has_one_history_under_its_present_name(client, sessions):
    record_history(sessions, lambda _: {"bcast": TREE}, 3)
    record_commit(sessions, 4, REGIONS)
    before = client.get("/api/v1/projects/mpich/history").json()

    client.put(
        "/api/v1/projects/mpich/aliases",
        json={"author": "ada", "aliases": {"bcast": "MPI_Bcast"}},
    )

    after = client.get("/api/v1/projects/mpich/history").json()
    assert before["regions"] == ["MPI_Bcast", "bcast"]
    assert after["regions"] == ["MPI_Bcast"]
    assert len(after["series"][0]["steps"]) == 4
    led = client.get("/p/mpich/r/bcast?metric=time", follow_redirects=False)
    assert led.headers["location"] == "/p/mpich/r/MPI_Bcast?metric=time"
    assert client.get("/p/mpich/r/bcast").status_code == 200
    assert client.get("/p/mpich/r/scan").status_code == 404


def test_a_unit_that_changed_is_refused_in_words(client):
    first = run(results=[result(metric="energy", unit="J")])
    other = run(
        id="8d7f0b9e-0000-4000-8000-000000000002",
        results=[result(metric="energy", unit="MB")],
    )

    taken = client.post("/api/v1/runs", json=first)
    refused = client.post("/api/v1/runs", json=other)

    assert taken.status_code == 202
    assert refused.status_code == 409
    assert sentences.UNIT_CHANGED in refused.json()["detail"]
    assert sentences.ANOTHER_METRIC in refused.json()["detail"]

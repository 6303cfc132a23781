"""Overhead and waits are tracked as any metric: gate, history, regressions."""

import pytest

from support.histories import commit, sha
from support.recorded import record
from support.traced import noisy, wavefront

AT, COMMITS = 7, 11
RECEIVE = "receive › MPI_Recv"
API = "/api/v1/projects/sweep"


def traced(number, *, factor=1.0, **fields):
    """Return the traces of a commit whose receives take `factor` times as long."""
    reports = noisy(wavefront(commit=commit(number), **fields), seed=number, noise=0.01)
    return [
        report.model_copy(
            update={
                "results": tuple(
                    each.model_copy(
                        update={"values": tuple(factor * v for v in each.values)}
                    )
                    if each.region == RECEIVE and not each.exact
                    else each
                    for each in report.results
                )
            }
        )
        for report in reports
    ]


@pytest.fixture
def slower(sessions):
    """Eleven commits; receives take twice as long from the seventh on, and move."""
    for number in range(1, COMMITS + 1):
        line = 32 + 10 * number
        record(sessions, traced(number, factor=2 if number >= AT else 1, line=line))


@pytest.mark.usefixtures("slower")
def test_slower_location_is_a_regression_and_its_history_goes_on_as_lines_move(client):
    (found,) = client.get(f"{API}/regressions").json()["regressions"]
    asked = {"region": RECEIVE, "metric": "overhead"}
    history = client.get(f"{API}/history", params=asked).json()

    assert found["is_worse"]
    assert found["last"]["sha"] == sha(AT)
    assert {(each["region"], each["metric"]) for each in found["members"]} == {
        (RECEIVE, metric)
        for metric in (
            "mpi_time",
            "overhead",
            "wait_late_sender",
            "path_mpi_time",
            "path_computing",
        )
    }
    assert len(history["commits"]) == COMMITS
    assert len(history["series"]) == 1
    assert history["regressions"][0]["id"] == found["id"]


def test_gate_stops_a_commit_whose_receives_wait_longer(client, sessions):
    record(sessions, traced(1))
    record(sessions, traced(2, factor=2))
    record(sessions, traced(2, factor=2, suite="again"))

    said = client.get(
        f"{API}/gate", params={"commit": sha(2), "metric": "overhead"}
    ).json()

    assert said["outcome"] == "worse"
    assert RECEIVE in {finding["region"] for finding in said["findings"]}


def test_region_page_shows_where_it_lies_at_each_commit(client, sessions):
    record(sessions, traced(1, line=32))
    record(sessions, traced(2, line=40))

    for number, place in ((1, "sweep.c:32"), (2, "sweep.c:40")):
        page = client.get(
            f"/p/sweep/r/{RECEIVE}",
            params={"commit": sha(number), "metric": "overhead"},
        )
        assert page.status_code == 200
        assert place.replace(".", ".<wbr>").replace(":", ":<wbr>") in page.text

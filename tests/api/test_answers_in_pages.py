"""Answers with many rows come in pages, which together are the whole."""

import pytest
from fastapi.testclient import TestClient

from scalewatch.app import create_app
from scalewatch.services.selection import pages
from scalewatch.services.series import snapshots
from support.wide_project import Width, record_wide_project

WIDTH = Width(regions=14, machines=2)
PROJECT = "/api/v1/projects/wide"

LISTINGS = {
    f"{PROJECT}/changes": "changes",
    f"{PROJECT}/compare?a=cluster-00&b=cluster-01": "rows",
    f"{PROJECT}/cost": "regions",
    f"{PROJECT}/models": "models",
    "/p/wide/c/newest?format=json": "changes",
    "/p/wide/compare/cluster-00...cluster-01?format=json": "rows",
    "/p/wide/cost?format=json": "regions",
}
"""Addresses by the name of their rows."""


@pytest.fixture
def last_run(sessions):
    return record_wide_project(sessions, WIDTH)


@pytest.fixture
def client(engine, last_run):
    assert last_run.project == "wide"
    return TestClient(create_app(engine, embedded_worker=False))


def rows_of(client, address, listed):
    """Return the rows of all pages, and how many there were."""
    rows, cursor, number = [], "", 0
    while cursor is not None:
        mark = "&" if "?" in address else "?"
        answer = client.get(f"{address}{mark}cursor={cursor}").raise_for_status().json()
        rows += answer[listed]
        cursor, number = answer["next"], number + 1
    return rows, number


@pytest.mark.parametrize("address", LISTINGS)
def test_pages_together_are_the_whole(client, monkeypatch, address):
    whole, once = rows_of(client, address, LISTINGS[address])

    monkeypatch.setattr(pages, "MOST_CELLS", 20)
    if address.endswith("/models"):
        monkeypatch.setattr(snapshots, "MOST_SERIES", 10)
    paged, number = rows_of(client, address, LISTINGS[address])

    assert once == 1
    assert number > 1
    assert sorted(map(str, paged)) == sorted(map(str, whole))


@pytest.mark.parametrize("end", ["", "?format=json"])
def test_results_of_a_run_come_in_pages(client, monkeypatch, last_run, end):
    address = f"/api/v1/runs/{last_run.id}"
    if end:
        address = f"/p/wide/runs/{last_run.id}{end}"
    monkeypatch.setattr(pages, "MOST_CELLS", 20)
    results, number = rows_of(client, address, "results")

    assert number == 7
    assert len({each["region"] for each in results}) == WIDTH.regions


def test_verdicts_on_a_run_come_in_pages(client, monkeypatch, last_run):
    address = f"/api/v1/runs/{last_run.id}/verdict"
    whole, once = rows_of(client, address, "series")
    monkeypatch.setattr(pages, "MOST_CELLS", 20)
    paged, number = rows_of(client, address, "series")

    assert once == 1
    assert number == 7
    assert {each["machine"] for each in whole} == {last_run.machine.name}
    assert sorted(map(str, paged)) == sorted(map(str, whole))


@pytest.mark.parametrize(
    "address",
    [
        "/p/wide/history",
        "/p/wide/settings/expectations",
        "/p/wide/c/newest?all=1",
        "/p/wide/compare/cluster-00...cluster-01?all=1",
        "/p/wide/cost?all=1",
        "/p/wide/runs/{run}",
    ],
)
def test_page_with_many_rows_links_to_the_next(client, monkeypatch, last_run, address):
    monkeypatch.setattr(pages, "MOST_CELLS", 20)

    page = client.get(address.format(run=last_run.id)).text

    assert 'rel="next"' in page
    assert "cursor=" in page


@pytest.mark.parametrize("address", LISTINGS)
def test_cursor_that_names_no_page_is_not_found(client, address):
    mark = "&" if "?" in address else "?"

    assert client.get(f"{address}{mark}cursor=x").status_code == 404


def test_rows_of_models_are_all_there_however_wide_the_commit(client, monkeypatch):
    whole = client.get(f"{PROJECT}/models?format=csv").text
    monkeypatch.setattr(pages, "MOST_CELLS", 20)
    monkeypatch.setattr(snapshots, "MOST_SERIES", 10)

    paged = client.get(f"{PROJECT}/models?format=csv").text

    assert sorted(paged.splitlines()) == sorted(whole.splitlines())

import json
import re
from uuid import uuid4

import pytest

from support import sentences
from support.builders import run, sweep_reports
from support.histories import TREE, record_commit, sha
from support.recorded import (
    record,
    record_grid,
    record_half_failed_project,
    record_project,
)

BARRIER = "/p/openmpi/r/MPI_Barrier"


def test_undecided_verdict_comes_with_the_measurement_that_would_settle_it(
    client, sessions
):
    reports = sweep_reports(growths={"MPI_Bcast": lambda p: 1 + p}, noise=0.5)
    record(sessions, reports)

    page = client.get("/p/mpich/r/MPI_Bcast", params={"machine": "jureca"}).text

    assert "is undecided" in page
    assert re.search(r"\d+ repetitions at p = \d+ would settle it with a", page)


def test_without_a_target_multiples_of_the_largest_scale_are_forecast(client, sessions):
    record_project(sessions)

    page = client.get(BARRIER, params={"machine": "node-tcp", "target": ""}).text

    for scale in ("64", "128", "512"):
        assert f'class="number">{scale}</th>' in page
    assert sentences.IS_FORECAST not in page


@pytest.mark.parametrize("target", ["0", "-1", "many", "1e13", "nan"])
def test_target_without_sense_is_refused_in_words(client, sessions, target):
    record_project(sessions)

    response = client.get(BARRIER, params={"machine": "node-tcp", "target": target})

    assert response.status_code == 422
    assert sentences.ADDRESS_UNREADABLE in response.text


def test_region_whose_results_all_failed_says_why_instead_of_drawing(client, sessions):
    record_half_failed_project(sessions)

    page = client.get("/p/fragile/r/transpose").text

    assert "No successful measurement" in page
    assert "It deadlocked." in page
    assert "data-figure" not in page


def test_machine_without_any_success_has_no_history_to_draw(client, sessions):
    record_half_failed_project(sessions)

    page = client.get("/p/fragile/r/solve", params={"machine": "broken"}).text

    assert "No successful measurement" in page
    assert "data-figure" not in page


def test_scan_over_two_parameters_is_drawn_as_slices(client, sessions):
    record_grid(sessions)

    page = client.get("/p/hydro/r/solve").text
    figure = client.get(
        "/api/v1/figures/slices", params={"project": "hydro", "region": "solve"}
    ).json()

    assert "figures/slices" in page
    assert sentences.HELD_AT_LARGEST in page
    points = [trace["name"] for trace in figure["data"] if trace["mode"] == "markers"]
    assert [name.split(" · ")[1] for name in points] == [
        "n = 1,000",
        "n = 2,000",
        "n = 4,000",
        "n = 8,000",
    ]


def test_residuals_are_a_figure_for_programs_too(client, sessions):
    record_project(sessions)
    query = {"project": "openmpi", "region": "MPI_Barrier", "machine": "node-tcp"}

    figure = json.loads(client.get("/api/v1/figures/residuals", params=query).text)

    (residuals,) = figure["data"]
    assert max(map(abs, residuals["y"])) < 0.01


def counted(region, coordinate, value, **fields):
    """Return a run that counts a region once."""
    result = {
        "region": region,
        "metric": "count",
        "unit": "1",
        "exact": True,
        "values": [value],
    }
    return run(
        id=str(uuid4()),
        project="counted",
        coordinate=coordinate,
        results=[result | fields],
    )


def test_page_says_on_what_an_exact_count_does_not_depend(client, work_off):
    place = {"file": "sweep.c", "line": 76, "function": "sweep"}
    runs = [
        counted("sweep › loop 2", {"p": p, "n": n}, n * (n - 1) / 2, location=place)
        for p in (1, 2, 4)
        for n in (8, 16, 32, 64, 128)
    ]

    answer = client.post("/api/v1/runs", json=runs)
    work_off()
    page = client.get("/p/counted/r/sweep › loop 2", params={"metric": "count"}).text

    assert answer.status_code == 202
    assert sentences.INDEPENDENT_OF_P in page
    assert sentences.WORK_GROWS_LIKE in page


def test_exact_counts_have_forecasts_without_bounds_and_are_marked_in_the_table(
    client, work_off
):
    runs = [
        counted("sort › loop 1", {"n": n}, n * (n - 1) / 2)
        for n in (8, 16, 32, 64, 128)
    ]

    client.post("/api/v1/runs", json=runs)
    work_off()
    asked = {"metric": "count", "target": 1024}
    page = client.get("/p/counted/r/sort › loop 1", params=asked).text
    table = client.get("/p/counted", params={"metric": "count", "view": "table"}).text

    assert sentences.WORK_FORECAST in page
    assert ">Low</th>" not in page
    assert ">Counted</th>" in page
    assert "quartile</th>" not in page
    assert "<span>exact</span>" in table


@pytest.fixture
def outdated(sessions):
    """A region that the newest of three commits did not measure."""
    for number, region in ((1, "MPI_Bcast"), (2, "MPI_Bcast"), (3, "MPI_Barrier")):
        record_commit(sessions, number, {region: TREE})


@pytest.mark.usefixtures("outdated")
@pytest.mark.parametrize(
    "page", ["r/MPI_Bcast", "r/MPI_Bcast/expectation", "scaling?region=MPI_Bcast"]
)
def test_pages_of_a_region_fall_back_to_the_newest_commit_that_has_it(client, page):
    answer = client.get(f"/p/mpich/{page}")

    assert answer.status_code == 200
    assert sha(2)[:10] in answer.text


@pytest.mark.usefixtures("outdated")
def test_page_that_falls_back_names_both_commits(client):
    shown = client.get("/p/mpich/r/MPI_Bcast?format=json").json()
    page = client.get("/p/mpich/r/MPI_Bcast").text

    assert (shown["commit"]["sha"], shown["newest"]["sha"]) == (sha(2), sha(3))
    assert sentences.NOT_AT_NEWEST in page
    assert client.get("/p/mpich/r/MPI_Barrier?format=json").json()["newest"] is None


@pytest.mark.usefixtures("outdated")
def test_commit_that_is_named_and_did_not_measure_a_region_is_not_found(client):
    named = client.get(f"/p/mpich/r/MPI_Bcast?commit={sha(3)}")
    unknown = client.get("/p/mpich/r/MPI_Reduce")

    assert (named.status_code, unknown.status_code) == (404, 404)


@pytest.mark.usefixtures("outdated")
def test_figure_of_a_region_is_that_of_the_newest_commit_that_has_it(client):
    query = {"project": "mpich", "region": "MPI_Bcast", "machine": "jureca"}

    figure = client.get("/api/v1/figures/scaling", params=query)

    assert figure.status_code == 200

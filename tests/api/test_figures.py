import pytest

from support.builders import sweep_reports
from support.recorded import record, record_grid, record_project


@pytest.fixture(autouse=True)
def _measured(sessions):
    record_project(sessions)


def figure(client, name, **query):
    return client.get(
        f"/api/v1/figures/{name}",
        params={"project": "openmpi", "region": "MPI_Bcast"} | query,
    )


def test_scaling_shows_one_machine_with_its_expectation(client):
    drawn = figure(client, "scaling", machine="node-tcp").json()

    assert [trace["meta"] for trace in drawn["data"]] == [
        "band",
        "machine-1",
        "machine-1",
        "machine-1",
        "expectation",
        "machine-1",
    ]
    assert drawn["layout"]["xaxis"]["type"] == "log"
    assert drawn["layout"]["yaxis"]["title"]["text"] == "time"


def test_machines_shows_all_of_them(client):
    drawn = figure(client, "machines").json()

    assert {trace["name"] for trace in drawn["data"]} >= {"node-shm", "node-tcp"}


def test_scans_of_one_machine_have_names_and_symbols_of_their_own(client, sessions):
    for size in (256, 4096):
        record(sessions, sweep_reports(configuration={"message_bytes": size}))

    drawn = figure(client, "machines", project="mpich").json()["data"]

    symbols = {
        trace["name"]: trace["marker"]["symbol"]
        for trace in drawn
        if trace["mode"] == "markers"
    }
    assert list(symbols) == [
        "jureca · message_bytes = 256",
        "jureca · message_bytes = 4096",
    ]
    assert len(set(symbols.values())) == 2


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("pie", {}),
        ("scaling", {"region": "MPI_Scan"}),
        ("scaling", {"machine": "node-ib"}),
        ("scaling", {"project": "nonesuch"}),
    ],
)
def test_figure_of_nothing_is_not_found(client, name, query):
    response = figure(client, name, **query)

    assert response.status_code == 404
    assert response.headers["content-type"] == "application/problem+json"


def test_figure_needs_to_know_of_what(client):
    assert client.get("/api/v1/figures/scaling").status_code == 422


def test_a_grid_is_drawn_at_the_largest_size_that_was_measured_most(client, sessions):
    record_grid(sessions, processes=(2, 4, 8, 16, 32))

    drawn = figure(client, "scaling", project="hydro", region="solve").json()["data"]

    (points,) = (each for each in drawn if each["name"].startswith("median"))
    assert points["x"] == [2, 4, 8, 16, 32]
    assert max(points["y"]) == pytest.approx(1e-3 * 8000 / 2, rel=0.05)

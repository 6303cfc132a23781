import pytest

from scalewatch.api.http.described import schema_of
from scalewatch.services.scaling_errors.region import RegionScaling
from support import sentences
from support.recorded import record_configurations, record_grid, record_project

OPENMPI = "/api/v1/projects/openmpi/scaling-error"
FIGURE = "/api/v1/figures/scaling-error-"


@pytest.fixture(autouse=True)
def _measured(sessions):
    record_project(sessions)


def read(client, url, **query):
    """Return an answer, after comparing it with what the API documents."""
    response = client.get(url, params=query)
    assert response.status_code == 200
    schema_of(RegionScaling).model_validate_json(response.content)
    return response.json()


def test_all_pairs_are_answered_by_machine(client):
    shown = read(client, OPENMPI, region="MPI_Bcast")

    errors = shown["chosen"]["errors"]
    assert errors["scales"] == [2, 4, 8, 16, 32]
    assert [errors["errors"][i][i] for i in range(5)] == [0] * 5
    assert [each["machine"] for each in shown["scalings"]] == ["node-shm", "node-tcp"]


def test_unknown_errors_are_null(client, sessions):
    record_grid(sessions, sizes=(1000, 2000))

    shown = read(client, "/api/v1/projects/hydro/scaling-error", kind="weak")

    assert shown["chosen"]["errors"]["errors"][0][3] is None


def test_what_cannot_be_told_has_a_reason(client, sessions):
    record_configurations(sessions)
    hybrid = "/api/v1/projects/hybrid/scaling-error"

    shown = read(client, hybrid, kind="weak")

    assert shown["chosen"]["errors"] is None
    assert sentences.NAME_THE_SIZE in shown["chosen"]["reason"]


@pytest.mark.parametrize(
    ("query", "status", "detail"),
    [
        ({"kind": "sideways"}, 422, "scaling 'sideways' is unknown"),
        ({"size": "none"}, 422, "a problem size of 'none' is not a positive number"),
        ({"to": "-1"}, 422, "a scale of '-1' is not a positive number"),
        ({"region": "MPI_Scan"}, 404, "no region 'MPI_Scan'"),
        ({"vs": "moon=1"}, 404, "no comparison 'moon=1'"),
    ],
    ids=str,
)
def test_a_question_without_sense_is_a_problem(client, query, status, detail):
    response = client.get(OPENMPI, params=query)

    assert response.status_code == status
    assert detail in response.json()["detail"]


@pytest.mark.parametrize(
    ("name", "query", "kinds"),
    [
        ("contours", {}, ["contour", "scatter", "scatter", "scatter"]),
        ("rows", {}, ["scatter", "scatter"]),
        ("difference", {"vs": "machine=node-tcp"}, ["contour", "scatter"]),
        ("contours", {"base": "3"}, []),
    ],
    ids=str,
)
def test_figures_are_drawn(client, name, query, kinds):
    drawn = client.get(
        f"{FIGURE}{name}", params={"project": "openmpi", "region": "MPI_Bcast"} | query
    )

    assert [trace["type"] for trace in drawn.json()["data"]] == kinds


@pytest.mark.parametrize("name", ["pie", "difference"])
def test_what_cannot_be_drawn_is_a_problem(client, name):
    response = client.get(f"{FIGURE}{name}", params={"project": "openmpi"})

    assert response.status_code == 404

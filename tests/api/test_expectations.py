import pytest

from support.builders import run, sweep

URL = "/api/v1/projects/mpich/expectations"


@pytest.fixture
def project(client):
    client.post("/api/v1/runs", json=run())
    return client


def declare(client, *expectations, **fields):
    body = {"author": "ada", "expectations": list(expectations)} | fields
    return client.put(URL, json=body)


def bcast(growth, **fields):
    return {"region": "MPI_Bcast", "growth": growth} | fields


def test_published_expectations_are_listed(project):
    (expectation,) = project.get(URL).json()["expectations"]

    assert (expectation["region"], expectation["growth"]) == ("MPI_Bcast", "log p")
    assert (expectation["author"], expectation["version"]) == ("scalewatch", 1)


def test_declared_expectation_is_a_new_version(project):
    response = declare(project, bcast("O(√p)"), reason="one tree per node")

    assert response.status_code == 200
    (expectation,) = response.json()["expectations"]
    assert (expectation["growth"], expectation["version"]) == ("p^(1/2)", 2)
    assert expectation["reason"] == "one tree per node"
    assert project.get(response.json()["job"]).json()["kind"] == "rejudge"


def test_unchanged_expectation_causes_no_job(project):
    response = declare(project, bcast("O(log p)", deviation_limit="O(√p)"))

    assert response.json()["job"] is None


def test_null_withdraws_an_expectation(project):
    assert declare(project, bcast(None)).json()["expectations"] == []


def test_changed_expectation_changes_the_verdict(client, work_off):
    client.post("/api/v1/runs", json=sweep())
    work_off()

    declare(client, bcast("O(p^2)"))
    work_off()

    query = {"region": "MPI_Bcast"}
    url = "/api/v1/projects/mpich/models"
    (model,) = client.get(url, params=query).json()["models"]
    assert model["standing"]["verdict"] == "mismatch"
    assert model["expectation"]["version"] == 2


def test_bad_expression_is_refused_with_its_position(project):
    response = declare(project, bcast("O(p)"), bcast("p log", metric="memory"))

    assert response.status_code == 422
    problem = response.json()
    assert problem["position"] == 5
    assert problem["errors"][0]["field"] == "expectations.1.growth"
    assert project.get(URL).json()["expectations"][0]["growth"] == "log p"


@pytest.mark.parametrize(
    ("expectation", "field"),
    [
        (bcast("p", deviation_limit="q)"), "expectations.0.deviation_limit"),
        ({"region": "MPI_Bcast"}, "expectations.0.growth"),
        ({"growth": "p"}, "expectations.0.region"),
        (bcast("p", colour="red"), "expectations.0.colour"),
        (bcast(7), "expectations.0.growth"),
    ],
)
def test_wrong_field_of_a_declaration_is_named(project, expectation, field):
    response = declare(project, expectation)

    assert response.status_code == 422
    assert [error["field"] for error in response.json()["errors"]] == [field]


def test_limit_that_falls_is_refused(project):
    response = declare(project, bcast("p", deviation_limit="1 / p"))

    assert response.status_code == 422
    assert response.json()["title"] == "Falling limit"


def test_unknown_project_is_not_found(client):
    assert declare(client, bcast("p")).status_code == 404

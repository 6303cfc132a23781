"""A project says over which scale it is read, where several vary together."""

from uuid import NAMESPACE_OID, uuid5

import pytest

from support.builders import result, run_report
from support.recorded import record

BASE = "/api/v1/projects/neko"
SIZES = (48, 96, 192, 384, 768)


@pytest.fixture
def _measured(sessions):
    reports = [
        run_report(
            id=str(uuid5(NAMESPACE_OID, f"{p}")),
            project="neko",
            coordinate={"p": p, "nodes": p // 48},
            configuration={},
            results=[result(region="step", values=[4e3 / p, 4.01e3 / p])],
        )
        for p in SIZES
    ]
    record(sessions, reports)


def declare(client, **rules):
    said = {"author": "ada", "rules": rules}
    return client.put(f"{BASE}/gate/rules", json=said)


def scales_of(client, **query):
    answers = [
        client.get(f"{BASE}/{noun}", params={"region": "step"} | query).json()
        for noun in ("efficiency", "scaling-error")
    ]
    return answers[0]["scaling"]["scale"], answers[1]["chosen"]["scale"]


@pytest.mark.usefixtures("_measured")
def test_the_scale_of_a_project_is_the_axis_unless_an_address_names_one(client):
    before = scales_of(client)

    answer = declare(client, scale="nodes")

    assert before == ("p", "p")
    assert answer.json()["scale"] == "nodes"
    assert scales_of(client) == ("nodes", "nodes")
    assert scales_of(client, scale="p") == ("p", "p")


@pytest.fixture
def _expected(client):
    expected = [{"region": "step", "metric": "time", "growth": "1/p"}]
    said = {"author": "ada", "expectations": expected}
    assert client.put(f"{BASE}/expectations", json=said).status_code == 200


PAGES = (
    *("", "/r/step", "/scaling", "/scaling/serial", "/scaling/contours", "/cost"),
    *("/configurations", "/history?region=step", "/guidelines", "/compare"),
)


def models_of(client):
    """Return the model, expectation, level and verdict of the only region."""
    (known,) = client.get(f"{BASE}/models").json()["models"]
    standing = known["standing"]
    return (
        known["parameter"],
        standing["growth"],
        known["expectation"]["growth"],
        standing["deviation_limit"],
        list(known["level"]["at"]),
        standing["verdict"],
    )


@pytest.mark.usefixtures("_measured", "_expected")
def test_models_and_verdicts_are_over_the_scale_of_the_project(client, work_off):
    work_off()
    by_p = models_of(client)

    declare(client, scale="nodes")
    # Until the worker has modelled anew, models are those by p.
    shown = [client.get(f"/p/neko{page}").status_code for page in PAGES]
    work_off()

    assert by_p == ("p", "1 / p", "1 / p", "p^(1/2)", ["p"], "match")
    by_nodes = models_of(client)
    assert by_nodes == (
        *("nodes", "1 / nodes", "1 / nodes", "nodes^(1/2)", ["nodes"], "match"),
    )
    assert {*shown} == {200}
    cost = client.get(f"{BASE}/cost?machine=jureca").json()
    assert "nodes" in repr(cost)
    assert "'p'" not in repr(cost)


@pytest.mark.usefixtures("_measured")
def test_a_project_has_no_other_scale(client):
    assert declare(client, scale="cores").status_code == 422
    assert client.get(f"{BASE}/gate/rules").json()["scale"] is None


@pytest.mark.usefixtures("_measured")
def test_the_same_rules_again_have_the_same_version(client):
    first, second = (declare(client, scale="nodes").json() for _ in range(2))

    assert first["version"] == second["version"]

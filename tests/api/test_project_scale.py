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


@pytest.mark.usefixtures("_measured")
def test_a_project_has_no_other_scale(client):
    assert declare(client, scale="cores").status_code == 422
    assert client.get(f"{BASE}/gate/rules").json()["scale"] is None


@pytest.mark.usefixtures("_measured")
def test_the_same_rules_again_have_the_same_version(client):
    first, second = (declare(client, scale="nodes").json() for _ in range(2))

    assert first["version"] == second["version"]

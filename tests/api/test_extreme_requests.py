"""Whatever fits no column is refused by what is documented, and never a failure."""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from itertools import product
from typing import Any
from urllib.parse import quote, urlencode
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from scalewatch import api, pages
from support import sentences
from support.builders import run, sweep

PARAMETER = re.compile(r"{\w+(:\w+)?}")
PAGES_OF_FORMS = {
    f"/p/{{project}}/settings/{part}" for part in ("expectations", "tokens", "webhooks")
}
"""Pages whose forms are sent to their own address."""

PROJECT = "/api/v1/projects/mpich"
NUMBERS = (2**31, 2**63, 2**70, -1)
NUL = "a\0b"
NO_CHARACTER = "\ud800"
REFUSED = frozenset({400, 404, 422})

MOMENT = "2026-01-01T00:00:00Z"
FULL_RUN = run(
    commit={
        "sha": "v5",
        "parents": ["v4"],
        "branch": "main",
        "committed_at": MOMENT,
        "message": "m",
        "tag": "t",
    },
    machine={
        "name": "jureca",
        "fingerprint": {"cpu": "x", "cores": 3},
        "provenance": "simulated",
    },
    configuration={"flags": "-O3", "size": 4},
    job={
        "scheduler": "slurm",
        "id": "3",
        "nodes": 3,
        "started_at": MOMENT,
        "ended_at": MOMENT,
        "environment": {"modules": "gcc", "tasks": 3},
    },
    results=[
        {
            "region": "a",
            "metric": "quality",
            "unit": "zork",
            "values": [1, 2.0],
            "reason": "r",
            "procedure": {
                "repetitions_asked": 3,
                "warm_ups": 2,
                "late": 0,
                "valid_share": 0.5,
                "clock_error": 1e-6,
            },
        }
    ],
    profile={"total_seconds": 5, "functions": [{"region": "a", "seconds": 1.0}]},
)
SAID = {"author": "ada", "reason": "r"}
BODIES = {
    "/api/v1/runs": FULL_RUN,
    "/api/v1/import/{file_format}": {"solve/p=8": {"latency": {"value": 1500}}},
    "/api/v1/reframe": {
        "check_name": "halo_test",
        "check_system": "toy",
        "check_num_tasks": 4,
        "check_perf_step_value": 1.5,
        "check_perf_step_unit": "s",
        "check_result": "pass",
    },
    "/api/v1/confirmations/claim": {"machine": "jureca", "agent": "a"},
    "/api/v1/confirmations/{confirmation}": {
        "agent": "a",
        "state": "done",
        "outcome": "x",
    },
    "/api/v1/projects/{project}/aliases": SAID | {"aliases": {"b": "MPI_Bcast"}},
    "/api/v1/projects/{project}/confirmations": {"commit": "v5", "baseline": "v4"},
    "/api/v1/projects/{project}/expectations": SAID
    | {"expectations": [{"region": "a", "growth": "p", "deviation_limit": "p"}]},
    "/api/v1/projects/{project}/expectations/status-quo": SAID
    | {"regions": ["MPI_Bcast"], "metric": "time", "commit": "v5.0.2"},
    "/api/v1/projects/{project}/gate/rules": SAID
    | {"rules": {"regions": {"a": {"constant": 1}}}, "target": {"p": 64}},
    "/api/v1/projects/{project}/guidelines": SAID | {"guidelines": ["a <= b"]},
    "/api/v1/projects/{project}/owners": {
        "owners": [{"pattern": "MPI_*", "owner": "ada"}]
    },
    "/api/v1/projects/{project}/regressions/{regression}": {
        "author": "ada",
        "state": "open",
        "owner": "o",
        "note": "n",
        "link": "https://example.org",
    },
    "/api/v1/projects/{project}/webhooks": {
        "author": "ada",
        "url": "https://example.org",
    },
}
"""A body of each operation that takes one, by its path."""

PLACES = {
    "project": "mpich",
    "confirmation": 1,
    "regression": 1,
    "file_format": "auto",
}


@pytest.fixture
def client(app, work_off, portal):
    """A client that is told of failures; the server has measurements and models."""
    client = TestClient(app, raise_server_exceptions=False)
    client.portal = portal
    client.post("/api/v1/runs", json=sweep())
    work_off()
    return client


def operations(client) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield method, path and description of all operations."""
    for path, methods in client.get("/api/v1/openapi.json").json()["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def kinds(schema) -> set[str]:
    """Return which types a parameter may have."""
    if "anyOf" in schema:
        return set().union(*map(kinds, schema["anyOf"]))
    return kinds(schema["items"]) if "items" in schema else {schema.get("type", "")}


def extremes(schema) -> tuple[Any, ...]:
    return (NUL, *(NUMBERS if kinds(schema) & {"integer", "number"} else ()))


def address(path, parameters, changed, extreme) -> str:
    """Return the address of an operation with one parameter changed."""
    known = {
        "project": "mpich",
        "region": "MPI_Bcast",
        "figure": "scaling",
        "file_format": "auto",
    }
    query = {}
    for each in parameters:
        name = each["name"]
        stated = extreme if name == changed else known.get(name, 1)
        if each["in"] == "path":
            path = path.replace(f"{{{name}}}", quote(str(stated), safe=""))
        elif each.get("required") or name == changed:
            query[name] = stated
    return f"{path}?{urlencode(query)}" if query else path


def complaint(answer, operation, about) -> list[str]:
    """Return what is wrong with an answer, if anything."""
    documented = str(answer.status_code) in operation["responses"]
    if answer.status_code < 500 and documented:
        return []
    return [f"{answer.status_code} {about}"]


def test_extreme_parameters_are_answered_as_documented(client):
    complaints = []
    for method, path, operation in operations(client):
        sent = {"json": BODIES[path]} if "requestBody" in operation else {}
        parameters = [
            each
            for each in operation.get("parameters", [])
            if each["in"] in {"path", "query"}
        ]
        for each in parameters:
            for extreme in extremes(each["schema"]):
                url = address(path, parameters, each["name"], extreme)
                answer = client.request(method, url, **sent)
                complaints += complaint(answer, operation, f"{method} {url}")

    assert complaints == []


@pytest.mark.parametrize("number", [0, -1, 2**31, 2**63, 2**70])
def test_what_has_no_such_number_is_not_found(client, number):
    author = {"author": "ada"}

    answers = [
        client.get(f"/api/v1/jobs/{number}"),
        client.get(f"{PROJECT}/regressions/{number}"),
        client.patch(f"{PROJECT}/regressions/{number}", json=author),
        client.delete(f"{PROJECT}/webhooks/{number}"),
        client.get(f"/p/mpich/regressions/{number}"),
    ]

    assert [answer.status_code for answer in answers] == [404] * len(answers)


def test_page_at_an_address_with_a_nul_is_not_found(client):
    assert client.get("/p/mp%00ich").status_code == 404
    assert client.get("/p/mpich?commit=v%00").status_code == 422


def leaves(content, here=()):
    """Yield the paths of all keys and values of a JSON value, keys marked."""
    if isinstance(content, dict):
        for key, part in content.items():
            yield (*here, key), True
            yield from leaves(part, (*here, key))
    elif isinstance(content, list):
        for place, part in enumerate(content):
            yield from leaves(part, (*here, place))
    else:
        yield here, False


def changed(content, path, extreme, *, is_key):
    """Return a copy of a JSON value with a key or a value replaced."""
    copied = deepcopy(content)
    *parents, last = path
    inner = copied
    for parent in parents:
        inner = inner[parent]
    if is_key:
        inner[extreme] = inner.pop(last)
    else:
        inner[last] = extreme
    return copied


def at(content, path):
    for step in path:
        content = content[step]
    return content


def unfit(body) -> Iterator[Any]:
    """Yield a body with each of its texts and whole numbers beyond what is stored."""
    for path, is_key in leaves(body):
        part = "" if is_key else at(body, path)
        if isinstance(part, str):
            yield from (
                changed(body, path, text, is_key=is_key) for text in (NUL, NO_CHARACTER)
            )
        elif isinstance(part, int):
            yield changed(body, path, -1, is_key=False)
            yield changed(body, path, 2**70, is_key=False)


def test_bodies_with_what_is_not_stored_are_refused_as_documented(client):
    complaints = []
    for method, path, operation in operations(client):
        if "requestBody" not in operation:
            continue
        url = path.format(**PLACES)
        for body in unfit(BODIES[path]):
            if body.get("id") == FULL_RUN["id"]:
                body["id"] = str(uuid4())  # another run, which is no conflict
            text = json.dumps(body)
            answer = client.request(
                method, url, content=text, headers={"Content-Type": "application/json"}
            )
            complaints += complaint(answer, operation, text)
            is_text = r"\u0000" in text or r"\ud800" in text
            # What a run tells of its commit besides is left out alone, and named.
            is_left_out = answer.status_code == 202 and answer.json().get("notes")
            if is_text and not is_left_out and answer.status_code not in REFUSED:
                complaints.append(f"{answer.status_code} {text}")

    assert complaints == []


@pytest.mark.parametrize(
    ("field", "number"),
    [("nodes", 2**63), ("warm_ups", 2**63), ("late", 2**70), ("late", -1)],
)
def test_count_beyond_what_is_stored_is_refused_by_its_field(client, field, number):
    posted = deepcopy(FULL_RUN)
    procedure = posted["results"][0]["procedure"]
    (posted["job"] if field == "nodes" else procedure)[field] = number

    answer = client.post("/api/v1/runs", json=posted)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"].endswith(field)


def test_unit_with_a_nul_is_refused_by_its_field(client):
    posted = deepcopy(FULL_RUN)
    posted["results"][0]["unit"] = NUL

    answer = client.post("/api/v1/runs", json=posted)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "results.0.unit"


@pytest.mark.parametrize("growth", ["p^1e400", "log^999999999 p", "2^(1e400 p)"])
def test_growth_beyond_any_code_is_refused(client, growth):
    declared = {
        "author": "ada",
        "expectations": [{"region": "a", "growth": growth}],
    }

    answer = client.put(f"{PROJECT}/expectations", json=declared)

    assert answer.status_code == 422
    assert sentences.EXPONENT_LIMIT in answer.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [b'{"author": "\xff"}', b"[" * 100_000, b"{", b"9" * 5000],
    ids=["no UTF-8", "too deep", "incomplete", "too long a number"],
)
def test_body_that_is_no_json_is_refused_as_documented(client, body):
    complaints = []
    for method, path, operation in operations(client):
        if "requestBody" in operation:
            url = path.format(**PLACES)
            headers = {"Content-Type": "application/json"}
            answer = client.request(method, url, content=body, headers=headers)
            complaints += complaint(answer, operation, f"{method} {url}")
            if not answer.json()["type"].startswith("urn:scalewatch:problem:"):
                complaints.append(answer.text)

    assert complaints == []


def test_no_address_falls_to_a_route_of_names_by_another_method():
    routes = [*api.routes, *pages.routes]

    fallen = [
        (narrow.path, wide.path)
        for narrow, wide in product(routes, routes)
        if wide.path_regex.match(PARAMETER.sub("x1", narrow.path))
        if not narrow.path_regex.match(PARAMETER.sub("x1", wide.path))
        if not wide.methods <= narrow.methods
        if narrow.path not in PAGES_OF_FORMS
    ]

    assert fallen == []


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", f"{PROJECT}/expectations", "GET, HEAD, PUT"),
        ("POST", f"{PROJECT}/aliases", "GET, HEAD, PUT"),
        ("PUT", f"{PROJECT}/regressions/1", "GET, HEAD, PATCH"),
        ("GET", "/api/v1/runs", "POST"),
        ("PATCH", "/api/v1/confirmations/claim", "POST"),
        ("OPTIONS", "/api/v1/confirmations/claim", "POST"),
        ("GET", "/api/v1/confirmations/1", "PATCH"),
        ("PUT", "/login", "GET, HEAD, POST"),
        ("PUT", "/p/mpich/regressions/1", "GET, HEAD, POST"),
    ],
)
def test_address_tells_all_methods_that_it_allows(client, method, path, allowed):
    answer = client.request(method, path)

    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)

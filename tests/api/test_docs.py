import re

import pytest
from fastapi.routing import APIRoute
from starlette.routing import Route

from scalewatch.api.runs.routes import EXAMPLE
from support.shown_pages import words_of

OPENAPI = "/api/v1/openapi.json"


def test_docs_load_nothing_from_elsewhere(client):
    page = client.get("/docs").text

    loaded = re.findall(r'(?:src|href|data-docs)="([^"]+)"', page)
    assert any("swagger-ui-bundle.js" in url for url in loaded)
    for url in loaded:
        assert url.startswith(("/", "#"))
        if url.startswith("/"):
            assert client.get(url).status_code == 200


def test_example_of_the_docs_is_accepted(client):
    assert client.post("/api/v1/runs", json=EXAMPLE).status_code == 202


def test_every_route_is_documented_with_summary_and_answers(client):
    for path, methods in client.get(OPENAPI).json()["paths"].items():
        for method, operation in methods.items():
            assert operation["description"], (method, path)
            assert any(status.startswith("2") for status in operation["responses"])


def test_posting_documents_bodies_and_problems(client):
    posting = client.get(OPENAPI).json()["paths"]["/api/v1/runs"]["post"]

    assert posting["requestBody"]["content"].keys() == {
        "application/json",
        "application/jsonl",
        "application/x-ndjson",
    }
    assert posting["responses"].keys() == {
        *("200", "202"),
        *("400", "401", "403", "409", "413", "415", "422", "429", "503"),
    }


@pytest.mark.parametrize("reference", ["#/$defs/", "HTTPValidationError"])
def test_description_stands_on_its_own(client, reference):
    assert reference not in client.get(OPENAPI).text


def test_operations_are_titled_by_what_they_do(client):
    titles = {
        path: operation["summary"]
        for path, methods in client.get(OPENAPI).json()["paths"].items()
        for operation in methods.values()
    }

    assert titles["/api/v1/projects/{project}/gate"] == (
        "Return whether a commit may pass"
    )
    assert [
        title for title in titles.values() if not re.match("[A-Z][a-z]+ ", title)
    ] == []
    assert [title for title in titles.values() if "-Figure" in title] == []


def test_docs_begin_with_a_request_that_works(client):
    page = words_of(client.get("/docs").text)

    address = re.search(r"curl (http://testserver(/api/v1/[^<\s]+))", page)
    assert address
    assert client.get(address[2]).status_code == 200


def test_problems_are_documented_as_they_are_answered(client):
    description = client.get(OPENAPI).json()
    answers = [
        answer["content"].keys()
        for methods in description["paths"].values()
        for operation in methods.values()
        for status, answer in operation["responses"].items()
        if status[0] in "45"
    ]

    assert answers
    assert all(kinds == {"application/problem+json"} for kinds in answers)
    assert {"Problem", "FieldError"} <= description["components"]["schemas"].keys()


def test_framework_prepares_each_route_once(app):
    assert {Route, APIRoute} == {type(route) for route in app.routes}

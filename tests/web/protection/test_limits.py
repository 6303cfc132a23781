"""How much a client may ask for, and for how long."""

import asyncio
import csv
import gzip
import io

import pytest
from anyio.from_thread import start_blocking_portal
from fastapi.responses import PlainTextResponse
from fastapi.testclient import TestClient

from scalewatch.app import create_app
from scalewatch.exporters.listing import Listing, csv_text
from scalewatch.web.protection.headers import Protection
from scalewatch.web.protection.limits import TimeLimit
from scalewatch.wire import MOST_RESULTS
from support.builders import result, run

MINUTE = 60


@pytest.fixture
def dialect():
    return "sqlite"  # nothing here asks the database


def test_answer_that_takes_too_long_is_given_up():
    async def slow(_scope, _receive, _send):
        await asyncio.sleep(MINUTE)

    app = TimeLimit(slow, 0.05, lambda _request, error: _text(str(error)))
    answer = TestClient(app).get("/")

    assert "0.05 s" in answer.text


def test_body_that_does_not_arrive_is_given_up_by_a_problem(engine):
    protection = Protection(request_seconds=0.2)
    app = create_app(engine, embedded_worker=False, protection=protection)
    sent = []

    async def receive():
        await asyncio.sleep(MINUTE)

    async def send(message):
        sent.append(message)

    # A thread has a loop of its own, whatever runs in the one of the tests.
    with start_blocking_portal() as portal:
        portal.call(app, _posting(), receive, send)

    assert sent[0]["status"] == 503
    assert b"took-too-long" in sent[1]["body"]


def test_stream_that_has_begun_may_go_on():
    async def streaming(_scope, _receive, send):
        start = {"type": "http.response.start", "status": 200, "headers": []}
        await send(start)
        for part in (b"a", b"b"):
            await asyncio.sleep(0.1)
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body"})

    app = TimeLimit(streaming, 0.05, lambda _request, error: _text(str(error)))

    assert TestClient(app).get("/").text == "ab"


def test_run_with_too_many_results_is_refused_by_its_field(client):
    many = [
        result(region=f"f{number}", values=[1]) for number in range(MOST_RESULTS + 1)
    ]

    answer = client.post("/api/v1/runs", json=run(results=many))

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"].startswith("results")


def test_body_beyond_the_limit_is_refused_at_every_route(client):
    client.post("/api/v1/runs", json=run())

    def announced():
        return b"x" * (33 * 2**20)

    def unannounced():
        yield from (b"x" * 2**20 for _ in range(33))

    for body in (announced(), unannounced()):
        answer = client.put("/api/v1/projects/mpich/expectations", content=body)
        assert answer.status_code == 413
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "name", ["=1+1", "+x", "-x", "@SUM(A1)", "\tx", "=HYPERLINK(1)"]
)
def test_names_in_csv_are_no_formulas(name):
    text = csv_text(Listing(("region", "time"), [(name, -1.5)]))

    _, (cell, number) = csv.reader(io.StringIO(text))
    assert cell == f"'{name}"
    assert number == "-1.5"


MARKUP = '<script>alert("x")</script>'
SQL = "'; DROP TABLE run; --"


@pytest.mark.parametrize("name", [MARKUP.replace("/", ""), SQL])
def test_names_from_outside_are_text_everywhere(client, work_off, name):
    posted = run(
        project=name,
        commit={"sha": "abc", "message": MARKUP},
        machine={"name": name, "fingerprint": {"cpu": MARKUP}},
        results=[result(region=name)],
    )

    assert client.post("/api/v1/runs", json=posted).status_code == 202
    work_off()

    for path in ("/", f"/api/v1/runs/{posted['id']}", "/status"):
        page = client.get(path)
        assert page.status_code == 200
        if "html" in page.headers["content-type"]:
            assert "<script>alert" not in page.text
    assert client.get("/api/v1/status").json()["runs"] == 1


def test_bomb_of_many_members_is_stopped_while_decoding(client):
    member = gzip.compress(b" " * 2**20)

    answer = client.post(
        "/api/v1/runs",
        content=member * 1000,  # a megabyte that would become a gigabyte
        headers={"Content-Encoding": "gzip", "Content-Type": "application/json"},
    )

    assert answer.status_code == 413


def _text(content):
    return PlainTextResponse(content, status_code=503)


def _posting():
    return {
        "type": "http",
        "method": "POST",
        "path": "/api/v1/runs",
        "raw_path": b"/api/v1/runs",
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
        "headers": [(b"host", b"testserver"), (b"content-type", b"application/json")],
        "client": ("127.0.0.1", 1),
        "server": ("testserver", 80),
    }


def test_body_without_runs_is_refused_earlier(client):
    client.post("/api/v1/runs", json=run())

    answer = client.put(
        "/api/v1/projects/mpich/expectations", content=b"x" * (5 * 2**20)
    )

    assert answer.status_code == 413
    assert "4 MiB" in answer.json()["detail"]

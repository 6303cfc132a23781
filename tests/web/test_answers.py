"""What every answer carries, and what the server tells of itself."""

import gzip
import json
import logging

import pytest
import zstandard
from fastapi.testclient import TestClient

from scalewatch.web.answers import chosen
from scalewatch.web.logs import JSONLines, Text, WithRequestID, log_config
from support.builders import run, sweep

PROJECTS = "/api/v1/projects"


@pytest.fixture
def dialect():
    return "sqlite"


def test_known_content_is_not_sent_again(client):
    client.post("/api/v1/runs", json=run())
    first = client.get(PROJECTS)
    known = {"If-None-Match": first.headers["etag"]}

    again = client.get(PROJECTS, headers=known)
    client.post("/api/v1/runs", json=run(id=f"{2:032x}", commit={"sha": "v6"}))
    changed = client.get(PROJECTS, headers=known)

    assert first.headers["etag"].startswith('W/"')
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert changed.status_code == 200


def test_tag_in_a_list_of_others_is_found(client):
    tag = client.get(PROJECTS).headers["etag"]

    answer = client.get(PROJECTS, headers={"If-None-Match": f'"other", {tag}'})

    assert answer.status_code == 304


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip", "gzip"),
        ("GZIP;q=0.5", "gzip"),
        ("zstd;q=0, gzip", "gzip"),
        ("*", "zstd"),
        ("*;q=0", None),
        ("br", None),
        ("gzip;q=x", None),
        ("", None),
    ],
)
def test_encoding_is_one_that_the_client_takes(accepted, encoding):
    assert chosen(accepted) == encoding


@pytest.mark.parametrize(
    ("encoding", "decompress"),
    [
        ("gzip", gzip.decompress),
        (
            "zstd",
            lambda body: zstandard.ZstdDecompressor().decompress(body),
        ),
    ],
)
def test_long_answers_are_compressed(client, encoding, decompress):
    headers = {"Accept-Encoding": encoding}
    with client.stream("GET", "/api/v1/openapi.json", headers=headers) as answer:
        packed = b"".join(answer.iter_raw())

    assert answer.headers["content-encoding"] == encoding
    assert answer.headers["content-length"] == str(len(packed))
    assert "accept-encoding" in answer.headers["vary"].lower()
    assert json.loads(decompress(packed))["info"]["title"] == "Scalewatch"


def test_request_is_known_by_the_id_that_its_client_gave_it(client):
    answer = client.get("/healthz", headers={"X-Request-ID": "agent-7.1"})

    assert answer.headers["x-request-id"] == "agent-7.1"


@pytest.mark.parametrize("forged", ["", "a b", "x" * 65, 'a"}', "a\u00e4"])
def test_id_that_could_forge_lines_of_the_log_is_replaced(client, forged):
    answer = client.get("/healthz", headers={"X-Request-ID": forged.encode()})

    assert len(answer.headers["x-request-id"]) == 32


def test_requests_are_logged_as_json_with_their_id(client, caplog):
    caplog.handler.addFilter(WithRequestID())
    caplog.set_level(logging.INFO, "scalewatch.requests")

    client.get("/healthz?x=1", headers={"X-Request-ID": "abc"})

    (record,) = [r for r in caplog.records if r.name == "scalewatch.requests"]
    record.request_id = "abc"
    line = json.loads(JSONLines().format(record))
    assert (line["method"], line["path"], line["status"]) == ("GET", "/healthz", 200)
    assert line["request_id"] == "abc"
    assert line["milliseconds"] > 0


def test_newline_in_a_message_forges_no_line():
    record = logging.LogRecord("x", 20, "", 0, "a\nERROR: b", (), None)

    assert "\n" not in JSONLines().format(record)
    assert Text().format(record).startswith("INFO: a")


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_log_can_be_configured(log_format):
    config = log_config(log_format)

    assert config["handlers"]["default"]["filters"] == ["request"]
    level = config["loggers"]["scalewatch.requests"]["level"]
    assert level == ("INFO" if log_format == "json" else "WARNING")


def test_failure_tells_the_id_to_look_for_in_the_log(app):
    @app.get("/api/v1/broken")
    def fail():
        raise ZeroDivisionError("secret")

    client = TestClient(app, raise_server_exceptions=False)

    answer = client.get("/api/v1/broken", headers={"X-Request-ID": "abc"})

    assert answer.status_code == 500
    assert answer.json()["request"] == "abc"
    assert "secret" not in answer.text


# Status, metrics and probes


def test_status_tells_what_is_there_and_how_it_grows(client):
    client.post("/api/v1/runs", json=sweep())

    found = client.get("/api/v1/status").json()

    assert (found["projects"], found["runs"], found["jobs"]["open"]) == (1, 6, 1)
    assert found["ingest"] == {
        "runs_last_minute": 6,
        "measurements_last_minute": 12,
        "runs_last_hour": 6,
    }
    assert found["database_bytes"] > 4096
    (agent,) = found["agents"]
    assert (agent["machine"], agent["runs"]) == ("jureca", 6)


def test_metrics_count_requests_by_route_not_by_address(client):
    client.post("/api/v1/runs", json=sweep())
    client.get("/p/mpich")
    client.get("/p/nonesuch")

    text = client.get("/metrics").text

    assert "scalewatch_runs 6.0" in text
    assert "scalewatch_jobs_open 1.0" in text
    assert 'route="/p/{project}",status="404"} 1.0' in text
    assert "nonesuch" not in text

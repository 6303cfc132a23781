import gzip
import json
import subprocess
import zlib
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest
import zstandard
from anyio.from_thread import start_blocking_portal
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import event, func, select

from scalewatch.api.runs.bodies import LIMIT
from scalewatch.storage import tables
from scalewatch.storage.tables import Table
from support.builders import result, run, sweep

JSON = {"Content-Type": "application/json"}
LINES = {"Content-Type": "application/x-ndjson"}
MEGABYTE = b" " * 2**20


def rows(session):
    """Return how many rows there are in all tables."""
    return sum(
        session.scalar(select(func.count()).select_from(table))
        for table in Table.metadata.sorted_tables
    )


def text(*runs):
    return b"\n".join(json.dumps(one).encode() for one in runs)


def post(client, body, headers=None):
    return client.post("/api/v1/runs", content=body, headers=JSON | (headers or {}))


def encoded(encoding):
    return {"Content-Encoding": encoding}


def assert_refused(response, status, session):
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert problem["status"] == status
    assert problem["instance"] == "/api/v1/runs"
    assert rows(session) == 0
    return problem


@pytest.mark.parametrize("name", ["feature/x", "fix/#3?", "a b", "v1/ü+&=%2F"])
def test_branch_and_tag_may_be_any_that_git_allows(client, name):
    posted = run()
    posted["commit"] |= {"branch": name, "tag": f"release/{name}"}

    assert client.post("/api/v1/runs", json=posted).status_code == 202

    listed = client.get("/api/v1/projects/mpich/commits", params={"limit": 1}).json()
    (commit,) = listed["commits"]
    assert (commit["branch"], commit["tag"]) == (name, f"release/{name}")
    query = {"commit": commit["tag"]}
    for address in ("/api/v1/projects/mpich/report", "/p/mpich"):
        assert client.get(address, params=query).status_code == 200


def _is_a_branch(name):
    """Ask git itself, since its rules are many."""
    reference = f"refs/heads/{name}"
    command = ["git", "check-ref-format", reference]
    try:
        return subprocess.run(command, check=False).returncode == 0
    except (OSError, ValueError):
        return False  # no argument of a command


ODD_REFS = st.one_of(
    st.text(min_size=1, max_size=60),
    st.lists(
        st.text(
            st.sampled_from("aZ09-_./+&%=#!$'\"();,<>{}|`@ü漢\u00a0\u200b\U0001f680"),
            min_size=1,
            max_size=12,
        ),
        min_size=1,
        max_size=4,
    ).map("/".join),
)


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(ODD_REFS)
@example("\u00a0")
@example("-a/@{b")
def test_any_ref_that_git_allows_is_kept_as_it_is(client, name):
    assume(_is_a_branch(name))
    posted = run(id=str(uuid4()))
    posted["commit"] |= {"branch": name, "tag": f"v/{name}", "sha": uuid4().hex}

    answer = client.post("/api/v1/runs", json=posted)

    assert answer.status_code == 202
    commit = client.get(answer.json()["run"]).json()["commit"]
    assert (commit["branch"], commit["tag"]) == (name, f"v/{name}")
    assert "notes" not in answer.json()
    assert client.get("/p/mpich", params={"branch": name}).status_code == 200


@pytest.mark.parametrize("form", ["one", "array", "lines"])
def test_name_that_cannot_be_taken_loses_itself_alone_and_says_so(client, form):
    sound, other = sweep()[:2]
    bad = {"branch": "two\nlines", "author": "x" * 300, "message": "kept"}
    other["commit"] = {**other["commit"], **bad}
    content = {
        "one": json.dumps(other).encode(),
        "array": json.dumps([sound, other]).encode(),
        "lines": text(sound, other),
    }[form]

    answer = post(client, content, LINES if form == "lines" else JSON)

    assert answer.status_code == 202
    accepted = [answer.json()] if form == "one" else answer.json()
    assert [each.split()[0] for each in accepted[-1]["notes"]] == [
        "commit.branch",
        "commit.author",
    ]
    assert all("notes" not in each for each in accepted[:-1])
    recorded = client.get(accepted[-1]["run"]).json()["commit"]
    assert (recorded["branch"], recorded["message"]) == (None, "kept")
    again = post(client, content, LINES if form == "lines" else JSON)
    assert again.status_code == 200


def test_other_fault_beside_a_bad_name_is_a_refusal(client, session):
    posted = run(coordinate={"p": -1})
    posted["commit"] |= {"branch": "two\nlines"}

    refused = client.post("/api/v1/runs", json=posted)

    assert_refused(refused, 422, session)


def test_run_is_accepted_with_the_urls_of_run_and_job(client):
    response = client.post("/api/v1/runs", json=run())

    assert response.status_code == 202
    accepted = response.json()
    assert accepted["id"] == str(UUID(int=1))
    assert accepted["state"] == "accepted"
    assert client.get(accepted["run"]).json()["uuid"] == accepted["id"]
    assert client.get(accepted["job"]).json()["state"] == "queued"


def test_same_run_again_is_known(client):
    first = client.post("/api/v1/runs", json=run())
    second = client.post("/api/v1/runs", json=dict(reversed(run().items())))

    assert second.status_code == 200
    assert second.json() == first.json() | {"state": "known"}


def test_other_run_under_the_same_id_is_a_conflict(client):
    client.post("/api/v1/runs", json=run())

    response = client.post("/api/v1/runs", json=run(coordinate={"p": 8}))

    assert response.status_code == 409
    assert response.json()["title"] == "Run already recorded"


def test_concurrent_posts_of_the_same_run_store_it_once(client, session):
    with ThreadPoolExecutor(8) as agents:
        responses = agents.map(
            lambda _: client.post("/api/v1/runs", json=run()).status_code, range(8)
        )

    assert sorted(responses) == [200] * 7 + [202]
    assert session.scalar(select(func.count()).select_from(tables.Run)) == 1


def test_array_of_runs_is_accepted(client):
    response = client.post("/api/v1/runs", json=sweep())

    assert response.status_code == 202
    assert [one["id"] for one in response.json()] == [one["id"] for one in sweep()]


def test_json_lines_are_accepted(client):
    body = text(*sweep()) + b"\n\n"

    response = post(client, body, LINES)

    assert response.status_code == 202
    assert len(response.json()) == len(sweep())


@pytest.mark.parametrize("shape", ["one", "array", "lines"])
def test_runs_are_kept_byte_for_byte_as_they_were_posted(client, session, shape):
    kept = [
        json.dumps(one, indent=None if shape == "lines" else 3).encode()
        for one in (sweep()[:1] if shape == "one" else sweep())
    ]
    body = {
        "one": kept[0],
        "array": b" [\n" + b" ,\t".join(kept) + b"\r\n] ",
        "lines": b"\n".join(kept),
    }[shape]

    post(client, body, LINES if shape == "lines" else None)

    payloads = session.scalars(
        select(tables.Payload.body).order_by(tables.Payload.run_id)
    )
    assert [zstandard.decompress(payload) for payload in payloads] == kept


def test_array_with_something_new_is_accepted(client):
    client.post("/api/v1/runs", json=sweep()[:3])

    response = client.post("/api/v1/runs", json=sweep()[2:])

    assert response.status_code == 202
    states = [one["state"] for one in response.json()]
    assert states == ["known", "accepted", "accepted", "accepted"]


@pytest.mark.parametrize(
    ("encoding", "compress"),
    [
        ("gzip", gzip.compress),
        ("GZIP", gzip.compress),
        ("zstd", zstandard.compress),
        ("identity", bytes),
    ],
)
def test_compressed_runs_are_accepted(client, encoding, compress):
    response = post(client, compress(text(run())), encoded(encoding))

    assert response.status_code == 202


@pytest.mark.parametrize(
    ("encoding", "compress"), [("gzip", gzip.compress), ("zstd", zstandard.compress)]
)
def test_compressed_parts_may_follow_each_other(client, encoding, compress):
    first, second = sweep((2, 4))
    body = compress(text(first) + b"\n") + compress(text(second))

    response = post(client, body, encoded(encoding) | LINES)

    assert len(response.json()) == 2


REFUSED = {
    "negative p": (run(coordinate={"p": -1}), "coordinate.p"),
    "zero p": (run(coordinate={"p": 0}), "coordinate.p"),
    "boolean p": (run(coordinate={"p": False}), "coordinate.p"),
    "NaN p": (run(coordinate={"p": float("nan")}), "coordinate.p"),
    "infinite p": (run(coordinate={"p": float("inf")}), "coordinate.p"),
    "no repetition": (run(results=[result(values=[])]), "results.0.values"),
    "NaN": (run(results=[result(values=[float("nan")])]), "results.0.values.0"),
    "unknown field": (run(colour="red"), "colour"),
    "unknown unit": (run(results=[result(unit="J")]), "results.0.unit"),
    "region twice": (run(results=[result(), result()]), "results.1.region"),
    "second of an array": ([*sweep((2,)), run(coordinate={})], "1.coordinate"),
    "empty array": ([], ""),
    "no object": ("run", ""),
}


@pytest.mark.parametrize(("content", "field"), REFUSED.values(), ids=REFUSED.keys())
def test_wrong_field_is_named_and_nothing_is_stored(client, session, content, field):
    response = post(client, json.dumps(content))

    problem = assert_refused(response, 422, session)
    assert [error["field"] for error in problem["errors"]] == [field]
    assert problem["detail"].startswith(field)


def test_wrong_field_of_a_line_is_named(client, session):
    response = post(client, text(*sweep((2,)), run(id="x")), LINES)

    problem = assert_refused(response, 422, session)
    assert problem["errors"][0]["field"] == "1.id"


def test_conflict_within_an_array_stores_nothing_of_it(client, session):
    response = client.post("/api/v1/runs", json=[run(), run(coordinate={"p": 8})])

    assert_refused(response, 409, session)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b'{"schema": 1', b"\xff\xfe", b"[" * 100_000, b'{"a": "\\ud800"}'],
    ids=["nothing", "brace", "half", "no UTF-8", "deep", "lone surrogate"],
)
def test_what_is_no_json_is_unreadable(client, session, body):
    assert_refused(post(client, body), 400, session)


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", b"plain text"),
        ("gzip", gzip.compress(text(run()))[:-9]),
        ("gzip", b""),
        ("zstd", b"plain text"),
        ("zstd", zstandard.compress(text(run()))[:-9]),
        ("zstd", b""),
    ],
)
def test_damaged_body_is_unreadable(client, session, encoding, body):
    assert_refused(post(client, body, encoded(encoding)), 400, session)


@pytest.mark.parametrize(
    ("headers", "answer"),
    [
        ({"Content-Type": "text/csv"}, "accept-post"),
        ({"Content-Type": "application/x-www-form-urlencoded"}, "accept-post"),
        ({"Content-Type": ""}, "accept-post"),
        ({"Content-Encoding": "br"}, "accept-encoding"),
        ({"Content-Encoding": "gzip, gzip"}, "accept-encoding"),
    ],
    ids=str,
)
def test_unknown_type_or_encoding_is_refused_with_the_known_ones(
    client, session, headers, answer
):
    response = post(client, text(run()), headers)

    problem = assert_refused(response, 415, session)
    assert response.headers[answer] in problem["detail"]


def bomb(compressor, flush):
    """Return a GiB of spaces, compressed, without an end.

    After `flush` all begins anew, so that every megabyte but the first is the same.
    """
    first, further = (
        compressor.compress(MEGABYTE) + compressor.flush(flush) for _ in range(2)
    )
    return first + 1023 * further


OVERSIZE = {
    "plain": ("identity", lambda: b" " * (LIMIT + 1)),
    "gzip bomb": (
        "gzip",
        lambda: bomb(zlib.compressobj(9, wbits=31), zlib.Z_FULL_FLUSH),
    ),
    "zstd bomb": (
        "zstd",
        lambda: bomb(
            zstandard.ZstdCompressor().compressobj(),
            zstandard.COMPRESSOBJ_FLUSH_BLOCK,
        ),
    ),
    "one byte": ("gzip", lambda: gzip.compress(b" " * (LIMIT + 1), 1)),
}


@pytest.mark.parametrize(("encoding", "body"), OVERSIZE.values(), ids=OVERSIZE.keys())
def test_body_over_the_limit_is_refused(client, session, encoding, body):
    response = post(client, body(), encoded(encoding))

    problem = assert_refused(response, 413, session)
    assert "32 MiB" in problem["detail"]


def test_body_of_unknown_length_is_refused_once_it_exceeds_the_limit(client, session):
    def stream():
        for _ in range(LIMIT // len(MEGABYTE) + 1):
            yield MEGABYTE

    assert_refused(post(client, stream()), 413, session)


def test_run_whose_commit_fails_is_not_acknowledged(app, session):
    def fail(_session):
        raise OSError

    event.listen(app.state.sessions.writing, "before_commit", fail)
    client = TestClient(app, raise_server_exceptions=False)

    response = client.post("/api/v1/runs", json=run())

    problem = assert_refused(response, 500, session)
    assert "log" in problem["detail"]


def test_connection_that_is_cut_in_the_middle_of_a_run_is_no_failure_of_ours(app):
    arriving = [
        {"type": "http.request", "body": b'{"schema": 1,', "more_body": True},
        {"type": "http.disconnect"},
    ]
    sent = []

    async def receive():
        return arriving.pop(0)

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/v1/runs",
        "raw_path": b"/api/v1/runs",
        "query_string": b"",
        "headers": [(b"host", b"testserver"), (b"content-type", b"application/json")],
        "client": ("testclient", 50000),
        "server": ("testserver", 80),
        "scheme": "http",
        "http_version": "1.1",
        "root_path": "",
    }
    # A browser test before may have left its event loop running in this thread.
    with start_blocking_portal() as portal:
        portal.call(app, scope, receive, send)

    assert sent[0]["status"] == 499
    served = TestClient(app).get("/metrics").text
    assert 'status="500"' not in served

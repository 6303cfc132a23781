"""Webhooks, against a receiver that checks signatures as its author would."""

import hmac
import json
from collections import Counter
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from sqlalchemy import select, update

from scalewatch.services.jobs import MAX_ATTEMPTS
from scalewatch.storage import tables
from scalewatch.storage.tables import now
from support.histories import LINEAR, TREE, record_commit, record_history, sha

AT = 13


class Receiver(ThreadingHTTPServer):
    """Answers with the statuses that it is given, then with 204."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.statuses, self.taken = [], []
        self.url = f"http://127.0.0.1:{self.server_port}/hook"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.taken.append((dict(self.headers), body))
        status = self.server.statuses.pop(0) if self.server.statuses else 204
        self.send_response(status)
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def receiver():
    with receiving() as server:
        yield server


@contextmanager
def receiving():
    server = Receiver()
    Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def hook(client, sessions, receiver):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    address = {"author": "ada", "url": receiver.url}
    return client.post("/api/v1/projects/mpich/webhooks", json=address).json()


def break_it(sessions):
    record_history(
        sessions, lambda n: {"MPI_Bcast": LINEAR if n >= AT else TREE}, AT + 3
    )


def test_what_happens_is_told_with_a_signature(client, sessions, receiver, hook):
    break_it(sessions)

    (headers, body), *_ = receiver.taken
    message = f"{headers['Scalewatch-Timestamp']}.".encode() + body
    expected = hmac.new(hook["secret"].encode(), message, sha256).hexdigest()
    assert headers["Scalewatch-Signature"] == f"v1={expected}"
    event = json.loads(body)
    assert (event["project"], event["event"]) == ("mpich", "found")
    assert event["regression"]["last"]["sha"] == sha(AT)
    (listed,) = client.get("/api/v1/projects/mpich/webhooks").json()["webhooks"]
    assert listed["last_answer"] == "answered 204"
    assert "secret" not in listed


@pytest.mark.parametrize("status", [500, 302], ids=["error", "redirect"])
@pytest.mark.usefixtures("hook")
def test_what_was_not_taken_is_sent_again(sessions, receiver, work_off, status):
    receiver.statuses = [status]
    break_it(sessions)
    with sessions.writing.begin() as session:
        jobs = select(tables.Job).where(tables.Job.kind == "notify")
        for waiting in [j for j in session.scalars(jobs) if j.state == "queued"]:
            assert f"it answered {status}" in waiting.reason
            waiting.due_at = now()

    work_off()

    sent = Counter(headers["Scalewatch-Delivery"] for headers, _ in receiver.taken)
    (again,) = [delivery for delivery, times in sent.items() if times > 1]
    assert sent[again] == 2


def test_a_test_tells_of_nothing_and_its_answer_is_shown(
    client, receiver, hook, work_off
):
    address = f"/api/v1/projects/mpich/webhooks/{hook['webhook']['id']}/test"

    asked = client.post(address)
    work_off()

    ((headers, body),) = receiver.taken
    event = json.loads(body)
    assert asked.status_code == 202
    assert (event["event"], event["regression"]) == ("test", None)
    assert headers["Scalewatch-Signature"].startswith("v1=")
    (listed,) = client.get("/api/v1/projects/mpich/webhooks").json()["webhooks"]
    assert (listed["waiting"], listed["given_up"]) == (0, 0)
    assert listed["last_answer"] == "answered 204"


def test_a_delivery_that_is_never_taken_is_given_up_and_that_is_said(
    client, sessions, receiver, hook, work_off
):
    receiver.statuses = [503] * MAX_ATTEMPTS
    client.post(f"/api/v1/projects/mpich/webhooks/{hook['webhook']['id']}/test")
    for _ in range(MAX_ATTEMPTS):
        with sessions.writing.begin() as session:
            waits = tables.Job.state == "queued"
            session.execute(update(tables.Job).where(waits).values(due_at=now()))
        work_off()

    (listed,) = client.get("/api/v1/projects/mpich/webhooks").json()["webhooks"]
    page = client.get("/p/mpich/settings/webhooks").text

    assert (listed["waiting"], listed["given_up"]) == (0, 1)
    assert listed["trouble"] == "it answered 503"
    assert "1 given up" in page
    assert "it answered 503" in page


def test_a_removed_webhook_is_told_nothing(client, sessions, receiver, hook):
    number = hook["webhook"]["id"]
    gone = client.delete(f"/api/v1/projects/mpich/webhooks/{number}")
    again = client.delete(f"/api/v1/projects/mpich/webhooks/{number}")

    break_it(sessions)

    assert (gone.status_code, again.status_code) == (204, 404)
    assert receiver.taken == []


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("file:///etc/passwd", "begins with http"),
        ("https://", "names no host"),
        ("http://:8080/hook", "names no host"),
        ("http://example.org:99999/", "is no address"),
        ("http://example.org:0/", "port 0"),
        ("http://example.org:port/", "is no address"),
        ("http://[::1/hook", "is no address"),
        ("http://a..b/hook", "is no address"),
        (f"http://{'a' * 64}.org/", "is no address"),
        ("http://example.org/a b", "encode others by %"),
        ("http://example.org/\u00fc", "encode others by %"),
        ("http://example.org/\tx", "encode others by %"),
        ("https://ada:secret@example.org/", "holds a user or a password"),
        ("https://ada@example.org/", "holds a user or a password"),
        ("http://256.1.1.1/", "no name service"),
        ("http://example.1/", "no name service"),
        ("http://-example.org/", "no name service"),
        ("http://xn--/", "no name service"),
        (f"http://{'a.' * 126}org/", "no name service"),
    ],
)
def test_address_that_can_never_take_a_delivery_is_refused(
    client, sessions, url, fault
):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    address = {"author": "ada", "url": url}

    answer = client.post("/api/v1/projects/mpich/webhooks", json=address)

    assert answer.status_code == 422
    assert fault in answer.json()["detail"]
    assert "secret" not in answer.json()["detail"]

"""Connections that keep their server waiting."""

import socket
import time
from contextlib import contextmanager

import pytest

from scalewatch.web.protection import limits
from scalewatch.web.protection.limits import PunctualProtocol
from support.live import serving

PATIENCE = 60
SECONDS = 0.2
HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n"


async def echo(scope, receive, send):
    """Answer with the body."""
    if scope["type"] != "http":
        return
    body, is_more = b"", True
    while is_more:
        message = await receive()
        body += message.get("body", b"")
        is_more = message.get("more_body", False)
    length = str(len(body)).encode()
    headers = [(b"content-length", length)]
    start = {"type": "http.response.start", "status": 200, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": body})


@pytest.fixture(autouse=True)
def _little_time_for_heads(monkeypatch):
    monkeypatch.setattr(limits, "HEAD_SECONDS", SECONDS)


@contextmanager
def connected(*said):
    """A connection to a server, which begins once it can hear what is said first.

    So that comes in time, however slow the machine is.
    """
    options = {"http": PunctualProtocol, "lifespan": "off"}
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = listening.getsockname()
        connection = socket.create_connection(address, timeout=PATIENCE)
        connection.sendall(b"".join(said))
        with serving(echo, sockets=[listening], **options), connection:
            yield connection


def answer_of(connection):
    found = b""
    while not found.endswith(b"abc"):
        part = connection.recv(1000)
        assert part, found
        found += part
    return found


def is_closed(connection):
    """Wait for the end of a connection, while sending one header after the other."""
    connection.settimeout(SECONDS / 4)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            connection.sendall(b"a: b\r\n")
            if connection.recv(1000) == b"":
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


def test_connection_without_a_request_is_closed():
    with connected() as connection:
        assert connection.recv(1000) == b""


def test_head_that_comes_a_line_at_a_time_is_not_waited_for():
    with connected(b"GET / HTTP/1.1\r\n") as connection:
        assert is_closed(connection)


def test_head_of_a_later_request_is_not_waited_for_either():
    with connected(HEAD, b"abc") as connection:
        assert answer_of(connection).startswith(b"HTTP/1.1 200")

        connection.sendall(b"GET / HTTP/1.1\r\n")

        assert is_closed(connection)


def test_body_that_takes_longer_than_a_head_may_is_waited_for():
    with connected(HEAD) as connection:
        for letter in (b"a", b"b", b"c"):
            time.sleep(SECONDS)
            connection.sendall(letter)

        assert answer_of(connection).startswith(b"HTTP/1.1 200")

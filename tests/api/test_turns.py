"""Large bodies at once take not much more memory than one."""

import json
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
import zstandard
from fastapi.testclient import TestClient

from scalewatch.api.runs.posting import SMALL
from support.builders import result, run

RESULTS = [
    result(region=f"region {n}", values=[1.1e-5, 2.3e-5] * 40) for n in range(1_700)
]
"""Results that make a body large."""


@pytest.fixture
def dialect():
    return "sqlite"


@pytest.fixture
def client(app):
    """A client whose requests are answered by one loop, as those of a server."""
    with TestClient(app) as client:
        yield client


def large(project):
    body = json.dumps(run(id=str(uuid4()), project=project, results=RESULTS)).encode()
    assert len(body) > SMALL
    return body


def post(client, body, encoding):
    """Post a body; return the status."""
    headers = {"Content-Type": "application/json", "Content-Encoding": encoding}
    return client.post("/api/v1/runs", content=body, headers=headers).status_code


def peak_of(client, posts):
    """Post bodies at once; return the memory that it took."""
    tracemalloc.start()
    with ThreadPoolExecutor(len(posts)) as threads:
        assert set(threads.map(lambda each: post(client, *each), posts)) == {202}
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def test_large_bodies_are_understood_one_after_another(client):
    client.post("/api/v1/runs", json=run())
    one = peak_of(client, [(large("first"), "identity")])

    many = [
        (large("a"), "identity"),
        (large("b"), "identity"),
        (zstandard.compress(large("c")), "zstd"),
    ]

    assert peak_of(client, many) < 2 * one

"""Whatever is sent, the server answers, and a refusal stores nothing."""

import gzip
import json
import random
import tracemalloc
from collections import Counter

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scalewatch.api.runs.bodies import ENCODINGS, LIMIT, TYPES, decoded, runs_in
from scalewatch.errors import BodyTooLarge, InvalidReport, UnreadableBody
from support.builders import result, run

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)

ANSWERS = {200, 202, 400, 409, 413, 415, 422}

SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def paths(content, here=()):
    """Yield where every part of a JSON value lies."""
    yield here
    parts = content.items() if isinstance(content, dict) else ()
    parts = enumerate(content) if isinstance(content, list) else parts
    for key, part in parts:
        yield from paths(part, (*here, key))


def replaced(content, path, part):
    """Return a copy of a JSON value with another part at `path`."""
    if not path:
        return part
    copied = content.copy()
    copied[path[0]] = replaced(content[path[0]], path[1:], part)
    return copied


def post(client, body, content_type="application/json", encoding="identity"):
    headers = {"Content-Type": content_type, "Content-Encoding": encoding}
    response = client.post("/api/v1/runs", content=body, headers=headers)
    assert response.status_code in ANSWERS
    if response.status_code >= 400:
        assert response.headers["content-type"] == "application/problem+json"
        assert response.json()["detail"]


@SHARED
@given(path=st.sampled_from(list(paths(run()))), part=JSON_VALUES)
def test_run_with_any_part_replaced_is_answered(client, path, part):
    body = json.dumps(replaced(run(), path, part)).encode()

    post(client, body)


@SHARED
@given(
    body=st.binary(max_size=300),
    content_type=st.sampled_from(TYPES),
    encoding=st.sampled_from(["identity", *ENCODINGS]),
)
def test_any_bytes_are_answered(client, body, content_type, encoding):
    post(client, body, content_type, encoding)


@SHARED
@given(
    data=st.data(),
    compress=st.sampled_from([("gzip", gzip.compress), ("zstd", zstandard.compress)]),
)
def test_damaged_compression_is_answered(client, data, compress):
    encoding, compressed = (
        compress[0],
        bytearray(compress[1](json.dumps(run()).encode())),
    )
    position = data.draw(st.integers(0, len(compressed) - 1))
    compressed[position] ^= data.draw(st.integers(1, 255))

    post(client, bytes(compressed), encoding=encoding)


def test_thousands_of_damaged_bodies_are_read_or_refused():
    draw = random.Random(1)  # noqa: S311 - the same bodies each time
    whole = json.dumps([run(), run(id="6ba7b810-9dad-11d1-80b4-00c04fd430c8")]).encode()
    sent = {"identity": whole, "gzip": gzip.compress(whole)}
    sent["zstd"] = zstandard.compress(whole)
    tracemalloc.start()

    outcomes = Counter(
        outcome(damaged(content, draw), encoding)
        for encoding, content in sent.items()
        for _ in range(1000)
    )
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert outcomes.total() == 3000
    assert outcomes["refused"] > 1000
    assert peak < 2 * LIMIT


def damaged(content, draw):
    """Return a body in which some bytes are others, or missing, or there twice."""
    mutable = bytearray(content)
    for _ in range(draw.randint(1, 4)):
        start = draw.randrange(len(mutable))
        end = start + draw.choice((0, 1, 1, 5, 50))
        mutable[start:end] = draw.choice((b"", draw.randbytes(2), mutable[:20]))
    return bytes(mutable) or b"0"


def outcome(body, encoding):
    """Return what becomes of a body; whatever else it raises fails the test."""
    try:
        posted, _ = runs_in(decoded(body, encoding), "application/json")
    except (BodyTooLarge, InvalidReport, UnreadableBody):
        return "refused"
    assert all(json.loads(one.text) for one in posted)
    return "read"


@pytest.mark.parametrize("results", [[], [result(), result()]], ids=["none", "twice"])
def test_run_of_which_more_is_wrong_than_may_be_lost_is_refused(client, results):
    """What is wrong with the whole shows once nothing is wrong with its parts."""
    posted = run(commit={"sha": "1", "branch": "a\x1d"}, results=results)

    answers = [client.post("/api/v1/runs", json=each) for each in (posted, [posted])]

    assert [each.status_code for each in answers] == [422, 422]
    assert all("results" in each.json()["detail"] for each in answers)

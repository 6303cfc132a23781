"""Tags and compression see whole answers; what is not whole passes as it is."""

import pytest
from starlette.applications import Starlette
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from scalewatch.web.answers import SMALLEST, Compression, ETags

LONG = b"growth " * SMALLEST
NEITHER = {"etag", "content-encoding"}
KNOWN = {"Cache-Control": "no-cache", "Content-Language": "en"}


def answer(_request):
    return Response(LONG, media_type="text/plain", headers=KNOWN)


def failure(_request):
    return Response(LONG, 500, media_type="text/plain")


def tagged(_request):
    return Response(LONG, media_type="text/plain", headers={"ETag": '"own"'})


def picture(_request):
    return Response(LONG, media_type="image/png")


def short(_request):
    return Response(b"p", media_type="text/plain")


def packed(_request):
    return Response(
        b"packed", media_type="text/plain", headers={"Content-Encoding": "br"}
    )


def parts(_request):
    return StreamingResponse(iter([LONG, LONG]), media_type="text/plain")


def events(_request):
    return StreamingResponse(iter([LONG]), media_type="text/event-stream")


@pytest.fixture
def client():
    views = (answer, failure, tagged, picture, short, packed, parts, events)
    app = Starlette(
        routes=[
            Route(f"/{view.__name__}", view, methods=["GET", "HEAD", "POST"])
            for view in views
        ]
    )
    app.add_middleware(ETags)
    app.add_middleware(Compression)
    return TestClient(app, headers={"Accept-Encoding": "gzip"})


@pytest.mark.parametrize("path", ["/parts", "/events"])
def test_streams_are_neither_tagged_nor_compressed(client, path):
    found = client.get(path)

    assert not NEITHER & found.headers.keys()
    assert found.content.startswith(LONG)


def test_an_answer_is_tagged_and_compressed(client):
    found = client.get("/answer")

    assert found.headers.keys() >= NEITHER
    assert found.headers["vary"] == "Accept-Encoding"
    assert int(found.headers["content-length"]) < len(LONG)
    assert found.content == LONG


def test_an_answer_that_the_client_has_is_its_tag_and_what_caches_need(client):
    tag = client.get("/answer").headers["etag"]

    found = client.get("/answer", headers={"If-None-Match": tag})

    assert (found.status_code, found.content) == (304, b"")
    assert found.headers == {"cache-control": "no-cache", "etag": tag}


def test_only_what_is_read_has_a_tag(client):
    posted, asked = client.post("/answer"), client.head("/answer")

    assert "etag" not in posted.headers
    assert posted.headers["content-encoding"] == "gzip"
    assert "etag" in asked.headers


def test_failures_have_no_tag(client):
    assert "etag" not in client.get("/failure").headers


def test_a_tag_that_an_answer_has_already_stays(client):
    assert client.get("/tagged").headers["etag"] == '"own"'


@pytest.mark.parametrize(
    ("path", "varies", "encoding"),
    [("/picture", False, None), ("/short", True, None), ("/packed", False, "br")],
)
def test_what_compression_gains_nothing_of_is_sent_as_it_is(
    client, path, varies, encoding
):
    with client.stream("GET", path) as found:
        sent = b"".join(found.iter_raw())

    assert found.headers.get("content-encoding") == encoding
    assert ("vary" in found.headers) is varies
    assert found.headers["content-length"] == str(len(sent))

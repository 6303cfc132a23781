"""HEAD at the addresses of the product."""

import pytest

from support.recorded import record_project
from support.shown_pages import of_one_moment


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/p/openmpi",
        "/api/v1/projects",
        "/api/v1/projects/openmpi/history",
        "/health",
    ],
)
def test_a_head_is_that_of_the_answer_to_get(client, sessions, address):
    record_project(sessions)

    whole, head = of_one_moment(client, address, lambda _: client.head(address))

    assert head.status_code == whole.status_code
    assert head.content == b""
    for name in ("content-type", "etag", "content-length"):
        assert head.headers.get(name) == whole.headers.get(name)


def test_what_is_not_there_says_so_by_its_head(client):
    assert client.head("/p/nowhere").status_code == 404


def test_streams_are_not_left_open_by_their_head(client):
    refused = client.head("/events")

    assert refused.status_code == 405
    assert refused.headers["allow"] == "GET"

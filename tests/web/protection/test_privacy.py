"""Who may keep an answer."""

import pytest
from fastapi.testclient import TestClient

from scalewatch.web.sessions import LOGIN
from support.builders import sweep
from support.shown_pages import of_one_moment

PRIVATE = [
    "/p/mpich",
    "/p/mpich/r/MPI_Bcast",
    "/p/mpich?format=json",
    "/p/mpich/badge.svg",
    "/p/mpich/feed.atom",
    "/p/mpich/embed/scaling?region=MPI_Bcast",
    "/api/v1/projects/mpich/report",
    "/api/v1/projects/mpich/expectations",
    "/api/v1/figures/scaling?project=mpich&region=MPI_Bcast",
    "/",
]
ADMINISTERED = ["/settings", "/p/mpich/settings"]


@pytest.fixture
def dialect():
    return "sqlite"


@pytest.fixture
def bearing(secret):
    return {"Authorization": f"Bearer {secret}"}


@pytest.fixture
def private(app, bearing, work_off, make_private):
    """The application with a private project."""
    TestClient(app).post("/api/v1/runs", json=sweep(), headers=bearing)
    work_off()
    make_private("mpich")
    return app


@pytest.fixture
def browser(private, secret):
    """A browser that has logged in."""
    browser = TestClient(private, base_url="https://testserver")
    own = {"Sec-Fetch-Site": "same-origin"}
    browser.post("/login", data={"token": secret}, headers=own)
    assert LOGIN in browser.cookies
    return browser


def dependencies(answer):
    return {name.strip().lower() for name in answer.headers["vary"].split(",")}


def test_no_shared_cache_keeps_what_is_private(browser, private, bearing):
    program = TestClient(private)
    for path in PRIVATE:
        for answer in (browser.get(path), program.get(path, headers=bearing)):
            assert answer.status_code == 200, path
            assert answer.headers["cache-control"] == "private, no-cache", path
            assert {"cookie", "authorization"} <= dependencies(answer), path


def test_answer_that_is_known_already_stays_private(browser):
    _, answer = of_one_moment(
        browser,
        "/p/mpich",
        lambda page: browser.get(
            "/p/mpich", headers={"If-None-Match": page.headers["etag"]}
        ),
    )

    assert answer.status_code == 304
    assert answer.headers["cache-control"] == "private, no-cache"
    assert {"cookie", "authorization"} <= dependencies(answer)


def test_settings_are_kept_nowhere(browser):
    for path in ADMINISTERED:
        answer = browser.get(path)

        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "no-store"
        assert "cookie" in dependencies(answer)


def test_what_strangers_see_is_asked_for_again_by_others(private):
    stranger = TestClient(private)
    for path in ("/", "/glossary", "/api/v1/projects", *PRIVATE, *ADMINISTERED):
        answer = stranger.get(path, follow_redirects=False)

        assert "no-cache" in answer.headers["cache-control"], path
        assert {"cookie", "authorization"} <= dependencies(answer), path


def test_static_files_are_kept_by_everybody(private):
    client = TestClient(private)
    page = client.get("/glossary").text
    path = page[page.index("/static/") :].partition('"')[0]

    answer = client.get(path)

    assert "immutable" in answer.headers["cache-control"]
    assert dependencies(answer) == {"accept-encoding"}

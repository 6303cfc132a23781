"""Other sites change nothing in the name of who looks at them.

Every way in is tried with every combination of what browsers say of where a request
comes from: the API with a login and without, the form that logs a browser in, which
needs no cookie, and a form for who has logged in.
"""

from itertools import product

import pytest
from fastapi.testclient import TestClient

from scalewatch.errors import ForeignOrigin
from scalewatch.web.sessions import LOGIN
from support.builders import run

HOST = "https://testserver"
OTHER = "https://elsewhere.example"
SITES = [None, "same-origin", "none", "same-site", "cross-site", "", "nonsense"]
ORIGINS = [
    None,
    HOST,
    OTHER,
    "https://other.testserver",
    f"{HOST}.elsewhere.example",
    f"{HOST}:8443",
    "null",
    "",
    "http://[broken",
]
SAID = [
    {
        name: value
        for name, value in (("Sec-Fetch-Site", site), ("Origin", origin))
        if value is not None
    }
    for site, origin in product(SITES, ORIGINS)
]
OWN = [
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "same-origin", "Origin": HOST},
    {"Origin": HOST},
]
"""What browsers say of our own pages, in the order of how much they know of it."""

SILENT = {}

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
"""What a form without fields is sent as."""


def is_own(said):
    """Tell what is to be believed: the site by the browser, else the origin."""
    if "Sec-Fetch-Site" in said:
        return said["Sec-Fetch-Site"] in {"same-origin", "none"}
    return said.get("Origin") == HOST


FOREIGN = [said for said in SAID if said and not is_own(said)]


@pytest.fixture
def dialect():
    return "sqlite"


@pytest.fixture
def browser(app, secret):
    """A browser that has logged in."""
    browser = TestClient(app, base_url=HOST)
    browser.post("/login", data={"token": secret}, headers=OWN[0])
    assert LOGIN in browser.cookies
    return browser


@pytest.fixture
def stranger(app):
    """A browser that has not."""
    return TestClient(app, base_url=HOST)


def post_run(browser, said):
    return browser.post("/api/v1/runs", json=run(), headers=said)


def make_private(browser, said):
    fields = {"visibility": "private"}
    return browser.post("/p/mpich/settings/policy", data=fields, headers=said)


def is_private(browser):
    return '"private" checked' in browser.get("/p/mpich/settings").text


def refused(ask, all_said):
    """Return those of what is said with which a request is refused."""
    return [said for said in all_said if ask(said).status_code == 403]


def test_pages_of_other_sites_post_nothing_with_a_login(browser):
    everything = [*FOREIGN, SILENT]

    assert refused(lambda said: post_run(browser, said), everything) == everything
    assert browser.get("/api/v1/projects").json() == {"projects": []}


def test_pages_of_other_sites_post_nothing_where_no_login_is_needed(client):
    client.base_url = HOST

    assert refused(lambda said: post_run(client, said), FOREIGN) == FOREIGN
    assert client.get("/api/v1/projects").json() == {"projects": []}


def test_pages_of_other_sites_log_nobody_in(stranger, secret):
    everything = [*FOREIGN, SILENT]

    def log_in(said):
        return stranger.post("/login", data={"token": secret}, headers=said)

    assert refused(log_in, everything) == everything
    assert not stranger.cookies


def test_pages_of_other_sites_log_nobody_out(browser):
    everything = [*FOREIGN, SILENT]

    def log_out(said):
        return browser.post("/logout", headers=FORM | said)

    assert refused(log_out, everything) == everything
    assert "the token ada" in browser.get("/").text


def test_pages_of_other_sites_send_no_form(browser):
    everything = [*FOREIGN, SILENT]
    post_run(browser, OWN[0])

    assert refused(lambda said: make_private(browser, said), everything) == everything
    assert make_private(browser, SILENT).status_code == 403
    assert not is_private(browser)


def test_no_page_of_another_site_has_a_programs_token(stranger, secret):
    token = {"Authorization": f"Bearer {secret}"}

    assert refused(lambda said: post_run(stranger, said | token), FOREIGN) == FOREIGN


@pytest.mark.parametrize("said", OWN, ids=str)
def test_our_own_pages_change_things(browser, said):
    assert post_run(browser, said).status_code == 202
    assert make_private(browser, said).status_code == 200
    assert is_private(browser)

    browser.post("/logout", headers=FORM | said)

    assert LOGIN not in browser.cookies


def test_programs_say_who_they_are_and_not_where_they_come_from(stranger, secret):
    token = {"Authorization": f"Bearer {secret}"}

    assert post_run(stranger, token).status_code == 202
    stranger.cookies["theme"] = "dark"
    assert post_run(stranger, token).status_code == 200


def test_a_refusal_says_whose_page_it_was_and_what_a_proxy_has_to_do(client):
    said = post_run(client, {"Origin": OTHER}).json()

    assert said["type"] == "urn:scalewatch:problem:foreign-origin"
    assert said["detail"] == str(ForeignOrigin(OTHER))
    assert OTHER in said["detail"]


def test_a_page_without_a_host_is_not_ours(stranger, secret):
    answer = stranger.post(
        "/login", data={"token": secret}, headers={"Host": "", "Origin": "null"}
    )

    assert answer.status_code == 403


def test_what_only_reads_is_open_to_links_from_anywhere(browser):
    assert not refused(lambda said: browser.get("/", headers=said), FOREIGN)

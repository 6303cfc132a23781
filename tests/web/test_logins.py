"""Browsers log in with a token."""

import re

import pytest
from fastapi.testclient import TestClient

from scalewatch.app import create_app
from scalewatch.errors import TokenUnknown
from scalewatch.services.access import tokens
from scalewatch.web.protection.headers import Protection
from scalewatch.web.sessions import LOGIN
from support.builders import run

OWN = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def dialect():
    return "sqlite"  # the queries are those of test_access


@pytest.fixture
def private(client, make_private):
    """A project that strangers do not see."""
    client.post("/api/v1/runs", json=run())
    make_private("mpich")


def secret_of(header):
    return header["Authorization"].removeprefix("Bearer ")


def log_in(client, secret, **fields):
    assert 'method="post"' in client.get("/login").text
    fields |= {"token": secret}
    return client.post("/login", data=fields, headers=OWN, follow_redirects=False)


def home(app, address="https://testserver"):
    return TestClient(app, base_url=address)


@pytest.mark.usefixtures("private")
def test_browser_that_logs_in_sees_the_project_and_comes_back_to_it(app, bearer):
    browser = home(app)
    secret = secret_of(bearer("read"))
    hidden = browser.get("/p/mpich?commit=v5.0.2")
    link = re.search(r'href="(/login[^"]*)"', hidden.text)[1]

    answer = log_in(browser, secret, goal="/p/mpich?commit=v5.0.2")

    assert hidden.status_code == 404
    assert "goal=%2Fp%2Fmpich%3Fcommit%3Dv5.0.2" in link
    assert answer.headers["location"] == "/p/mpich?commit=v5.0.2"
    assert browser.get("/p/mpich").status_code == 200


@pytest.mark.usefixtures("private")
def test_cookie_of_a_login_is_kept_from_scripts_other_sites_and_plain_http(app, bearer):
    answer = log_in(home(app), secret_of(bearer()))

    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith(LOGIN)
    for attribute in ("httponly", "secure", "samesite=lax", "path=/", "max-age="):
        assert attribute in cookie


def test_token_is_not_taken_over_plain_http_unless_that_is_allowed(app, engine, bearer):
    secret = secret_of(bearer())
    allowing = create_app(
        engine, embedded_worker=False, protection=Protection(plain_http=True)
    )

    refused = log_in(home(app, "http://scalewatch.example"), secret)
    allowed = log_in(home(allowing, "http://scalewatch.example"), secret)
    own = log_in(home(app, "http://127.0.0.1:8000"), secret)

    assert refused.status_code == 403
    assert "SCALEWATCH_PLAIN_HTTP" in refused.text
    assert (allowed.status_code, own.status_code) == (303, 303)


def test_wrong_token_is_asked_for_again(app, bearer):
    bearer()

    answer = log_in(home(app), "swt_00000000_nonsense")

    assert answer.status_code == 401
    assert LOGIN not in answer.headers.get("set-cookie", "")
    assert "has expired or" in answer.text


def test_refusal_says_how_many_tokens_this_server_knows(app, bearer):
    bearer()
    bearer()

    answer = home(app).get(
        "/api/v1/projects", headers={"Authorization": "Bearer swt_00000000_nonsense"}
    )

    assert answer.status_code == 401
    assert answer.json()["detail"] == str(TokenUnknown(2))
    assert "2 tokens" in answer.json()["detail"]


@pytest.mark.parametrize(
    "goal", ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere", "x"]
)
def test_login_leads_nowhere_else(app, bearer, goal):
    answer = log_in(home(app), secret_of(bearer()), goal=goal)

    assert answer.headers["location"] == "/"


@pytest.mark.usefixtures("private")
def test_logging_out_ends_the_login_on_the_server_too(app, bearer):
    browser = home(app)
    log_in(browser, secret_of(bearer("read")))
    login = browser.cookies[LOGIN]
    page = browser.get("/account")

    assert '<form method="post" action="/logout">' in page.text

    browser.post("/logout", data={"any": "field"}, headers=OWN)

    assert LOGIN not in browser.cookies
    browser.cookies[LOGIN] = login
    assert browser.get("/p/mpich").status_code == 404


@pytest.mark.usefixtures("private")
def test_revoking_a_token_ends_its_logins(app, bearer, sessions):
    browser = home(app)
    log_in(browser, secret_of(bearer("read")))
    with sessions.writing.begin() as session:
        (token,) = tokens.listed(session)
        tokens.revoke(session, token.prefix)

    assert browser.get("/p/mpich").status_code == 404


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("http://localhost:8000", 202),
        ("http://127.0.0.1", 202),
        ("http://[::1]:8000", 202),
        ("http://rebound.example:8000", 401),
    ],
)
def test_without_tokens_only_who_names_this_machine_changes_things(
    engine, address, status
):
    app = create_app(
        engine, embedded_worker=False, protection=Protection(is_open=False)
    )

    assert home(app, address).post("/api/v1/runs", json=run()).status_code == status

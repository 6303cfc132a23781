"""Logging in and out, and what a browser says of forms on pages of other sites."""

from itertools import product
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Request, expect

from scalewatch.app import create_app
from scalewatch.services.access import tokens
from scalewatch.services.access.callers import Role
from scalewatch.web.protection.headers import Protection

OTHER = "http://elsewhere.example/"
FORM = """
<form method="post" action="{action}"><input name="token" value="{secret}">
  <button>Win a prize</button></form>
"""


@pytest.fixture
def site_app(engine):
    protection = Protection(plain_http=True)
    return create_app(engine, embedded_worker=False, protection=protection)


NAMES = ("127.0.0.1", "scalewatch.example")
TARGETS = ("/login", "/logout")
REFERRERS = ("origin", "no-referrer")
USUAL = {
    ("127.0.0.1", "/logout", "no-referrer"),
    ("scalewatch.example", "/login", "no-referrer"),
    ("scalewatch.example", "/logout", "origin"),
}
"""Of all of them those that the short form tries: each once at least."""


@pytest.fixture(params=NAMES)
def address(request, site):
    """The site by a name of this machine, and by one that is not: without encryption
    browsers say of that one only `Origin`.
    """
    return f"http://{request.param}:{urlsplit(site).port}"


@pytest.fixture
def secret(sessions):
    with sessions.writing.begin() as session:
        return tokens.create(session, "ada", Role.ADMIN, None)[1]


def log_in(page: Page, address: str, secret: str) -> Request:
    """Log in by the form; return what the browser sent."""
    page.goto(f"{address}/login")
    page.get_by_label("Token").fill(secret)
    with page.expect_request(lambda sent: sent.method == "POST") as sent:
        page.get_by_role("main").get_by_role("button", name="Log in").click()
    return sent.value


def test_who_logs_in_by_the_form_can_log_out_again(page, address, secret):
    sent = log_in(page, address, secret).all_headers()
    page.get_by_title("Logged in with the token ada").click()

    page.get_by_role("button", name="Log out").click()

    expect(page.get_by_role("link", name="Log in")).to_be_visible()
    assert sent["origin"] == address
    is_loopback = address.startswith("http://127.0.0.1")
    assert sent.get("sec-fetch-site") == ("same-origin" if is_loopback else None)


@pytest.fixture
def target(request):
    return request.param


@pytest.fixture
def _other(request, page, address, secret, target):
    """A page of another site, whose form logs in or out here."""
    page.route(
        f"{OTHER}**",
        lambda route: route.fulfill(
            content_type="text/html",
            headers={"Referrer-Policy": request.param},
            body=FORM.format(action=f"{address}{target}", secret=secret),
        ),
    )


@pytest.mark.usefixtures("_other")
@pytest.mark.parametrize(
    ("address", "target", "_other"),
    [
        pytest.param(*each, marks=() if each in USUAL else pytest.mark.thorough)
        for each in product(NAMES, TARGETS, REFERRERS)
    ],
    indirect=True,
)
def test_a_form_on_a_page_of_another_site_changes_nothing(
    page, complaints, address, secret
):
    log_in(page, address, secret)
    before = page.context.cookies()
    page.goto(OTHER)

    page.get_by_role("button", name="Win a prize").click()

    expect(page.get_by_text("must not change anything here")).to_be_visible()
    assert page.context.cookies() == before
    page.goto(address)
    expect(page.get_by_title("Logged in with the token ada")).to_be_visible()
    assert all("403" in text for text in complaints.texts)
    complaints.texts.clear()

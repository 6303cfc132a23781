"""The pages of settings and status: forms without scripts."""

import re
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from scalewatch.services.access import audit, policies, tokens
from scalewatch.services.access.callers import Role
from scalewatch.services.access.policies import Policy
from scalewatch.storage import tables
from scalewatch.storage.tables import now
from scalewatch.storage.work import jobs
from scalewatch.texts.numbers import SPACE
from support.builders import run, sweep
from support.recorded import record_project

SETTINGS = "/p/mpich/settings"
FORM = {
    "Content-Type": "application/x-www-form-urlencoded",
    "Sec-Fetch-Site": "same-origin",
}


@pytest.fixture
def dialect():
    return "sqlite"


@pytest.fixture
def browser(app):
    """The browser of the single user of a server with one project."""
    browser = TestClient(app)
    browser.post("/api/v1/runs", json=run())
    return browser


def send(browser, path, page=SETTINGS, **fields):
    assert 'method="post"' in browser.get(page).text
    return browser.post(path, data=fields, headers=FORM)


def test_private_project_disappears_for_strangers(browser, app, bearer):
    answer = send(browser, f"{SETTINGS}/policy", visibility="private")
    bearer()

    assert answer.status_code == 200  # the settings again
    assert re.search(r'value="private" checked', answer.text)
    assert TestClient(app).get("/p/mpich").status_code == 404


def test_retention_is_kept_and_noted(browser, sessions):
    send(
        browser,
        f"{SETTINGS}/policy",
        visibility="public",
        retention_days="90",
        kept_repetitions="20",
    )

    with sessions.reading() as session:
        assert policies.policy_of(session, "mpich") == Policy(
            is_private=False, retention_days=90, kept_repetitions=20
        )
        (deed,) = audit.entries(session, "mpich", limit=10)
    assert (deed.actor, deed.action) == ("anybody", "policy changed")
    assert deed.details["after"]["retention_days"] == 90


def test_repository_is_stated_and_noted_and_outlives_the_policy(browser, sessions):
    stated = {"repository": "git@code.example.org:a/b.git", "forge": "gitlab"}

    page = send(browser, f"{SETTINGS}/repository", **stated)
    send(browser, f"{SETTINGS}/policy", visibility="private")

    assert 'value="https://code.example.org/a/b"' in page.text
    with sessions.reading() as session:
        kept = policies.repository_of(session, "mpich")
        deeds = audit.entries(session, "mpich", limit=10)
    assert (kept.address, kept.forge) == ("https://code.example.org/a/b", "gitlab")
    assert [deed.action for deed in deeds] == ["policy changed", "repository changed"]


def test_repository_with_a_password_is_refused_without_repeating_it(browser):
    fields = {"repository": "https://ada:S3cr3t@github.com/a/b"}

    answer = send(browser, f"{SETTINGS}/repository", **fields)

    assert answer.status_code == 422
    assert "user and password" in answer.text
    assert "S3cr3t" not in answer.text


@pytest.mark.parametrize(
    "fields",
    [
        {"retention_days": "90"},
        {"retention_days": "0", "kept_repetitions": "20"},
        {"retention_days": "x", "kept_repetitions": "20"},
        {"retention_days": "9" * 400, "kept_repetitions": "20"},
    ],
)
def test_retention_that_makes_no_sense_is_refused_by_its_field(browser, fields):
    answer = send(browser, f"{SETTINGS}/policy", **fields)

    assert answer.status_code == 422
    assert re.search("retention_days|kept_repetitions", answer.text, re.IGNORECASE)


def test_token_is_made_shown_once_and_revoked(browser, sessions):
    made = send(browser, f"{SETTINGS}/tokens", name="ci", role="ingest", days="30")
    secret = re.search(r"swt_\w{8}_[\w-]{43}", made.text)[0]
    with sessions.writing.begin() as session:
        _, admin = tokens.create(session, "boss", Role.ADMIN, None)
    browser.headers["Authorization"] = f"Bearer {admin}"

    again = browser.get(f"{SETTINGS}/tokens")
    send(browser, f"{SETTINGS}/tokens/revoke", prefix=secret[:12])

    assert made.headers["cache-control"] == "no-store"
    assert secret not in again.text
    assert secret[:12] in again.text
    with sessions.reading() as session:
        assert not tokens.listed(session)[0].is_good


@pytest.mark.parametrize(
    "fields",
    [{"role": "king", "name": "x"}, {"role": "read"}, {"role": "read", "name": "a/b"}],
)
def test_token_that_makes_no_sense_is_refused(browser, fields):
    assert send(browser, f"{SETTINGS}/tokens", **fields).status_code == 422


def test_expectation_is_declared_by_who_is_logged_in(browser, bearer):
    header = bearer("admin")
    browser.headers.update(header)

    page = send(browser, f"{SETTINGS}/expectations", region="MPI_Bcast", growth="O(p)")

    (declared,) = browser.get("/api/v1/projects/mpich/expectations").json()[
        "expectations"
    ]
    assert (declared["growth"], declared["author"]) == ("p", "adminer")
    assert "MPI_Bcast" in page.text
    assert "expectations saved" in browser.get(f"{SETTINGS}/audit").text


def test_a_region_is_renamed_and_the_rules_of_the_gate_are_told(browser):
    page = send(browser, f"{SETTINGS}/aliases", former="bcast", present="MPI_Bcast")
    back = send(browser, f"{SETTINGS}/aliases", former="bcast", present="")

    assert "<bdi>bcast</bdi> → <bdi>MPI_Bcast</bdi>" in page.text
    assert "<bdi>bcast</bdi>" not in back.text
    assert (
        "stopped by a new mismatch, a steeper growth, a broken guideline, a constant "
        "that is surely worse by over 5 % (by less where a history tells)."
    ) in browser.get(f"{SETTINGS}/gate").text.replace(SPACE, " ")


def test_expression_that_cannot_be_read_is_refused_in_words(browser):
    page = send(browser, f"{SETTINGS}/expectations", region="x", growth="O(")

    assert page.status_code == 422
    assert "position" in page.text


def test_a_webhook_is_added_with_a_secret_shown_once_and_removed(browser, sessions):
    url = "https://chat.example.org/hooks/confidential"
    added = send(browser, f"{SETTINGS}/webhooks", url=url)
    secret = re.search(r"swh_[\w-]{43}", added.text)[0]

    again = browser.get(f"{SETTINGS}/webhooks").text
    number = re.search(r'name="webhook" value="(\d+)"', again)[1]
    gone = send(browser, f"{SETTINGS}/webhooks/remove", webhook=number)

    assert added.headers["cache-control"] == "no-store"
    assert secret not in again
    assert "<bdi>chat.example.org</bdi>" in again
    assert "confidential" not in again
    assert "confidential" not in browser.get(f"{SETTINGS}/audit").text
    assert "confidential" not in browser.get(f"{SETTINGS}?format=json").text
    assert "No webhooks yet" in gone.text
    with sessions.reading() as session:
        assert [each.action for each in audit.entries(session, "mpich", limit=9)] == [
            "webhook removed",
            "webhook added",
        ]


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("", {"url": "ftp://example.org"}),
        ("", {}),
        ("", {"url": "https://example.org/" + "x" * 2000}),
        ("/remove", {"webhook": "x"}),
        ("/test", {}),
    ],
    ids=str,
)
def test_webhook_that_makes_no_sense_is_refused(browser, path, fields):
    assert send(browser, f"{SETTINGS}/webhooks{path}", **fields).status_code == 422


@pytest.mark.parametrize("path", ["remove", "test"])
def test_webhook_of_another_project_is_not_found(browser, path):
    fields = {"webhook": "7"}

    assert send(browser, f"{SETTINGS}/webhooks/{path}", **fields).status_code == 404


@pytest.mark.parametrize("role", ["read", "ingest"])
def test_webhooks_are_for_administrators_with_a_form_of_ours(browser, bearer, role):
    address = {"url": "https://example.org/hook"}
    forged = browser.post(f"{SETTINGS}/webhooks", data=address)
    browser.headers.update(bearer(role))

    assert forged.status_code == 403
    assert browser.post(f"{SETTINGS}/webhooks", data=address).status_code == 403


@pytest.mark.parametrize("role", ["read", "ingest"])
def test_settings_are_for_administrators(browser, bearer, role):
    header = bearer(role)

    for path in (SETTINGS, "/settings"):
        refused = browser.get(path, headers=header)
        asked = browser.get(path, follow_redirects=False)
        assert refused.status_code == 403
        assert asked.headers["location"].startswith("/login?goal=%2F")


def test_administrator_of_one_project_sees_nothing_of_others(browser, bearer):
    browser.post("/api/v1/runs", json=run(id=f"{2:032x}", project="other"))
    bearer("read", "other")

    page = browser.get("/settings", headers=bearer("admin", "mpich"))

    assert page.status_code == 200
    assert "other" not in page.text
    path = "/settings/tokens"
    assert browser.post(path, headers=bearer("admin", "mpich")).status_code == 403


def test_server_settings_make_a_token_for_all(browser):
    page = send(browser, "/settings/tokens", "/settings", name="boss", role="admin")

    assert re.search(r"swt_\w{8}_[\w-]{43}", page.text)


def test_status_page_tells_what_waits_and_that_nobody_does_it(browser, sessions):
    browser.post("/api/v1/runs", json=sweep())
    with sessions.writing.begin() as session:
        earlier = now() - timedelta(minutes=2)
        session.execute(update(tables.Job).values(created_at=earlier))

    page = browser.get("/p/mpich")
    status = browser.get("/status").text

    assert page.status_code == 200
    assert "Analysis is behind" in page.text
    assert "scalewatch worker" in status
    assert "jureca" in status


def test_worker_that_is_there_is_listed(browser, sessions):
    with sessions.writing.begin() as session:
        jobs.note_worker(session, "node7:12", "Celery, 2 processes")

    assert "Celery, 2 processes" in browser.get("/status").text
    assert "Analysis is behind" not in browser.get("/").text


@pytest.mark.parametrize(
    "path", ["/status", "/settings", SETTINGS, f"{SETTINGS}/audit"]
)
@pytest.mark.parametrize("wanted", ["json", "csv", "md"])
def test_pages_have_their_data_for_programs(browser, path, wanted):
    assert browser.get(f"{path}?format={wanted}").status_code == 200


def test_long_detail_of_a_change_is_told_whole(browser, sessions):
    regions = [f"region {number}" for number in range(60)]
    with sessions.writing.begin() as session:
        audit.note(session, "expectations saved", "mpich", regions=regions)

    page = browser.get(f"{SETTINGS}/audit").text

    assert f"</summary>{', '.join(regions)}</details>" in page


def test_times_of_shared_cores_are_accepted_by_a_form(browser, sessions):
    answer = send(
        browser,
        f"{SETTINGS}/oversubscribed",
        oversubscribed="accept",
        reason="a laptop",
    )
    wrong = send(browser, f"{SETTINGS}/oversubscribed", oversubscribed="maybe")

    assert re.search(r'value="accept" selected', answer.text)
    assert wrong.status_code == 422
    with sessions.reading() as session:
        (noted, *_) = audit.entries(session, "mpich", limit=1)
    assert noted.action == "gate rules saved"
    assert noted.details["rules"] == {
        "oversubscribed": "accept",
        "disturbed": "undecided",
        "smallest_effect": 0.03,
        "scale": None,
    }


def test_who_is_logged_in_is_not_asked_for_a_name(browser, sessions, bearer):
    record_project(sessions)
    unknown = browser.get("/p/openmpi/r/MPI_Gather").text
    header = bearer("admin", "openmpi")

    known = browser.get("/p/openmpi/r/MPI_Gather", headers=header).text

    assert 'label for="author"' in unknown
    assert 'label for="author"' not in known
    assert '<input type="hidden" name="author" value="adminer">' in known

"""How many requests a client may send, and how many wrong tokens it may try."""

import pytest
from fastapi.testclient import TestClient

from scalewatch.app import create_app
from scalewatch.web.protection.headers import Protection
from scalewatch.web.protection.shares import Buckets
from scalewatch.web.sessions import LOGIN

PROJECTS = "/api/v1/projects"


@pytest.fixture
def dialect():
    return "sqlite"  # nothing here asks the database


def client_of(engine, per_minute):
    """Return a client for whose requests no time passes, however slow they are."""
    protection = Protection(requests_per_minute=per_minute)
    app = create_app(engine, embedded_worker=False, protection=protection)
    app.state.shares.clock = lambda: 0.0
    return TestClient(app)


@pytest.fixture
def limited(engine):
    """A client of an application that allows ten requests a minute."""
    return client_of(engine, 10)


@pytest.fixture
def busy(engine):
    """A client of an application that allows 200 requests, and so four guesses."""
    return client_of(engine, 200)


@pytest.fixture
def modest(engine):
    """A client of an application that allows 50 requests."""
    return client_of(engine, 50)


def wrong(number):
    return {"Authorization": f"Bearer swt_{number:08x}_x"}


def guess(client, times):
    """Try wrong tokens; return the answers."""
    return [client.get(PROJECTS, headers=wrong(number)) for number in range(times)]


def statuses(answers):
    return [answer.status_code for answer in answers]


def test_client_that_asks_too_often_is_told_when_to_come_back(limited):
    answers = [limited.get(PROJECTS) for _ in range(12)]

    assert statuses(answers) == [200] * 10 + [429] * 2
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 6
    assert answers[-1].json()["type"] == "urn:scalewatch:problem:too-many-requests"


def test_page_asked_for_too_often_says_so_to_people(limited):
    for _ in range(10):
        limited.get("/glossary")

    answer = limited.get("/glossary")

    assert (answer.status_code, "retry-after" in answer.headers) == (429, True)
    assert "<h1>" in answer.text


def test_probes_and_assets_are_not_counted(limited):
    for _ in range(12):
        assert limited.get("/healthz").status_code == 200


def test_each_token_has_a_share_of_its_own(limited, bearer):
    headers = [bearer("read"), bearer("admin")]

    found = statuses(
        limited.get(PROJECTS, headers=header) for header in headers for _ in range(10)
    )

    assert set(found) == {200}


def test_token_that_asks_too_often_is_told_when_to_come_back(limited, bearer):
    header = bearer("read")

    found = statuses(limited.get(PROJECTS, headers=header) for _ in range(12))

    assert found == [200] * 10 + [429] * 2


def test_who_guesses_tokens_is_told_to_wait_whatever_they_guess(busy, bearer):
    bearer()

    answers = guess(busy, 8)

    assert statuses(answers) == [401] * 4 + [429] * 4
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 15
    assert answers[-1].json()["type"] == "urn:scalewatch:problem:too-many-guesses"


def test_who_guesses_in_the_form_is_told_to_wait(busy, bearer):
    bearer()
    own = {"Sec-Fetch-Site": "same-origin"}

    answers = [
        busy.post(
            "http://localhost/login", data={"token": f"swt_{n:08x}_x"}, headers=own
        )
        for n in range(6)
    ]

    assert statuses(answers) == [401] * 4 + [429] * 2
    assert "retry-after" in answers[-1].headers


def test_who_guesses_logins_is_told_to_wait(busy, bearer):
    bearer()

    answers = [
        busy.get(PROJECTS, headers={"Cookie": f"{LOGIN}=guess-{number}"})
        for number in range(8)
    ]

    assert statuses(answers) == [200] * 4 + [429] * 4
    assert answers[-1].json()["type"] == "urn:scalewatch:problem:too-many-guesses"


def test_browser_whose_login_has_ended_is_no_guesser(busy, bearer):
    bearer()
    ended = {"Cookie": f"{LOGIN}=ended"}

    found = statuses(busy.get(PROJECTS, headers=ended) for _ in range(40))

    assert set(found) == {200}


def test_others_behind_the_address_of_a_guesser_are_not_punished(modest, bearer):
    known, fresh = bearer("read"), bearer("admin")
    modest.get(PROJECTS, headers=known)

    guess(modest, 38)

    for headers in (known, fresh, {}):
        found = statuses(modest.get(PROJECTS, headers=headers) for _ in range(38))
        assert set(found) == {200}


def test_flood_of_wrong_tokens_is_refused_without_looking_them_up(modest, bearer):
    known = bearer("read")
    modest.get(PROJECTS, headers=known)

    last = guess(modest, 55)[-1]

    assert last.json()["type"] == "urn:scalewatch:problem:too-many-requests"
    assert modest.get(PROJECTS, headers=known).status_code == 200
    assert modest.get(PROJECTS).status_code == 200


@pytest.mark.parametrize("credentials", ["Basic {}", "Bearer", "Bearer ", "x{}", "{}"])
def test_credentials_that_are_no_token_have_no_share_of_their_own(limited, credentials):
    found = statuses(
        limited.get(PROJECTS, headers={"Authorization": credentials.format(number)})
        for number in range(12)
    )

    assert found == [200] * 10 + [429] * 2


def test_revoked_token_is_a_wrong_one(busy, bearer):
    header = bearer("read", is_expired=True)

    found = statuses(busy.get(PROJECTS, headers=header) for _ in range(6))

    assert found == [401] * 4 + [429] * 2


def test_bucket_fills_again_within_a_minute_and_never_more():
    now = 0.0
    buckets = Buckets(60, clock=lambda: now)
    assert [buckets.take("a") for _ in range(60)] == [0.0] * 60

    assert buckets.take("a") == pytest.approx(1.0)
    now = 10.0
    assert [buckets.take("a") for _ in range(10)] == [0.0] * 10
    assert buckets.take("a") > 0
    now = 10_000.0
    assert sum(buckets.take("a") == 0 for _ in range(100)) == 60


@pytest.mark.parametrize("pause", [0.01, 0])
def test_memory_for_clients_is_bounded(pause):
    now = 0.0
    buckets = Buckets(60, clock=lambda: now)
    for number in range(50_000):
        now += pause
        buckets.take(str(number))

    assert len(buckets._levels) <= 20_001  # noqa: SLF001 - what is bounded

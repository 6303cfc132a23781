"""An open page takes in what happens, and does not move what one reads."""

import json
import threading
import urllib.request
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import Engine

from scalewatch.app import create_app
from scalewatch.storage.database.session import Sessions
from support.builders import sweep_reports
from support.live import serving
from support.recorded import PROCESSES, SHARED_MEMORY, TCP, record, record_project
from support.servers.ports import free_port

NEW_REGION = {"MPI_Scan": lambda p: 1e-6 * p}


NEWEST = {"sha": "2500011", "tag": "v5.0.11"}
NEWER = {"sha": "9" * 40, "committed_at": "2026-10-01T12:00:00Z"}


def later(
    region_growths, machine: str = "node-shm", transport: str = "shm", commit=NEWEST
):
    """Return runs of the newest release, measured again, or of another commit."""
    return sweep_reports(
        PROCESSES,
        region_growths,
        repetitions=40,
        noise=0.002,
        seed=7,
        project="openmpi",
        commit=commit,
        machine={"name": machine, "fingerprint": {"cores": 2}},
        configuration={"message_bytes": 256, "transport": transport},
    )


def visit(page: Page, path: str) -> None:
    """Open a page, and wait until it hears of what happens from then on."""
    with page.expect_response(lambda answer: "/events" in answer.url):
        page.goto(path)


def test_a_cell_changes_in_place_when_its_verdict_is_ready(
    page: Page, sessions: Sessions
):
    record_project(sessions)
    visit(page, "/p/openmpi?commit=v5.0.11&view=table")
    row = page.get_by_role("row").filter(
        has=page.get_by_role("rowheader", name="MPI_Reduce")
    )
    cell = row.get_by_role("cell").filter(has_text="δ").last
    expect(cell).to_contain_text("5 × 40")
    top = row.bounding_box()

    record(sessions, later(TCP, "node-tcp", "tcp"))

    expect(cell).to_contain_text("5 × 80", timeout=20_000)
    assert row.bounding_box() == top
    expect(page.get_by_role("status")).to_be_hidden()


def test_a_new_region_is_offered_and_not_pushed_in(page: Page, sessions: Sessions):
    record_project(sessions)
    visit(page, "/p/openmpi?commit=v5.0.11")
    rows = page.get_by_role("rowheader")
    expect(rows).to_have_count(4)

    record(sessions, later(NEW_REGION))

    notice = page.get_by_role("status")
    expect(notice).to_contain_text("There are new results", timeout=20_000)
    expect(rows).to_have_count(4)
    notice.get_by_role("link", name="Show them").click()
    expect(rows).to_have_count(5)


def test_home_offers_the_first_project_and_then_keeps_its_card_up_to_date(
    page: Page, sessions: Sessions
):
    visit(page, "/")
    expect(page.get_by_role("heading", name="No measurements yet")).to_be_visible()

    record_project(sessions)

    notice = page.get_by_role("status")
    notice.get_by_role("link", name="Show them").click(timeout=20_000)
    card = page.get_by_role("region", name="openmpi")
    expect(card).to_contain_text("newest of 2 commits")

    record(sessions, later(SHARED_MEMORY, commit=NEWER))

    expect(card).to_contain_text("newest of 3 commits", timeout=20_000)


def test_a_newer_commit_is_offered_and_not_mixed_with_the_one_that_is_read(
    page: Page, sessions: Sessions
):
    record_project(sessions)
    visit(page, "/p/openmpi")
    heading = page.get_by_role("heading", level=1)
    cells = page.get_by_role("table").inner_text()
    expect(heading).to_contain_text("v5.0.11")

    record(sessions, later(NEW_REGION, commit=NEWER))

    notice = page.get_by_role("status")
    expect(notice).to_contain_text("There are new results", timeout=20_000)
    expect(heading).to_contain_text("v5.0.11")
    assert page.get_by_role("table").inner_text() == cells


@pytest.mark.parametrize(
    ("path", "commit"),
    [
        ("/p/openmpi/r/MPI_Reduce?machine=node-tcp", NEWEST),
        pytest.param("/p/openmpi/m/node-tcp", NEWEST, marks=pytest.mark.thorough),
        pytest.param(
            "/p/openmpi/compare/node-tcp...node-shm", NEWEST, marks=pytest.mark.thorough
        ),
        ("/p/openmpi/history?region=MPI_Reduce", NEWER),
    ],
    ids=str,
)
def test_a_page_that_draws_offers_what_is_new(
    page: Page, sessions: Sessions, path: str, commit: dict[str, str]
):
    record_project(sessions)
    visit(page, path)
    notice = page.get_by_role("status")
    main = page.get_by_role("main")
    expect(main.locator("[aria-busy=true]")).to_have_count(0)
    text = main.inner_text()

    record(sessions, later(TCP, "node-tcp", "tcp", commit))

    expect(notice).to_contain_text("There are new results", timeout=20_000)
    assert main.inner_text() == text


def test_what_happened_while_the_server_was_away_is_seen_once_it_is_back(
    browser: Browser, engine: Engine, sessions: Sessions
):
    record_project(sessions)
    context = browser.new_context()
    page = context.new_page()
    with serving(create_app(engine, embedded_worker=False), free_port()) as site:
        page.goto(f"{site}/p/openmpi?commit=v5.0.11")
    record(sessions, later(NEW_REGION))

    with serving(create_app(engine, embedded_worker=False), urlsplit(site).port):
        notice = page.get_by_role("status")

        expect(notice).to_contain_text("There are new results", timeout=30_000)
        context.close()


def test_a_page_in_the_background_listens_again_once_it_is_looked_at(
    page: Page, sessions: Sessions
):
    hide = """is => {
        Object.defineProperty(document, "hidden", {value: is, configurable: true});
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    record_project(sessions)
    visit(page, "/p/openmpi?commit=v5.0.11")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.resource_type))

    page.evaluate(hide, arg=True)
    record(sessions, later(NEW_REGION))
    page.wait_for_timeout(4000)
    assert not {"document", "fetch", "eventsource"} & set(asked)
    page.evaluate(hide, arg=False)

    expect(page.get_by_role("status")).to_contain_text("There are new results")


def test_events_name_what_happened_and_end_with_the_server(
    site: str, sessions: Sessions
):
    record_project(sessions)
    stream = urllib.request.urlopen(f"{site}/p/openmpi/events", timeout=20)  # noqa: S310
    assert stream.headers["content-type"].startswith("text/event-stream")
    recording = threading.Timer(1.5, record, (sessions, later(SHARED_MEMORY)))
    recording.start()

    lines = iter(stream.readline, b"")
    data = next(line for line in lines if line.startswith(b"data: "))

    news = json.loads(data.removeprefix(b"data: "))
    stream.close()
    recording.join()  # or it would go on in the database of the next test
    assert news == {"commits": ["v5.0.11"], "machines": ["node-shm"]}


def test_events_of_an_unknown_project_are_refused(client):
    assert client.get("/p/nonesuch/events").status_code == 404


def test_first_run_ticks_the_page_that_gets_one_started(page: Page, sessions: Sessions):
    visit(page, "/start?project=openmpi")
    step = page.get_by_role("listitem").filter(has_text="First run")
    expect(step).to_contain_text("No run of openmpi has arrived yet")

    record_project(sessions)

    expect(step).to_contain_text("20 runs arrived", timeout=20_000)
    expect(step.get_by_text("done:")).to_be_attached()

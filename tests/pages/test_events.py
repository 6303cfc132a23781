"""What happens between a page and its stream of events is told by the stream."""

import html
import json
import re
import urllib.error
import urllib.request

import pytest

from scalewatch.app import create_app
from scalewatch.jobs import perform_next
from scalewatch.services.projects.news import Position, position_now
from scalewatch.services.runs.record import prepare, record_prepared
from support.builders import sweep_reports
from support.live import serving

PATIENCE = 20
ADDRESS = re.compile(r'data-live-events="([^"]+)"')


@pytest.fixture
def site(engine):
    with serving(create_app(engine, embedded_worker=False)) as site:
        yield site


@pytest.fixture
def record(sessions):
    """Record a sweep of a commit."""

    def record(sha, project="mpich"):
        reports = sweep_reports(commit={"sha": sha}, project=project)
        with sessions.writing.begin() as session:
            record_prepared(session, map(prepare, reports))

    return record


def events_of(site, path):
    """Return where the page at a path hears of what happens after it was read."""
    with urllib.request.urlopen(f"{site}{path}", timeout=PATIENCE) as page:  # noqa: S310
        return html.unescape(ADDRESS.search(page.read().decode())[1])


def first_event(address, headers=None):
    """Return the id and the data of the first event of a stream."""
    request = urllib.request.Request(address, headers=headers or {})  # noqa: S310
    with urllib.request.urlopen(request, timeout=PATIENCE) as stream:  # noqa: S310
        found = {}
        for line in iter(stream.readline, b""):
            field, _, text = line.decode().strip().partition(": ")
            found[field] = text
            if not line.strip() and "data" in found:
                break
    return found["id"], json.loads(found["data"])


def test_run_between_a_page_and_its_stream_is_told(site, record):
    record("v1")
    address = events_of(site, "/p/mpich")
    record("v2")

    _, news = first_event(f"{site}{address}")

    assert news == {"commits": ["v2"], "machines": ["jureca"]}


def test_analysis_between_a_page_and_its_stream_is_told(site, record, sessions):
    record("v1")
    address = events_of(site, "/")
    while perform_next(sessions, "test"):
        pass

    _, news = first_event(f"{site}{address}")

    assert news == {"commits": ["v1"], "machines": ["jureca"]}


def test_stream_goes_on_after_the_last_event_that_was_seen(site, record):
    record("v1")
    address = f"{site}{events_of(site, '/p/mpich')}"
    record("v2")
    last, _ = first_event(address)
    record("v3")

    _, news = first_event(address, {"Last-Event-ID": last})

    assert news["commits"] == ["v3"]


def test_what_a_page_shows_and_what_others_did_is_not_told(site, record, work_off):
    record("v1")
    work_off()
    address = events_of(site, "/p/mpich")
    record("v1", project="other")
    record("v2")

    _, news = first_event(f"{site}{address}")

    assert news["commits"] == ["v2"]


def test_page_that_missed_more_than_is_told_is_asked_to_look(site, record, monkeypatch):
    record("v1")
    address = events_of(site, "/p/mpich")
    monkeypatch.setattr("scalewatch.services.projects.news.MOST", 3)
    record("v2")

    last, news = first_event(f"{site}{address}")

    assert news == {"commits": [], "machines": []}
    assert Position.read(last)


def test_page_is_the_same_until_something_happens(site, record, work_off):
    record("v1")
    work_off()

    assert events_of(site, "/p/mpich") == events_of(site, "/p/mpich")


def test_position_is_read_as_it_was_written(record, sessions, work_off):
    record("v1")
    work_off()
    with sessions.reading() as session:
        position = position_now(session)

    assert position.jobs
    assert Position.read(str(position)) == position


@pytest.mark.parametrize(
    "since", ["x", "1", "-1-1-1", "9" * 30 + "-1-", "1-1-1.", "%00"]
)
def test_position_that_no_page_names_is_refused(site, record, since):
    record("v1")

    with pytest.raises(urllib.error.HTTPError, match="422"):
        first_event(f"{site}/p/mpich/events?since={since}")

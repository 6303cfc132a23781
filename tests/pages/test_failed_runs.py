"""Runs that failed are said before all that was found of the others."""

from uuid import uuid4

import pytest

from support.builders import result, run_report, sweep_reports
from support.recorded import record, record_half_failed_project
from support.shown_pages import words_of

SHA = "c" * 40
PROCESSES = (1, 2, 4, 8, 16)
COMMIT = {"sha": SHA, "committed_at": "2026-08-02T12:00:00Z"}
BEFORE = {"sha": "b" * 40, "committed_at": "2026-08-01T12:00:00Z"}
PAGES = {
    "match table": ("/p/mpich", "No verdicts yet"),
    "details": ("/p/mpich?view=table", "No verdicts yet"),
    "commit report": (f"/p/mpich/c/{SHA}", "Compared with"),
    "history": ("/p/mpich/history?region=solve", "Each dot"),
    "histories": ("/p/mpich/history", "A row is a region"),
    "region": ("/p/mpich/r/solve", "falls like"),
}


def failing(region, p, **fields):
    """Return a run that ended for want of memory."""
    failed = result(region=region, values=[], status="failed", reason="OOM")
    return run_report(
        id=str(uuid4()),
        coordinate={"p": p},
        results=[failed],
        **{"commit": COMMIT} | fields,
    )


@pytest.mark.parametrize("page", PAGES)
def test_failed_runs_at_large_scales_are_said_first(client, sessions, page):
    address, lead = PAGES[page]
    growths = {"solve": lambda p: 100 / p, "exchange": lambda p: 1 + p}
    record(sessions, sweep_reports(PROCESSES, growths, commit=BEFORE))
    record(
        sessions,
        [
            *sweep_reports(PROCESSES, growths, commit=COMMIT, seed=2),
            *[failing("solve", p) for p in (32, 64)],
        ],
    )

    words = words_of(client.get(address).text)

    said = words.partition("Failed")[2]
    assert 0 <= said.index("32, 64") < said.index("OOM") < said.index(lead)
    assert lead not in words.partition("Failed")[0]


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_said_of_failures_where_none_was(client, sessions, page):
    growths = {"solve": lambda p: 100 / p}
    for commit in (BEFORE, COMMIT):
        record(sessions, sweep_reports(PROCESSES, growths, commit=commit))

    assert "Failed" not in words_of(client.get(PAGES[page][0]).text)


def test_what_failed_alike_is_said_once(client, sessions):
    record_half_failed_project(sessions)

    words = words_of(client.get("/p/fragile").text)

    assert "series at every setting" in words
    assert words.count("Failed:") == 1


def test_history_tells_failures_of_the_newest_commit_of_each_machine(client, sessions):
    growths = {"solve": lambda p: 100 / p}
    record(
        sessions,
        [
            *sweep_reports(PROCESSES, growths, commit=BEFORE, machine={"name": "old"}),
            failing("solve", 64, commit=BEFORE, machine={"name": "old"}),
            failing("solve", 128, commit=BEFORE, machine={"name": "new"}),
            *sweep_reports(PROCESSES, growths, commit=BEFORE, machine={"name": "new"}),
            *sweep_reports(PROCESSES, growths, commit=COMMIT, machine={"name": "new"}),
        ],
    )

    page = "/p/mpich/history?region=solve"
    failed = client.get(page, params={"format": "json"}).json()["failed"]

    assert [(each["machine"], each["failures"]) for each in failed] == [
        ("old", ["p = 64: OOM"])
    ]
    assert "128" not in words_of(client.get(page).text).partition("Each dot")[0]


def test_cells_and_changes_tell_failures_to_programs(client, sessions):
    growths = {"solve": lambda p: 100 / p}
    record(sessions, sweep_reports(PROCESSES, growths, commit=BEFORE))
    record(
        sessions,
        [*sweep_reports(PROCESSES, growths, commit=COMMIT), failing("solve", 64)],
    )

    base = "/api/v1/projects/mpich"
    (row,) = client.get(f"{base}/report").json()["rows"]
    (change,) = client.get(f"{base}/changes").json()["changes"]

    assert row["cells"][0]["failures"] == ["p = 64: OOM"]
    assert change["failures"] == ["p = 64: OOM"]
    for page in ("/p/mpich", f"/p/mpich/c/{SHA}"):
        assert "p = 64: OOM" in client.get(page, params={"format": "csv"}).text

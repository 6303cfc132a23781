"""Commits whose parents go in a circle, as they arise: by what is posted later."""

import pytest

from scalewatch.services.commits.baselines import baseline_of, merge_base_of
from scalewatch.services.commits.find import find_commit
from scalewatch.storage.access import projects
from support.builders import run_report
from support.recorded import record

CIRCLE = {"a": "b", "b": "a", "alone": "alone"}


@pytest.fixture
def circular(sessions):
    """A project whose first commits get their parents when all are there."""
    record(sessions, [_run(day, sha) for day, sha in enumerate(CIRCLE, 1)])
    parents = [_run(day, *link) for day, link in enumerate(CIRCLE.items(), 4)]
    record(sessions, parents)
    return sessions


def _run(number, sha, *parents):
    day = 1 + (number - 1) % len(CIRCLE)
    return run_report(
        id=f"00000000-0000-4000-8000-{number:012d}",
        commit={
            "sha": sha,
            "parents": parents,
            "committed_at": f"2026-09-0{day}T12:00:00Z",
        },
        coordinate={"p": number},
    )


def test_histories_are_watched_and_say_which_links_are_ignored(circular, client):
    history = client.get("/api/v1/projects/mpich/history").json()
    page = client.get("/p/mpich/history").text

    with circular.reading() as session:
        open_jobs = session.connection().exec_driver_sql(
            "SELECT count(*) FROM job WHERE state != 'done'"
        )
        assert open_jobs.scalar() == 0
    said = "commit a names b as its parent, which closes a circle: this link is ignored"
    assert said in history["remarks"]
    assert said.removeprefix("c") in page


def test_a_commit_is_compared_with_no_descendant_of_its_own(circular):
    with circular.reading() as session:
        project = projects.existing(session, "mpich")
        rows = {sha: find_commit(session, project, sha) for sha in CIRCLE}
        baselines = {sha: baseline_of(session, project, rows[sha]) for sha in CIRCLE}
        bases = {sha: merge_base_of(session, project, rows[sha]) for sha in CIRCLE}

    assert baselines["a"] is None
    assert baselines["b"].commit.sha == "a"
    assert baselines["alone"].commit.sha == "b"
    assert bases == {"a": None, "b": None, "alone": None}

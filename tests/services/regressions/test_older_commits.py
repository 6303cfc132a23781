"""A change in commits that were imported long after they were made."""

from math import exp

import numpy as np

from scalewatch import jobs
from scalewatch.services.regressions.regressions import regressions_of
from scalewatch.services.runs.record import prepare, record_prepared
from scalewatch.storage.database.session import transact
from scalewatch.wire import RunReport
from support.stored import report, sha

COMMITS, SLOWER, FASTER = 560, 40, 70
"""Commits of one value each; of two changes the second undoes the first."""


def values():
    draw = np.random.default_rng(2)
    level = np.ones(COMMITS)
    level[SLOWER:FASTER] = 1.3
    return [step * exp(draw.normal(0, 0.01)) for step in level]


def test_changes_of_older_commits_are_searched_when_they_come(sessions):
    lines = [report(at, 1, {"solve": [t]}) for at, t in enumerate(values())]

    for part in (lines[100:], lines[:100]):
        prepared = [prepare(RunReport.model_validate_json(run), run) for run in part]
        transact(sessions, lambda s, p=prepared: record_prepared(s, p))
        while jobs.perform_next(sessions, "tester"):
            pass

    with sessions.reading() as session:
        found = regressions_of(session, "hydro")
    kinds = {
        (each.first.sha, each.is_worse, str(each.state)) for each in found.regressions
    }
    assert kinds == {
        (sha(SLOWER), True, "fixed"),
        (sha(FASTER), False, "improved"),
    }
    assert found.detection["unsearched"] == 0
    assert found.detection["commits"] == COMMITS

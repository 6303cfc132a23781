"""Tracks: which commits and settings of a series are looked at together."""

import numpy as np
import pytest
from sqlalchemy import select

from scalewatch.services.commits.lineage import lineage
from scalewatch.services.common_mode.project_history import series_histories
from scalewatch.storage import tables
from scalewatch.storage.commits import commits
from support.histories import (
    LINEAR,
    PROCESSES,
    TREE,
    record_commit,
    record_history,
    reports,
)
from support.recorded import record


def histories_of(session):
    line = lineage(commits.of_project(session, 1))
    return series_histories(session, 1, line)


def test_places_ascend_whatever_the_order_of_recording(sessions):
    for number in (3, 1, 4, 2):
        record_commit(sessions, number, {"MPI_Bcast": lambda p, n=number: n * TREE(p)})

    with sessions.reading() as session:
        (history,) = histories_of(session)

    assert history.positions == (0, 1, 2, 3)
    assert (np.diff(history.log, axis=0) > 0).all()


def test_settings_that_a_commit_lacks_are_missing_there(sessions):
    record_history(sessions, lambda _: {"MPI_Bcast": TREE}, 3)
    fewer = reports(4, {"MPI_Bcast": TREE})
    record(sessions, [each for each in fewer if each.coordinate["p"] > 4])

    with sessions.reading() as session:
        (history,) = histories_of(session)

    assert [at for (at,) in history.settings] == list(PROCESSES)
    assert np.isnan(history.log).tolist() == [[False] * 5] * 3 + [[True] + [False] * 4]


def test_of_a_commit_measured_under_both_names_the_present_one_counts(sessions):
    record_history(sessions, lambda _: {"bcast": TREE}, 2)
    record_commit(sessions, 3, {"bcast": TREE, "MPI_Bcast": LINEAR})
    record_commit(sessions, 4, {"MPI_Bcast": LINEAR})
    with sessions.writing.begin() as session:
        (project,) = session.scalars(select(tables.Project))
        session.add(
            tables.Alias(project_id=project.id, former="bcast", name="MPI_Bcast")
        )

    with sessions.reading() as session:
        (history,) = histories_of(session)

    assert history.positions == (0, 1, 2, 3)
    at_largest = np.exp(history.log[:, -1])
    assert at_largest[:2] == pytest.approx(TREE(64), rel=0.1)
    assert at_largest[2:] == pytest.approx(LINEAR(64), rel=0.1)

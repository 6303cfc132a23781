"""The gate, histories and home where the state of a machine changed."""

import pytest

from scalewatch.services.gates.decision import GateOutcome
from scalewatch.services.gates.gate import gate_of
from scalewatch.services.histories.histories import overview_of
from scalewatch.services.projects.home import all_projects
from support.histories import TREE, record_commit, record_history, sha
from support.shown_pages import words_of

RENEWED = 13
"""The first commit that was measured on other cores."""


def record_renewed(sessions, factor, commits=1):
    record_history(sessions, lambda _: {"MPI_Bcast": TREE}, RENEWED - 1)
    slower = {"MPI_Bcast": lambda p: factor * TREE(p)}
    for number in range(RENEWED, RENEWED + commits):
        record_commit(sessions, number, slower, cores=64)


@pytest.mark.parametrize("factor", [0.6, 1.6])
def test_nothing_is_compared_where_a_level_moved_with_a_new_state(sessions, factor):
    record_renewed(sessions, factor)

    with sessions.reading() as session:
        gate = gate_of(session, "mpich", sha(RENEWED), None)
        (project,) = all_projects(session)
        (series,) = overview_of(session, "mpich", None, None).series

    assert gate.outcome is GateOutcome.UNDECIDED
    (finding,) = gate.findings
    assert "cores 128 → 64" in finding.sentence
    assert gate.counts["undecided"] == 1
    assert "cores 128 → 64" in gate.sentence
    (begun,) = project.begun
    assert "1 of 8 commits since" in begun
    assert series.baselines == (RENEWED - 1,)


def test_a_new_state_that_moved_nothing_is_compared_with_the_commits_before(sessions):
    record_renewed(sessions, 1.0)

    with sessions.reading() as session:
        gate = gate_of(session, "mpich", sha(RENEWED), None)
        (project,) = all_projects(session)
        (series,) = overview_of(session, "mpich", None, None).series

    assert gate.outcome is GateOutcome.FINE
    assert project.begun == ()
    assert series.baselines == ()


def test_commits_of_the_new_state_are_compared_with_each_other(sessions):
    record_renewed(sessions, 1.6, commits=2)

    with sessions.reading() as session:
        gate = gate_of(session, "mpich", sha(RENEWED + 1), None)

    assert gate.outcome is GateOutcome.FINE


def test_report_of_a_commit_names_what_changed_in_its_machine(client, sessions):
    record_renewed(sessions, 1.6)

    words = words_of(client.get(f"/p/mpich/c/{sha(RENEWED)}").text)

    row = words[words.index("Facts and settings that differ") :]
    assert "cores" in row
    assert "64" in row
    assert "there is nothing to compare with" in words

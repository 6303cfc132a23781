"""Baselines of commits whose parents nobody has posted, by their branches."""

import pytest

from scalewatch.services.commits.baselines import Relation, baseline_of, merge_base_of
from scalewatch.services.gates.gate import gate_of
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from support.builders import sweep_reports
from support.histories import TREE, record_commit, sha
from support.long_histories import add_commits
from support.recorded import record


def add(sessions, *described):
    """Add commits given as branch and parent, in order of time, from number 2 on."""
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    add_commits(
        sessions,
        1,
        [
            {
                "number": number,
                "sha": sha(number),
                "branch": branch,
                "parents": [sha(parent)] if parent else [],
            }
            for number, (branch, parent) in enumerate(described, 2)
        ],
    )


def ask(sessions, question, number):
    """Return the answer of a question about a commit, given by its number."""
    with sessions.reading() as session:
        project = projects.existing(session, "mpich")
        (row,) = commits.with_hashes(session, project.id, [sha(number)])
        return question(session, project, row)


@pytest.mark.parametrize(
    ("branch", "expected"),
    [("main", 2), ("feature", 3), ("other", 2), (None, 2)],
)
def test_commit_without_parents_is_compared_with_one_of_its_branch(
    sessions, branch, expected
):
    add(sessions, ("main", 1), ("feature", 1), (branch, None))

    baseline = ask(sessions, baseline_of, 4)

    assert baseline.commit.sha == sha(expected)
    assert baseline.relation is Relation.EARLIER


def test_commits_of_unknown_branch_may_be_of_any(sessions):
    add(sessions, (None, None), ("feature", None))

    assert ask(sessions, baseline_of, 3).commit.sha == sha(2)


def test_a_main_commit_without_parents_breaks_no_merge_base(sessions):
    add(sessions, ("main", 1), ("feature", 2), ("feature", 3), ("main", None))

    assert ask(sessions, merge_base_of, 3) == sha(2)
    assert ask(sessions, merge_base_of, 4) == sha(2)
    assert ask(sessions, merge_base_of, 5) is None


def test_the_gate_names_the_branch_of_the_baseline(sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": TREE})

    with sessions.reading() as session:
        sentence = gate_of(session, "mpich", sha(2), None).sentence

    assert sentence.endswith(f"than {sha(1)[:10]} on main")


def test_on_other_names_of_branches_the_newest_earlier_commit_is_the_baseline(sessions):
    for day, branch in enumerate(("trunk", "feature"), 1):
        made = f"2026-01-0{day}T00:00:00Z"
        commit = {"sha": branch, "branch": branch, "committed_at": made}
        record(sessions, sweep_reports(commit=commit))

    with sessions.reading() as session:
        gate = gate_of(session, "mpich", "feature", None)

    assert (gate.baseline.named, gate.relation) == ("trunk on trunk", "earlier")

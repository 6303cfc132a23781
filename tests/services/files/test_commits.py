"""Commits that files tell of are ordered by parents, then by time, never by name."""

from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from scalewatch.errors import UnknownCommit, UnknownOrder
from scalewatch.importers import read_files
from scalewatch.services.files.commits import by_commit
from support.builders import result, run_report

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
NAMES = ("c" * 40, "a" * 40, "b" * 40)
"""Commits in the order in which they were made, which is not that of their names."""


def commits_of(folder, commits):
    """Read a folder with a run report for each commit, in files of their names."""
    for commit in commits:
        report = run_report(
            commit=commit,
            coordinate={"p": 4},
            results=[result(region="solve", metric="time", unit="s", values=[1.0])],
        )
        (folder / f"{commit['sha']}.json").write_text(report.model_dump_json())
    return by_commit(read_files([str(folder)]).scans)


def chain(*names, **fields):
    parents = [[], *([name] for name in names)]
    return [
        {"sha": name, "parents": before, **fields}
        for name, before in zip(names, parents, strict=False)
    ]


def dated(*names):
    return [
        {"sha": name, "committed_at": (BEGIN + timedelta(days=at)).isoformat()}
        for at, name in enumerate(names)
    ]


@pytest.mark.parametrize("made", [chain, dated])
@pytest.mark.parametrize(
    "names", [*permutations(NAMES)], ids=lambda names: names[0][0] + names[1][0]
)
def test_order_is_that_of_parents_or_times_whatever_files_are_called(
    tmp_path, made, names
):
    commits = commits_of(tmp_path, made(*names))

    assert list(commits.scans) == [*names]
    assert commits.chosen(None) == names[-1]
    assert [commits.before(name) for name in names] == [None, *names[:-1]]


def test_times_are_compared_across_zones(tmp_path):
    commits = commits_of(
        tmp_path,
        [
            {"sha": "new", "committed_at": "2026-01-02T00:00:00+00:00"},
            {"sha": "old", "committed_at": "2026-01-02T00:30:00+02:00"},
        ],
    )

    assert list(commits.scans) == ["old", "new"]


def test_parents_count_more_than_times(tmp_path):
    one_moment = {"committed_at": BEGIN.isoformat()}
    first, *others = chain(*NAMES, **one_moment)
    late = {**first, "committed_at": (BEGIN + timedelta(days=9)).isoformat()}

    commits = commits_of(tmp_path, [late, *others])

    assert list(commits.scans) == [*NAMES]


def test_commit_before_is_the_parent_and_not_the_feature_made_between(tmp_path):
    base, _, main = NAMES
    listed = dated(*NAMES)
    for commit in listed[1:]:
        commit["parents"] = [base]

    commits = commits_of(tmp_path, listed)

    assert commits.chosen(None) == main
    assert commits.before(main) == base


def test_newest_of_commits_without_parents_and_times_is_asked_for(tmp_path):
    commits = commits_of(tmp_path, [{"sha": name} for name in NAMES])

    with pytest.raises(UnknownOrder, match="--commit"):
        commits.chosen(None)
    with pytest.raises(UnknownOrder, match="--baseline"):
        commits.before(NAMES[1])
    assert commits.chosen("aa") == NAMES[1]


def test_unknown_commit_is_refused(tmp_path):
    commits = commits_of(tmp_path, chain(*NAMES))

    with pytest.raises(UnknownCommit):
        commits.chosen("f")


def test_parents_in_a_circle_leave_the_order_to_times(tmp_path):
    listed = dated(*NAMES[:2])
    listed[0]["parents"], listed[1]["parents"] = [NAMES[1]], [NAMES[0]]

    assert list(commits_of(tmp_path, listed).scans) == [*NAMES[:2]]

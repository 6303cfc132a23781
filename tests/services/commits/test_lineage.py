from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from scalewatch.services.commits.lineage import Ancestry, lineage, merge_base
from scalewatch.storage import tables

START = datetime(2026, 1, 1, tzinfo=UTC)
IDS = count(1)


def commit(sha, *parents, day=0, branch="main", posted=None):
    return tables.Commit(
        id=next(IDS),
        sha=sha,
        parents=list(parents),
        branch=branch,
        tag=None,
        committed_at=START + timedelta(days=day),
        first_run_at=START + timedelta(days=day if posted is None else posted),
    )


def order(*commits, head=None):
    return [each.sha for each in lineage(commits, head).commits]


REMARKS = {
    "unknown parents": (
        [commit("a", day=1), commit("c", "b?", day=3), commit("b", "a", day=2)],
        "commit c was placed by time: no parent was ever posted",
    ),
    "a merge": (
        [commit("a"), commit("b", "a", day=1), commit("m", "b", "a", day=2)],
        "commit m is a merge",
    ),
    "replaced": (
        [commit("a", day=1), commit("old", "a", day=2), commit("new", "a", day=3)],
        "1 commit left out because a force push has replaced it",
    ),
    "another branch": (
        [commit("a"), commit("b", "a", day=1), commit("t", "a", branch="topic")],
        "1 commit left out because it is on branch topic",
    ),
    "posted late": (
        [commit("a", day=1, posted=9), commit("b", "a", day=2, posted=3)],
        "commit a was posted after newer ones",
    ),
    "a gap": (
        [commit("a", day=1), commit("b", "a", day=151)],
        "150 days without a measured commit before b",
    ),
    "a circle": (
        [commit("a", "b"), commit("b", "a", day=1)],
        "commit a names b as its parent, which closes a circle: this link is ignored",
    ),
    "many circles": (
        [commit(f"c{each}", f"c{each}", day=each) for each in range(9)],
        "6 more links to parents close circles and are ignored",
    ),
}


@pytest.mark.parametrize(("commits", "remark"), REMARKS.values(), ids=REMARKS)
def test_oddities_of_a_line_are_remarked(commits, remark):
    assert remark in lineage(commits).remarks


def test_a_line_without_oddities_has_no_remark():
    assert lineage([commit("a"), commit("b", "a", day=1)]).remarks == ()


def test_ancestry_goes_before_clocks():
    assert order(
        commit("c", "b", day=1), commit("a", day=3), commit("b", "a", day=2)
    ) == ["a", "b", "c"]


def test_a_commit_of_unknown_parents_is_placed_by_its_time():
    found = lineage(
        [commit("a", day=1), commit("c", "b?", day=3), commit("b", "a", day=2)]
    )

    assert [each.sha for each in found.commits] == ["a", "b", "c"]
    assert len(found.remarks) == 1


def test_a_merge_comes_after_both_of_its_parents():
    found = lineage(
        [
            commit("a", day=1),
            commit("m", "b", "x", day=2),
            commit("b", "a", day=4),
            commit("x", "a", day=5, branch="topic"),
        ]
    )

    assert [each.sha for each in found.commits] == ["a", "b", "x", "m"]


def test_what_a_force_push_replaced_is_left_out():
    found = lineage(
        [commit("a", day=1), commit("old", "a", day=2), commit("new", "a", day=3)]
    )

    assert [each.sha for each in found.commits] == ["a", "new"]
    assert len(found.aside) == 1


def test_another_branch_is_left_out_until_it_is_asked_for():
    main = [commit("a", day=1), commit("b", "a", day=2)]
    topic = commit("t", "a", day=3, branch="topic")

    assert order(*main, topic) == ["a", "b"]
    assert order(*main, topic, head=topic) == ["a", "t"]
    assert merge_base(main[1], [topic], Ancestry.of((*main, topic))) is main[0]


def test_commits_posted_out_of_order_are_in_order():
    found = lineage([commit("a", day=1, posted=9), commit("b", "a", day=2, posted=3)])

    assert [each.sha for each in found.commits] == ["a", "b"]
    assert len(found.remarks) == 1


def test_parents_that_go_in_a_circle_break_nothing():
    assert sorted(order(commit("a", "b"), commit("b", "a"), commit("c", "c"))) == [
        "a",
        "b",
        "c",
    ]


@pytest.mark.parametrize("length", [1, 2, 3, 1_000])
def test_a_circle_of_any_length_is_opened_where_it_goes_against_time(length):
    circle = [
        commit(f"c{each}", f"c{(each - 1) % length}", day=each)
        for each in range(length)
    ]

    found = lineage(circle)

    assert [each.sha for each in found.commits] == [each.sha for each in circle]
    assert found.aside == {}
    named = "itself" if length == 1 else f"c{length - 1}"
    (remark,) = found.remarks
    assert remark.startswith(f"commit c0 names {named} as its parent")


def test_circles_that_share_commits_are_all_opened():
    commits = [
        commit("a", "b", "c", day=1),
        commit("b", "a", "b", day=2),
        commit("c", "b", "a", day=3),
        commit("d", "c", day=4),
    ]

    ancestry = Ancestry.of(commits)

    assert set(ancestry.circular) == {("a", "b"), ("a", "c"), ("b", "b")}
    assert order(*commits) == ["a", "b", "c", "d"]
    assert merge_base(commits[0], [commits[3]], ancestry) is commits[0]


def test_a_clock_that_is_wrong_makes_no_circle():
    commits = [commit("a", day=9), commit("b", "a", day=1), commit("c", "b", day=2)]

    assert Ancestry.of(commits).circular == ()
    assert order(*commits) == ["a", "b", "c"]


def test_many_circles_are_counted_in_one_remark():
    found = lineage([commit(f"c{each}", f"c{each}", day=each) for each in range(9)])

    assert len([each for each in found.remarks if "circle" in each]) == 4


def test_no_commit_is_an_empty_line():
    assert lineage([]).commits == ()

"""Commits of files, in the order in which they were made."""

import json

import pytest

from scalewatch.importers import read_files
from scalewatch.services.files.commits import by_commit, chosen
from support.builders import sweep


@pytest.fixture
def order_of(tmp_path):
    """Return a function that writes a file for each commit, and tells their order."""

    def order(*commits):
        for number, commit in enumerate(commits):
            text = json.dumps(sweep((2, 4, 8), commit=commit))
            (tmp_path / f"{number}.json").write_text(text, "utf-8")
        reading = read_files([str(path) for path in sorted(tmp_path.iterdir())])
        return list(by_commit(reading.scans))

    return order


def test_times_go_before_names_of_files(order_of):
    order = order_of(
        {"sha": "new", "committed_at": "2026-01-02T00:00:00+00:00"},
        {"sha": "old", "committed_at": "2026-01-02T00:30:00+02:00"},
    )

    assert order == ["old", "new"]
    assert chosen(order, None) == "new"


def test_parents_go_before_clocks(order_of):
    order = order_of(
        {"sha": "c", "parents": ["b"], "committed_at": "2026-01-01T00:00:00+00:00"},
        {"sha": "b", "parents": ["a"], "committed_at": "2026-01-03T00:00:00+00:00"},
        {"sha": "a", "committed_at": "2026-01-02T00:00:00+00:00"},
    )

    assert order == ["a", "b", "c"]


def test_parents_in_a_circle_end(order_of):
    order = order_of({"sha": "a", "parents": ["b"]}, {"sha": "b", "parents": ["a"]})

    assert sorted(order) == ["a", "b"]


def test_commits_of_which_nothing_is_known_keep_the_order_of_the_files(order_of):
    assert order_of({"sha": "z"}, {"sha": "a"}) == ["z", "a"]

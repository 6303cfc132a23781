"""Histories of what is counted exactly: one commit tells a change."""

import pytest
from sqlalchemy import select

from scalewatch.services.histories.histories import history_of
from scalewatch.storage import tables
from scalewatch.storage.histories import regressions
from support.exact_counts import count
from support.histories import sha
from support.service_sentences import SAID

LOOP = "exchange › loop 2"


def counted(sessions, *growths):
    for number, growth in enumerate(growths, 1):
        count(sessions, number, {LOOP: growth, "main": lambda _: 1})


def found(session):
    (project,) = session.scalars(select(tables.Project))
    rows = list(regressions.of_project(session, project.id))
    return [(row, regressions.members(session, [row.id])[row.id]) for row in rows]


def test_a_growth_that_changes_is_a_regression_at_the_second_commit(sessions):
    counted(sessions, lambda p: 24 * p, lambda p: 12 * p * (p - 1))

    with sessions.reading() as session:
        ((row, (member,)),) = found(session)
        assert (row.kind, row.state, row.is_sure) == ("growth", "open", True)
        assert member.region == LOOP
        assert row.sentence == SAID["suspect of a count"]
        details = member.details
        assert (details.growth_before, details.growth_after) == ("p", "p^2")
        assert details.kind_probability == 1
        assert details.low == details.factor == details.high


@pytest.mark.parametrize(
    ("after", "kind"),
    [(lambda p: 107 * p, "level"), (lambda p: 140 * p + 60, "coefficient")],
    ids=["by one factor", "by its growing part"],
)
def test_more_work_at_the_same_growth_is_a_change_of_a_constant(sessions, after, kind):
    counted(sessions, lambda p: 100 * p, lambda p: 100 * p, after)

    with sessions.reading() as session:
        ((row, (member,)),) = found(session)
        assert (row.kind, row.is_worse, row.is_sure) == ("constant", True, True)
        assert member.details.kind == kind
        assert member.details.growth_before == member.details.growth_after == "p"


def test_a_growth_that_returns_is_fixed(sessions):
    few, many = lambda p: p - 1, lambda p: p * (p - 1)
    counted(sessions, few, many, many, few)

    with sessions.reading() as session:
        states = {row.is_worse: row.state for row, _ in found(session)}
        assert states == {True: "fixed", False: "improved"}


def test_counts_that_stay_or_creep_below_one_percent_are_no_change(sessions):
    counted(sessions, *[lambda p, k=k: 10_000 * p + k * p for k in (0, 20, 40, 60)])

    with sessions.reading() as session:
        assert found(session) == []
        history = history_of(session, "mpich", LOOP, "count", None)
        assert [each.growth for each in history.series[0].segments] == ["p"]


def test_the_history_shows_both_growths(sessions):
    counted(sessions, lambda p: 24 * p, lambda p: 24 * p, lambda p: 12 * p * (p - 1))

    with sessions.reading() as session:
        history = history_of(session, "mpich", LOOP, "count", None)
        (series,) = history.series
        assert [(each.first, each.growth) for each in series.segments] == [
            (0, "p"),
            (2, "p^2"),
        ]
        assert history.commits[series.changes[0].first].sha == sha(3)

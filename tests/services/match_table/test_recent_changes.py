from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import Engine, select, update
from sqlalchemy.orm import Session

from scalewatch.services.commits.find import find_commit
from scalewatch.services.match_table.table import LATELY, recent_changes
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.database.session import sessions_of
from support.histories import FIRST_DAY, TREE, commit, record_commit, reports
from support.large_project import PROJECT
from support.recorded import record


@pytest.fixture
def large_session(large_engine: Engine) -> Iterator[Session]:
    with sessions_of(large_engine).reading() as session:
        yield session


def last_commit_of(session, state):
    """Return the last commit that may have made a regression in some state."""
    (last,) = session.scalars(
        select(tables.Regression.last_commit_id)
        .where(tables.Regression.state == state)
        .limit(1)
    )
    return session.get(tables.Commit, last)


def test_only_changes_of_the_last_weeks_are_recent(large_session):
    changed = last_commit_of(large_session, "open")

    recent = recent_changes(large_session, changed)

    assert recent
    until = changed.committed_at
    states = {
        row.id: row.state for row in large_session.scalars(select(tables.Regression))
    }
    assert all(each.at <= until for each in recent.values())
    assert all(
        until - LATELY <= each.at or states[each.regression] == "open"
        for each in recent.values()
    )
    shifts = large_session.query(tables.Shift).filter(
        tables.Shift.series_id.in_(recent)
    )
    assert {each.series_id for each in shifts} == recent.keys()


def test_what_became_worse_is_marked_as_long_as_it_is_open(sessions):
    slow = {"solve": lambda p: 1.8 * TREE(p)}
    for number in range(1, 21):
        record_commit(sessions, number, {"solve": TREE} if number < 12 else slow)
    far = FIRST_DAY + LATELY + timedelta(days=90)
    made = {**commit(21), "committed_at": far.isoformat()}
    record(sessions, reports(21, slow, commit=made))

    def worse():
        with sessions.reading() as session:
            project = projects.existing(session, "mpich")
            newest = find_commit(session, project, None)
            return [each.is_worse for each in recent_changes(session, newest).values()]

    while_open = worse()
    with sessions.writing.begin() as session:
        session.execute(update(tables.Regression).values(state="acknowledged"))

    assert while_open == [True]
    assert worse() == []


def test_change_for_the_better_is_told_from_one_for_the_worse(large_session):
    changed = last_commit_of(large_session, "improved")

    recent = recent_changes(large_session, changed).values()

    numbers = {each.regression for each in recent if not each.is_worse}
    improved = {large_session.get(tables.Regression, each).state for each in numbers}
    assert improved == {"improved"}


def test_what_changed_after_a_commit_is_unknown_to_it(large_session):
    project = projects.existing(large_session, PROJECT)
    newest = find_commit(large_session, project, None)
    last = newest.committed_at
    older = newest._replace(committed_at=last - LATELY - timedelta(days=60))

    before = recent_changes(large_session, older)

    assert all(each.at <= older.committed_at for each in before.values())

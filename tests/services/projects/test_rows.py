from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import event, update

from scalewatch.services.machines.silence import silent_machines
from scalewatch.services.projects.overviews import trend_of
from scalewatch.services.projects.rows import groups_of, project_rows
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.tables import now
from support.histories import TREE, record_commit


@contextmanager
def statements(session) -> Iterator[list[str]]:
    """Collect the statements that a session sends."""
    sent: list[str] = []

    def note(_, __, statement, *___):
        sent.append(statement)

    engine = session.get_bind()
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", note)


def reads_of(sessions):
    with sessions.reading() as session, statements(session) as sent:
        rows = project_rows(session)
    return len(rows), len(sent)


def test_more_projects_take_no_more_statements(sessions):
    for name in ("a", "b"):
        record_commit(sessions, 1, {"solve": TREE}, project=name)
    few = reads_of(sessions)
    for name in ("c", "d", "e", "f"):
        record_commit(sessions, 1, {"solve": TREE}, project=name)
    many = reads_of(sessions)

    assert (few[0], many[0]) == (2, 6)
    assert few[1] == many[1]


def test_private_project_is_in_no_row(sessions):
    for name in ("open", "hidden"):
        record_commit(sessions, 1, {"solve": TREE}, project=name)
    with sessions.writing.begin() as session:
        hidden = projects.existing(session, "hidden")
        projects.change_policy(session, hidden.id, {"is_private": True})

    with sessions.reading() as session:
        projects.restrict(session, None)
        assert [row.name for row in project_rows(session)] == ["open"]


def test_machine_that_stopped_is_named(sessions):
    record_commit(sessions, 1, {"solve": TREE}, machine="lumi")
    record_commit(sessions, 2, {"solve": TREE}, machine="jureca")
    with sessions.writing.begin() as session:
        lumi = session.query(tables.Machine).filter_by(name="lumi").one()
        session.execute(
            update(tables.Run)
            .where(tables.Run.machine_id == lumi.id)
            .values(received_at=now() - timedelta(days=40))
        )

    with sessions.reading() as session:
        (row,) = project_rows(session)
    assert [each.machine for each in row.silent] == ["lumi"]
    assert set(row.machines) == {"jureca", "lumi"}


def test_machines_are_silent_beside_others_only():
    day = datetime(2026, 5, 1, tzinfo=UTC)
    long_ago = day - timedelta(days=400)

    assert silent_machines([]) == ()
    assert silent_machines([("only", long_ago)]) == ()
    assert silent_machines([("a", day), ("b", day - timedelta(days=13))]) == ()
    silent = silent_machines(
        [("a", day), ("b", day - timedelta(days=15)), ("c", long_ago)]
    )
    assert [each.machine for each in silent] == ["c", "b"]


@pytest.mark.parametrize(
    ("names", "grouped"),
    [
        (["a-1", "a-2", "a-3"], set()),  # one screen
        ([f"a-{n}" for n in range(20)], set()),  # all alike
        ([f"a-{n}" for n in range(20)] + ["b-1", "b-2"], {"a"}),
        ([f"a.{n}" for n in range(9)] + [f"b:{n}" for n in range(9)], {"a", "b"}),
        ([f"code{n}" for n in range(20)], set()),
        (["-", "_a"] * 10, set()),
    ],
)
def test_groups_are_names_that_begin_alike(names, grouped):
    assert {group for group in groups_of(names).values() if group} == grouped


def test_nothing_measured_has_no_trend():
    assert trend_of((), "time") == ()

"""Which commits were traced is found without reading all points."""

import pytest
from sqlalchemy import event

from scalewatch.storage.access import projects
from scalewatch.storage.runs.traces import commits_of
from support.histories import commit
from support.recorded import record, record_project
from support.traced import wavefront


@pytest.fixture
def traced(sessions):
    """A project of two traced commits and an untraced one, beside another project."""
    for number in (1, 2):
        record(sessions, wavefront(commit=commit(number)))
    record_project(sessions, "sweep")
    record_project(sessions, "openmpi")
    return sessions


def test_traced_commits_are_those_with_times_of_the_whole_program(traced):
    with traced.reading() as session:
        found = {
            name: commits_of(session, projects.existing(session, name).id)
            for name in ("sweep", "openmpi")
        }

    shas = [each.sha for each in found["sweep"]]
    assert shas == [commit(2)["sha"], commit(1)["sha"]]
    assert not found["openmpi"]


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_points_are_looked_up_by_their_key(traced):
    asked = []
    with traced.reading() as session:
        project = projects.existing(session, "sweep")
        connection = session.connection()
        event.listen(
            connection,
            "before_cursor_execute",
            lambda _connection, _cursor, statement, values, *_: asked.append(
                (statement, values)
            ),
        )
        commits_of(session, project.id)
        plans = [
            row[-1]
            for statement, values in [*asked]
            for row in connection.exec_driver_sql(
                f"EXPLAIN QUERY PLAN {statement}", values
            )
        ]

    of_points = [step for step in plans if " point " in f"{step} "]
    assert of_points == ["SEARCH point USING PRIMARY KEY (run_id=? AND series_id=?)"]

"""What is removed goes with all that hangs on it; the rest is as if it never was."""

from functools import partial
from uuid import UUID

import pytest
from click.testing import CliRunner
from sqlalchemy import select, text

from scalewatch.cli import main
from scalewatch.cli.server import database
from scalewatch.errors import NotFound
from scalewatch.services.access import audit, tokens
from scalewatch.services.access.callers import Role
from scalewatch.services.expectations.declarations import Declaration, declare
from scalewatch.services.operations import removals
from scalewatch.services.regressions import webhooks
from scalewatch.settings import get_settings
from scalewatch.storage import tables
from scalewatch.storage.database.session import transact
from scalewatch.storage.tables import Table
from support.histories import LINEAR, TREE, commit, record_history, reports, sha
from support.recorded import record, record_project
from support.service_sentences import SAID

GENERATED = {"grid", "job", "audit", "worker"}
"""Tables whose rows say when something was done, or that outlive what they tell of."""


def contents(sessions, *, without=GENERATED):
    """Return how many rows tables have."""
    names = [t.name for t in Table.metadata.sorted_tables if t.name not in without]
    with sessions.reading() as session:
        return {
            name: session.execute(text(f'SELECT count(*) FROM "{name}"')).scalar()  # noqa: S608
            for name in names
        }


def findings(sessions, project):
    """Return the models and verdicts of a project, by names."""
    with sessions.reading() as session:
        rows = session.execute(
            text(
                "SELECT c.sha, m.name, s.region, o.growth, o.points, o.constant, "
                'v.verdict FROM model o JOIN "commit" c ON c.id = o.commit_id '
                "JOIN series s ON s.id = o.series_id "
                "JOIN machine m ON m.id = s.machine_id "
                "JOIN project p ON p.id = m.project_id "
                "LEFT JOIN verdict v ON v.commit_id = o.commit_id "
                "AND v.series_id = o.series_id WHERE p.name = :project "
                "ORDER BY 1, 2, 3"
            ),
            {"project": project},
        )
        return [tuple(row) for row in rows]


def everything(sessions):
    """Return what is stored, as far as a project that is gone may not change it."""
    with sessions.reading() as session:
        jobs = session.execute(select(tables.Job.kind, tables.Job.subject)).all()
    return contents(sessions), findings(sessions, "openmpi"), sorted(jobs)


@pytest.fixture
def two_projects(sessions, tmp_path):
    """Two projects, of which one is to go."""
    record_project(sessions, "openmpi")
    kept = everything(sessions)
    record_project(sessions, "mpich")
    with sessions.writing.begin() as session:
        declare(
            session,
            "mpich",
            [Declaration("MPI_Bcast", "time", "O(log p)")],
            author="ada",
            reason=None,
        )
        tokens.create(session, "ci", Role.INGEST, "mpich")
        url, key_file = "http://127.0.0.1:1/hook", tmp_path / "secrets.key"
        webhooks.add(session, "mpich", url, "ada", key_file)
        webhooks.test(session, "mpich", 1)
    return kept


def test_removed_project_leaves_no_row_behind(sessions, two_projects):
    removed = transact(sessions, partial(removals.remove_project, name="mpich"))

    assert removed.rows["projects"] == 1
    assert removed.rows["runs"] == 20
    assert removed.rows["commits"] == removed.rows["machines"] == 2
    assert removed.rows["tokens"] == removed.rows["webhooks"] == 1
    assert everything(sessions) == two_projects
    with sessions.reading() as session:
        (entry,) = audit.entries(session, "mpich", limit=1)
    assert (entry.action, entry.details["runs"]) == ("project removed", 20)


def reports_of(project, *numbers, curve=TREE):
    return [
        report
        for number in numbers
        for report in reports(
            number,
            {"MPI_Bcast": curve, "MPI_Gather": LINEAR},
            project=project,
            commit=commit(number, parents=[]),
        )
    ]


@pytest.mark.parametrize("gone", [1, 2, 4])
def test_a_project_without_a_commit_is_as_if_it_had_never_been_measured(
    sessions, work_off, gone
):
    left = [number for number in (1, 2, 3, 4) if number != gone]
    for number in left:
        record(sessions, reports_of("left", number))
    for number in (1, 2, 3, 4):
        record(sessions, reports_of("mpich", number))

    remove = partial(removals.remove_commit, project_name="mpich", reference=sha(gone))
    removed = transact(sessions, remove)
    work_off()

    assert removed.rows == {
        "commits": 1,
        "runs": 5,
        "measurements": 10,
        "models": 2,
        "verdicts": 2,
    }
    assert removed.analyses == 4 - gone
    assert findings(sessions, "mpich") == findings(sessions, "left")


def test_a_regression_goes_with_the_commit_that_it_began_at(sessions, work_off):
    record_history(
        sessions, lambda number: {"MPI_Bcast": LINEAR if number > 12 else TREE}, 16
    )
    before = contents(sessions)

    for number in (13, 14, 15, 16):
        remove = partial(
            removals.remove_commit, project_name="mpich", reference=sha(number)
        )
        transact(sessions, remove)
    work_off()

    assert before["regression"] == 1
    after = contents(sessions)
    assert after["regression"] == after["shift"] == after["happening"] == 0


def test_removed_run_leaves_its_commit_to_be_analysed_anew(sessions, work_off):
    record(sessions, reports_of("mpich", 1))
    (first, *_) = reports_of("mpich", 1)

    removed = transact(sessions, partial(removals.remove_run, uuid=first.id))
    before = findings(sessions, "mpich")
    work_off()

    assert removed.rows == {"runs": 1, "measurements": 2, "models": 2, "verdicts": 2}
    assert removed.analyses == 1
    assert before == []
    assert {row[4] for row in findings(sessions, "mpich")} == {4}


def test_the_last_run_takes_all_with_it_but_the_project(sessions):
    runs = reports_of("mpich", 1)
    record(sessions, runs)

    for run in runs:
        transact(sessions, partial(removals.remove_run, uuid=run.id))

    rows = contents(sessions)
    left = {name for name, number in rows.items() if number}
    assert left == {"project", "watch", "overview", "expectation"}


def test_removed_machine_leaves_the_other_one_as_it_was(sessions, work_off):
    record_project(sessions, "openmpi")
    before = [each for each in findings(sessions, "openmpi") if each[1] == "node-shm"]

    remove = partial(removals.remove_machine, project_name="openmpi", name="node-tcp")
    removed = transact(sessions, remove)
    work_off()

    assert removed.rows["machines"] == 1
    assert "commits" not in removed.rows
    assert findings(sessions, "openmpi") == before


def test_what_is_not_there_is_not_removed(sessions):
    record(sessions, reports_of("mpich", 1))
    for remove in (
        partial(removals.remove_project, name="openmpi"),
        partial(removals.remove_machine, project_name="mpich", name="juwels"),
        partial(removals.remove_commit, project_name="mpich", reference="ff"),
        partial(removals.remove_run, uuid=UUID(int=5)),
    ):
        with pytest.raises(NotFound):
            transact(sessions, remove)


@pytest.fixture
def scalewatch(database_url, monkeypatch):
    """The command on the database of the test."""
    monkeypatch.setenv("SCALEWATCH_DATABASE_URL", database_url)
    monkeypatch.setattr(database, "prepare", lambda _engine: None)
    get_settings.cache_clear()
    yield lambda *arguments, **how: CliRunner().invoke(main, arguments, **how)
    get_settings.cache_clear()


def test_dry_run_says_what_would_go_and_removes_nothing(sessions, scalewatch):
    record(sessions, reports_of("mpich", 1, 2))
    before = contents(sessions, without=set())

    told = scalewatch("remove", "commit", sha(1), "--project", "mpich", "--dry-run")

    assert told.exit_code == 0, told.output
    assert told.output == (
        f"Would remove commit {sha(1)}: 1 commits, 5 runs, 10 measurements, 2 models, "
        "2 verdicts. 1 analyses are made anew.\n"
    )
    assert contents(sessions, without=set()) == before


def test_command_removes_only_with_consent(sessions, scalewatch):
    record(sessions, reports_of("mpich", 1))
    command = ("remove", "project", "mpich")

    alone = scalewatch(*command)
    left = contents(sessions)["project"]
    consented = scalewatch(*command, "--yes")

    assert (alone.exit_code, consented.exit_code) == (2, 0)
    assert "--yes" in alone.output
    assert consented.output.startswith(SAID["removed"])
    assert (left, contents(sessions)["project"]) == (1, 0)

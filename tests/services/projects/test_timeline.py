from datetime import UTC, datetime, timedelta

from scalewatch.services.projects.timeline import DAYS, news_since, timeline
from scalewatch.storage.access import projects
from scalewatch.storage.database.session import sessions_of
from support.builders import sweep_reports
from support.histories import FIRST_DAY, TREE, record_commit
from support.large_project import PROJECT
from support.recorded import PROCESSES, record

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def test_commits_are_counted_by_the_day_up_to_the_newest(sessions):
    for number in (1, 2, 150):
        record_commit(sessions, number, {"MPI_Bcast": TREE})

    with sessions.reading() as session:
        shown = timeline(session, "mpich")
    assert shown.last.date() == (FIRST_DAY + timedelta(days=150)).date()
    assert len(shown.commits) == DAYS
    assert (sum(shown.commits), shown.commits[-1]) == (1, 1)


def test_new_state_of_a_machine_is_dated_by_its_first_commit_with_what_changed(
    sessions,
):
    for number, cores in ((1, 64), (2, 64), (3, 128), (4, 64)):
        record_commit(sessions, number, {"MPI_Bcast": TREE}, cores=cores)

    with sessions.reading() as session:
        shown = timeline(session, "mpich")
    told = [
        (shown.day_of(each.at), each.machine, *each.changes) for each in shown.states
    ]
    assert [(day, machine) for day, machine, _ in told] == [
        (DAYS - 2, "jureca"),
        (DAYS - 1, "jureca"),
    ]
    change = told[0][2]
    assert (change.fact, change.before, change.after) == ("cores", 64, 128)


def test_changes_are_those_of_these_days_and_the_oldest_open_one_is_dated(large_engine):
    with sessions_of(large_engine).reading() as session:
        shown = timeline(session, PROJECT)

    assert all(each.at >= shown.first for each in shown.regressions)
    better = {each.regions[0] for each in shown.regressions if not each.is_worse}
    assert "output::gather_snapshot" in better
    assert shown.open_since.date().isoformat() == "2026-01-28"
    assert [each.machine for each in shown.states] == ["juwels"]


def test_project_without_commits_has_no_time_line(sessions):
    with sessions.writing.begin() as session:
        projects.find_or_create(session, "new")

    with sessions.reading() as session:
        assert timeline(session, "new") is None


def test_news_since_a_moment_are_commits_runs_and_regressions(sessions, large_engine):
    record(sessions, sweep_reports(PROCESSES, project="mpich"))
    now = datetime.now(UTC)

    with sessions.reading() as session:
        before, after = (news_since(session, "mpich", at) for at in (LONG_AGO, now))
    with sessions_of(large_engine).reading() as session:
        large = news_since(session, PROJECT, LONG_AGO)
    assert (before.commits, before.machines) == (1, ("jureca",))
    assert after.is_empty
    assert len(large.opened) == 2
    assert large.states == {}

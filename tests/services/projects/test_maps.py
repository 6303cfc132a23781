from scalewatch.services.projects.home import home_map
from scalewatch.services.projects.overviews import MOST_ROWS
from scalewatch.storage.access import projects
from scalewatch.storage.database.session import sessions_of
from support.builders import sweep_reports
from support.large_project import PROJECT
from support.recorded import PROCESSES, record


def test_worst_regions_come_first_and_the_rest_is_counted(sessions):
    growths = {
        f"kernel {number}": lambda p: 1e-6 * p for number in range(MOST_ROWS + 6)
    }
    record(sessions, sweep_reports(PROCESSES, growths, project="code"))

    with sessions.reading() as session:
        shown = home_map(session, "code")
    assert len(shown.rows) == MOST_ROWS
    assert shown.more == 6
    assert shown.metric == "time"


def test_changes_and_open_regressions_are_told(large_engine):
    with sessions_of(large_engine).reading() as session:
        shown = home_map(session, PROJECT)

    assert shown.rows[0].region == "mesh::find_neighbours"
    assert shown.open_regressions > 0


def test_project_without_commits_has_no_map(sessions):
    with sessions.writing.begin() as session:
        projects.find_or_create(session, "new")

    with sessions.reading() as session:
        assert home_map(session, "new") is None

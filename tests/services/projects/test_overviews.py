from dataclasses import replace

import pytest

from scalewatch.jobs import perform_next
from scalewatch.modelling import Mark
from scalewatch.services.expectations.declarations import Declaration, declare
from scalewatch.services.match_table.table import match_table
from scalewatch.services.projects import home, overviews
from scalewatch.services.selection.view import View
from scalewatch.services.series import snapshots
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from support.recorded import record_project
from support.wide_project import Width, record_wide_project


@pytest.fixture
def wide(sessions):
    record_wide_project(sessions, Width(regions=30, machines=4))
    return sessions


@pytest.fixture
def stored(monkeypatch):
    """Let home show stored counts, as of a project of many series."""
    monkeypatch.setattr(overviews, "MOST_CELLS", 10)


def both(sessions):
    """Return what is stored of the project, and what is counted now."""
    with sessions.reading() as session:
        project = projects.existing(session, "wide")
        # A trend is of the whole history, which counting does not read.
        return (
            replace(overviews.stored_overview(session, project.id), trend=()),
            overviews.counted(session, project),
        )


@pytest.mark.usefixtures("stored")
def test_stored_counts_are_those_counted_anew(wide):
    kept, anew = both(wide)

    assert kept == anew
    assert kept.counts["time"][Mark.MISMATCH] == 6


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("growth", ["p", None])
def test_counts_follow_what_is_expected(wide, growth):
    before, _ = both(wide)
    with wide.writing.begin() as session:
        changed = [Declaration(Width().region(0), "time", growth)]
        declare(session, "wide", changed, author="Ada", reason="manual")
    while perform_next(wide, owner="test"):
        pass

    kept, anew = both(wide)
    assert kept == anew
    assert kept.counts != before.counts


@pytest.mark.usefixtures("stored")
def test_home_of_stored_counts_is_that_of_all_series(wide, monkeypatch):
    with wide.reading() as session:
        shown, mapped = home.all_projects(session), home.home_map(session, "wide")
    monkeypatch.undo()
    with wide.reading() as session:
        assert home.all_projects(session) == shown
        assert home.home_map(session, "wide") == mapped


@pytest.mark.usefixtures("stored")
def test_home_reads_the_series_of_worst_regions_alone(wide, monkeypatch):
    monkeypatch.setattr(overviews, "counted", None)  # a call would fail
    monkeypatch.setattr(home, "counted", None)

    with wide.reading() as session:
        (project,) = home.all_projects(session)
    assert project.regions == 30


@pytest.mark.usefixtures("stored")
def test_counts_of_outlines_are_those_of_whole_series(wide, monkeypatch):
    kept, _ = both(wide)
    monkeypatch.setattr(snapshots, "MOST_SERIES", 10)
    monkeypatch.setattr(snapshots, "PART", 40)

    _, outlined = both(wide)
    assert outlined == kept


def test_home_and_the_page_count_the_same(sessions):
    record_project(sessions, "openmpi")

    with sessions.reading() as session:
        (project,) = home.all_projects(session)
        table = match_table(session, View("openmpi"))
        assert session.get(tables.Overview, 1) is not None
    assert project.counts == table.counts

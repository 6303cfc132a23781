from collections import Counter

import pytest
from sqlalchemy import func, select

from scalewatch.modelling import Verdict
from scalewatch.services.commits.find import measured_commits
from scalewatch.services.match_table.table import match_table
from scalewatch.services.regressions.regressions import RegressionState, regressions_of
from scalewatch.services.selection.view import View
from scalewatch.services.series.standing import State
from scalewatch.storage import tables
from scalewatch.storage.database.session import sessions_of
from support.large_project import MACHINES, PROJECT, Size, planned
from support.recorded import record_half_failed_project


@pytest.fixture(scope="module")
def large(large_engine):
    with sessions_of(large_engine).reading() as session:
        yield session


def test_large_project_has_the_size_of_a_real_one(large):
    table = match_table(large, View(PROJECT))

    assert len(measured_commits(large, PROJECT, before=None, limit=1000)) == 400
    assert len({row.region for row in table.rows}) == 40
    assert len(table.columns) == 9  # one of the ten machines has left


def test_everything_in_the_large_project_is_analysed(large):
    measured = (
        select(tables.Point.series_id, tables.Run.commit_id)
        .join_from(tables.Point, tables.Run, tables.Run.id == tables.Point.run_id)
        .distinct()
        .subquery()
    )
    models = large.scalar(select(func.count()).select_from(tables.Model))

    assert models == large.scalar(select(func.count()).select_from(measured))


def test_copied_commit_is_judged_as_its_original(large):
    copy = next(
        one
        for one in planned(Size())
        if one.machine == 0 and one.commit != one.original
    )
    commits = measured_commits(large, PROJECT, before=None, limit=1000)[::-1]

    def cells(number):
        view = View(PROJECT, commits[number].sha, machine=MACHINES[0])
        return {row.region: row.cells for row in match_table(large, view).rows}

    assert cells(copy.commit) == cells(copy.original)


def test_fault_of_one_region_and_fault_of_one_platform_are_mismatches(large):
    table = match_table(large, View(PROJECT))
    row = {row.region: row for row in table.rows}

    assert row["mesh::find_neighbours"].counts[Verdict.MISMATCH] >= 8
    assert row["MPI_Alltoall"].counts[Verdict.MISMATCH] == 1


def test_list_of_regressions_shows_what_was_planted_and_hardly_anything_else(large):
    found = regressions_of(large, PROJECT)
    ordered = sorted(found.regressions, key=lambda each: each.urgency)
    worse = [each for each in ordered if each.state is RegressionState.OPEN]
    better = [each for each in ordered if each.state is RegressionState.IMPROVED]
    planted = [*worse[:2], better[0]]

    assert [each.worst.region for each in worse] == [
        "mesh::find_neighbours",
        "hydro::riemann",
    ]
    assert [len(each.machines) for each in worse] == [9, 10]
    assert better[0].worst.region == "output::gather_snapshot"
    assert [each for each in ordered if each.is_sure and each not in planted][2:] == []
    (update,) = found.detection["baselines"]
    assert update.startswith("new baseline of juwels from v1.8 on")


def test_half_failed_project_holds_every_state(sessions):
    record_half_failed_project(sessions)

    states = Counter()
    with sessions.reading() as session:
        for sha in ("1f", "2f", "3f"):
            table = match_table(session, View("fragile", sha))
            states.update(
                cell.standing.state for row in table.rows for cell in row.cells
            )

    assert set(states) == {State.MODELLED, State.PENDING, State.FAILED}

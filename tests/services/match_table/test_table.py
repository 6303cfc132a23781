import pytest

from scalewatch.errors import AmbiguousReference, NotFound, NotMeasured
from scalewatch.modelling import Verdict, parse_growth
from scalewatch.services import jobs
from scalewatch.services.guidelines import declare
from scalewatch.services.match_table.table import match_table
from scalewatch.services.selection.view import View
from scalewatch.services.series.standing import State
from support.builders import result, sweep_reports
from support.recorded import (
    PROCESSES,
    failed_result,
    record,
    record_project,
    record_runs,
)
from support.service_sentences import SAID

NEWEST = View("openmpi")


def cell(table, region, machine):
    """Return what is known about a region on a machine."""
    (row,) = (row for row in table.rows if row.region == region)
    (found,) = (cell for cell in row.cells if cell.machine == machine)
    return found.standing


def test_rows_are_regions_and_columns_machines_in_order_of_appearance(reading):
    table = match_table(reading, NEWEST)

    assert {row.region for row in table.rows} == {
        "MPI_Barrier",
        "MPI_Bcast",
        "MPI_Gather",
        "MPI_Reduce",
    }
    assert [column.machine for column in table.columns] == ["node-shm", "node-tcp"]


def test_cell_holds_model_divergence_and_verdict(reading):
    barrier = cell(match_table(reading, NEWEST), "MPI_Barrier", "node-tcp")

    assert barrier.state is State.JUDGED
    assert barrier.verdict is Verdict.MISMATCH
    assert barrier.growth == parse_growth("p")
    assert barrier.divergence == parse_growth("p / log p")
    assert barrier.deviation_limit == parse_growth("p^(1/2)")
    assert (barrier.points, barrier.repetitions) == (5, 40)
    assert barrier.model(p=8) == pytest.approx(9e-6 + 4e-6 * 8, rel=0.05)


def test_worst_rows_come_first(reading):
    table = match_table(reading, NEWEST)

    assert [row.region for row in table.rows][:2] == ["MPI_Barrier", "MPI_Reduce"]


def test_region_that_a_machine_did_not_measure_is_not_zero_but_unmeasured(reading):
    gather = cell(match_table(reading, NEWEST), "MPI_Gather", "node-tcp")

    assert gather.state is State.UNMEASURED
    assert gather.verdict is None


def test_counts_add_up_to_the_judged_cells(reading):
    table = match_table(reading, NEWEST)
    in_rows = sum(sum(row.counts.values()) for row in table.rows)
    in_columns = sum(sum(column.counts.values()) for column in table.columns)

    assert sum(table.counts.values()) == in_rows == in_columns == 7


def test_newest_commit_is_shown_unless_another_is_asked_for(reading):
    assert match_table(reading, NEWEST).commit.label == "v5.0.11"
    assert match_table(reading, View("openmpi", commit="v5.0.8")).commit.label == (
        "v5.0.8"
    )


def test_commits_are_found_by_the_beginning_of_their_hash(reading):
    assert match_table(reading, View("openmpi", commit="25")).commit.tag == "v5.0.11"


def test_beginning_of_several_hashes_is_ambiguous(sessions):
    record(sessions, sweep_reports(commit={"sha": "abc1"}))
    record(sessions, sweep_reports(commit={"sha": "abc2"}))

    with sessions.reading() as session, pytest.raises(AmbiguousReference) as failure:
        match_table(session, View("mpich", commit="abc"))
    assert failure.value.shas == ["abc2", "abc1"]


@pytest.mark.parametrize(
    "view",
    [
        View("nonesuch"),
        View("openmpi", commit="v1"),
        View("openmpi", metric="flops"),
        View("openmpi", machine="node-ib"),
    ],
    ids=str,
)
def test_what_was_never_measured_is_not_found(reading, view):
    with pytest.raises(NotFound):
        match_table(reading, view)


def test_settings_that_follow_the_machine_do_not_split_its_rows(reading):
    table = match_table(reading, NEWEST)

    assert table.fixed == {"message_bytes": 256}
    assert table.choices == {}
    assert [column.configuration for column in table.columns] == [
        {"transport": "shm"},
        {"transport": "tcp"},
    ]


def test_settings_that_vary_on_a_machine_make_rows_of_their_own(sessions):
    for size in (256, 4096):
        record(sessions, sweep_reports(configuration={"message_bytes": size}))

    with sessions.reading() as session:
        everything = match_table(session, View("mpich"))
        small = match_table(
            session, View("mpich", configuration={"message_bytes": "256"})
        )
    assert everything.choices == {"message_bytes": (256, 4096)}
    assert len(everything.rows) == 4
    assert {row.configuration["message_bytes"] for row in small.rows} == {256}
    assert len(small.rows) == 2


def test_settings_of_any_kind_can_be_chosen_among(sessions):
    for flags in ("-O3", None, 3, 2.5):
        record(sessions, sweep_reports(configuration={"flags": flags}))

    with sessions.reading() as session:
        table = match_table(session, View("mpich"))
    assert table.choices == {"flags": (2.5, 3, "-O3", None)}


def test_settings_that_python_calls_equal_are_not_mixed_up(sessions):
    for settings in ({}, {"flag": None}, {"flag": 1}, {"flag": True}):
        record(sessions, sweep_reports(configuration=settings))

    with sessions.reading() as session:
        table = match_table(session, View("mpich"))
    configurations = [
        str(row.configuration) for row in table.rows if row.region == "MPI_Bcast"
    ]
    assert sorted(configurations) == [
        "{'flag': 1}",
        "{'flag': None}",
        "{'flag': True}",
        "{}",
    ]


def test_releases_that_begin_alike_are_told_apart_by_their_labels(sessions):
    releases = {"release-2026.1", "release-2026.2"}
    for sha in releases:
        record(sessions, sweep_reports(commit={"sha": sha}))

    with sessions.reading() as session:
        labels = {
            commit.label
            for commit in match_table(session, View("mpich")).neighbours.nearby
        }
        found = {
            match_table(session, View("mpich", commit=label)).commit.sha
            for label in labels
        }
    assert found == releases


def test_tag_that_has_moved_names_the_commit_that_has_it_now(sessions):
    for sha in ("abc1", "abc2"):
        record(sessions, sweep_reports(commit={"sha": sha, "tag": "nightly"}))

    with sessions.reading() as session:
        table = match_table(session, View("mpich", commit="nightly"))
    assert table.commit.sha == "abc2"
    assert [commit.label for commit in table.neighbours.nearby] == ["nightly", "abc1"]


def test_failed_results_are_shown_with_their_reason(sessions):
    record(sessions, sweep_reports(PROCESSES))
    record(sessions, sweep_reports(PROCESSES, seed=2, results=[failed_result()]))

    with sessions.reading() as session:
        scan = cell(match_table(session, View("mpich")), "MPI_Scan", "jureca")
    assert scan.state is State.FAILED
    assert scan.reason == "it deadlocked"


def test_analysis_that_was_given_up_is_shown_with_its_reason(sessions):
    with sessions.writing.begin() as session:
        record_runs(session, sweep_reports(PROCESSES))
        given_up = jobs.claim(session, owner="test")
        jobs.fail(session, given_up, "out of memory", for_good=True)

    with sessions.reading() as session:
        bcast = cell(match_table(session, View("mpich")), "MPI_Bcast", "jureca")
    assert bcast.state is State.FAILED
    assert bcast.reason == "out of memory"


def test_too_few_coordinates_are_undecided_with_the_reason(sessions):
    record(sessions, sweep_reports((2, 4, 8)))

    with sessions.reading() as session:
        bcast = cell(match_table(session, View("mpich")), "MPI_Bcast", "jureca")
    assert bcast.verdict is Verdict.UNDECIDED
    assert bcast.reason == SAID["further settings"]


def test_region_without_expectation_is_modelled_but_not_judged(sessions):
    record(sessions, sweep_reports(PROCESSES, {"solve": lambda p: 1e-3 * p}))

    with sessions.reading() as session:
        table = match_table(session, View("mpich"))
    solve = cell(table, "solve", "jureca")
    assert solve.state is State.MODELLED
    assert solve.growth == parse_growth("p")
    assert table.rows[0].expectation is None


def test_flags_tell_where_they_were_raised(sessions):
    procedures = {2: {"synchronisation": "round-time"}} | {
        p: {"synchronisation": "barrier", "oversubscribed": True} for p in (4, 8)
    }
    reports = [
        report
        for p, procedure in procedures.items()
        for report in sweep_reports((p,), results=[result(procedure=procedure)])
    ]
    record(sessions, reports)

    with sessions.reading() as session:
        (row,) = match_table(session, View("mpich")).rows
    assert row.cells[0].flags == {
        "oversubscribed": (4.0, 8.0),
        "barrier-synchronised": (4.0, 8.0),
    }


def test_guideline_declared_since_the_last_look_is_in_the_cells(sessions):
    growths = {"slow": lambda p: 2e-3 * p, "fast": lambda p: 1e-3 * p}
    record(sessions, sweep_reports(PROCESSES, growths, noise=0.002))
    with sessions.reading() as session:
        before = match_table(session, View("mpich"))
    with sessions.writing.begin() as session:
        declare(session, "mpich", ["slow <= fast"], author="ada", reason=None)

    with sessions.reading() as session:
        after = match_table(session, View("mpich"))

    assert {row.region: row.cells[0].broken for row in before.rows} == {
        "slow": (),
        "fast": (),
    }
    assert {row.region: row.cells[0].broken for row in after.rows} == {
        "slow": ("slow ⪯ fast: broken",),
        "fast": (),
    }


def test_projects_do_not_mix(sessions):
    record_project(sessions, "openmpi")
    record(sessions, sweep_reports(project="mpich"))

    with sessions.reading() as session:
        table = match_table(session, View("mpich"))
    assert [column.machine for column in table.columns] == ["jureca"]


def test_region_missing_at_a_commit_names_the_commit(reading):
    with pytest.raises(NotMeasured, match=r"'node-ib' was measured at v5\.0\.11"):
        match_table(reading, View("openmpi", machine="node-ib"))

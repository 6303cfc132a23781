"""Times are judged where each process had a core of its own."""

from math import log2

import pytest

from scalewatch.figures.notation import DISTURBED, SHARED_CORES
from scalewatch.modelling import Verdict, parse_growth
from scalewatch.services.access.audit import entries
from scalewatch.services.commit_reports.pairs import ChangeKind
from scalewatch.services.commit_reports.report import commit_report
from scalewatch.services.gates.decision import GateOutcome
from scalewatch.services.gates.declared_rules import rules_of, treat
from scalewatch.services.gates.gate import gate_of
from scalewatch.services.guidelines import GuidelineState, guidelines_at
from scalewatch.services.match_table.table import match_table
from scalewatch.services.regions.region import region_at
from scalewatch.services.regressions.regressions import regressions_of
from scalewatch.services.selection.view import View
from scalewatch.services.series.standing import State
from scalewatch.services.shared_cores import Treatment, remark
from scalewatch.storage.access import projects
from scalewatch.wire import Procedure
from support.builders import on_cores, result, sweep_reports
from support.histories import LINEAR, TREE, commit, reports, sha
from support.recorded import record

FAIR = {"MPI_Bcast": TREE}
USUAL = (2, 4, 8, 16, 32)
MANY = (2, 3, 4, 6, 8, 16, 32)


def standing(sessions, region="MPI_Bcast", metric="time"):
    with sessions.reading() as session:
        table = match_table(session, View("mpich", metric=metric))
    (row,) = [each for each in table.rows if each.region == region]
    return row.cells[0].standing


def accept(sessions, treatment=Treatment.ACCEPT, rule="oversubscribed"):
    with sessions.writing.begin() as session:
        treat(session, "mpich", {rule: treatment}, author="ada", reason="x")
    record(sessions, [])


def in_metric(reported, metric, unit, better="lower"):
    """Return runs whose results are of another metric."""
    return [
        run.model_copy(
            update={
                "results": tuple(
                    each.model_copy(
                        update={"metric": metric, "unit": unit, "better": better}
                    )
                    for each in run.results
                )
            }
        )
        for run in reported
    ]


@pytest.mark.parametrize(
    ("crowded", "reason", "is_modelled", "words"),
    [
        ({}, None, True, ""),
        ({}, "too noisy", True, "too noisy"),
        (
            {SHARED_CORES: "p = 4, 8"},
            "1 of 5 settings",
            False,
            "processes shared cores at p = 4, 8; the other runs: 1 of 5 settings",
        ),
        (
            {SHARED_CORES: "p = 16"},
            None,
            True,
            "p = 16 left out: processes shared cores there",
        ),
        (
            {SHARED_CORES: "p = 4", DISTURBED: "p = 8"},
            "1 of 5 settings",
            False,
            (
                f"{SHARED_CORES} at p = 4 and {DISTURBED} at p = 8; the other runs: "
                "1 of 5 settings"
            ),
        ),
        (
            {SHARED_CORES: "p = 16"},
            "too noisy",
            True,
            "too noisy; p = 16 left out: processes shared cores there",
        ),
    ],
)
def test_what_is_left_out_is_said_beside_other_reasons(
    crowded, reason, is_modelled, words
):
    assert remark(crowded, reason, is_modelled=is_modelled) == words


def test_times_for_which_processes_shared_cores_are_undecided(sessions):
    record(sessions, on_cores(2, sweep_reports(USUAL, {"MPI_Bcast": LINEAR})))

    found = standing(sessions)

    assert (found.state, found.verdict) == (State.JUDGED, Verdict.UNDECIDED)
    assert found.is_crowded
    assert (found.model, found.class_probability) == (None, {})
    assert "p = 4, 8, 16, 32;" in found.reason
    assert found.reason.endswith("1 of 5 settings")


def test_a_series_of_which_nothing_else_was_measured_says_so(sessions):
    record(sessions, on_cores(1, sweep_reports(USUAL, FAIR)))

    found = standing(sessions)

    assert found.is_crowded
    assert "p = 2, 4, 8, 16, 32;" in found.reason


@pytest.mark.parametrize(
    "procedure", [{"oversubscribed": True}, {"synchronisation": "barrier"}]
)
def test_more_processes_than_cores_and_no_common_start_are_alike(sessions, procedure):
    record(
        sessions,
        [
            report
            for p in USUAL
            for report in sweep_reports((p,), results=[result(procedure=procedure)])
        ],
    )

    assert standing(sessions).is_crowded


@pytest.mark.parametrize(("metric", "unit"), [("bandwidth", "B/s"), ("overlap", "1")])
def test_what_a_time_yields_is_undecided_as_well(sessions, metric, unit):
    swept = on_cores(2, sweep_reports(USUAL, {"MPI_Bcast": LINEAR}))
    record(sessions, in_metric(swept, metric, unit, better="higher"))

    assert standing(sessions, metric=metric).is_crowded


def test_a_series_is_judged_by_the_settings_that_had_cores_enough(sessions):
    reported = sweep_reports(
        MANY, {"MPI_Bcast": lambda p: TREE(min(p, 8)) * max(1, p - 8)}
    )
    record(sessions, on_cores(8, reported))

    found = standing(sessions)

    assert found.verdict is Verdict.MATCH
    assert found.growth == parse_growth("log p")
    assert found.points == 5
    assert found.reason.startswith("p = 16, 32 left out")
    assert not found.is_crowded


def test_what_is_left_out_is_marked_among_the_measurements(sessions):
    record(sessions, on_cores(8, sweep_reports(MANY, FAIR)))

    with sessions.reading() as session:
        (scan,) = region_at(session, View("mpich"), "MPI_Bcast").scans

    assert [each.x for each in scan.measurements if each.is_left_out] == [16, 32]
    assert [each.x for each in scan.evidence] == [2, 3, 4, 6, 8]


@pytest.mark.parametrize(("metric", "unit"), [("memory", "B"), ("calls", "1")])
def test_counts_and_memory_do_not_mind_shared_cores(sessions, metric, unit):
    reported = sweep_reports(USUAL, {"solve": lambda p: 1e6 * p})
    record(sessions, on_cores(2, in_metric(reported, metric, unit)))

    assert standing(sessions, "solve", metric).growth == parse_growth("p")


def test_times_of_other_metrics_mind_them(sessions):
    reported = sweep_reports(USUAL, {"solve": LINEAR})
    record(sessions, on_cores(2, in_metric(reported, "mpi_time", "ms")))

    found = standing(sessions, "solve", "mpi_time")
    assert found.is_crowded
    assert found.state is State.MODELLED


def test_simulated_times_are_judged(sessions):
    machine = {"name": "torus", "provenance": "simulated by SMPI"}
    reported = sweep_reports(USUAL, FAIR, machine=machine)
    record(sessions, on_cores(2, reported))

    assert standing(sessions).verdict is Verdict.MATCH


def test_a_project_that_accepts_them_is_judged_by_all_its_times(sessions):
    record(sessions, on_cores(2, sweep_reports(USUAL, {"MPI_Bcast": LINEAR})))
    record(sessions, on_cores(2, sweep_reports(project="other")))

    accept(sessions)
    accepted = standing(sessions)
    accept(sessions, Treatment.UNDECIDED)

    assert (accepted.verdict, accepted.growth) == (Verdict.MISMATCH, parse_growth("p"))
    assert (accepted.points, accepted.reason) == (5, None)
    assert standing(sessions).is_crowded
    with sessions.reading() as session:
        rules = rules_of(session, "mpich")
        noted = [each.action for each in entries(session, "mpich", limit=9)]
    assert (rules.version, rules.author) == (2, "ada")
    assert noted.count("gate rules saved") == 2


def slower_from(number, later, *, cores):
    """Return a commit that shares cores, slower from some commit on."""
    curve = later if number > 6 else TREE
    return on_cores(cores, reports(number, {"MPI_Bcast": curve}))


@pytest.mark.parametrize(("cores", "opened"), [(128, 1), (2, 0)])
def test_shared_cores_open_no_regression(sessions, cores, opened):
    record(
        sessions,
        [
            each
            for number in range(1, 13)
            for each in slower_from(number, LINEAR, cores=cores)
        ],
    )

    with sessions.reading() as session:
        assert len(regressions_of(session, "mpich").regressions) == opened


def test_regressions_of_shared_cores_are_withdrawn_with_the_rule_that_opened_them(
    sessions,
):
    with sessions.writing.begin() as session:
        projects.find_or_create(session, "mpich")
    accept(sessions)
    record(
        sessions,
        [each for n in range(1, 13) for each in slower_from(n, LINEAR, cores=2)],
    )
    with sessions.reading() as session:
        before = regressions_of(session, "mpich").regressions

    accept(sessions, Treatment.UNDECIDED)

    with sessions.reading() as session:
        after = regressions_of(session, "mpich").regressions
    assert [each.state for each in before] == ["open"]
    assert [each for each in after if each.state == "open"] == []


def test_the_gate_is_undecided_about_shared_cores_and_not_worse(sessions):
    record(sessions, on_cores(2, reports(1, {"MPI_Bcast": TREE})))
    record(sessions, on_cores(2, reports(2, {"MPI_Bcast": LINEAR})))
    for number in (1, 2):
        steady = reports(number, {"solve": lambda _: 1e6}, suite="memory")
        record(sessions, on_cores(2, in_metric(steady, "memory", "B")))

    with sessions.reading() as session:
        gate = gate_of(session, "mpich", sha(2), None)
        report = commit_report(session, View("mpich", commit=sha(2)), None)

    assert (gate.outcome, gate.findings) == (GateOutcome.UNDECIDED, ())
    assert gate.sentence.startswith("1 of 2 series")
    assert gate.next_step is None
    assert {each.region: each.kind for each in report.changes} == {
        "MPI_Bcast": ChangeKind.UNDECIDED,
        "solve": ChangeKind.UNCHANGED,
    }


def test_guidelines_are_checked_where_there_were_cores_enough(sessions):
    def contended(p):
        return 9e-6 * log2(p) if p > 8 else 1e-6 * log2(p)

    growths = {
        "MPI_Allreduce": contended,
        "MPI_Reduce": lambda p: 1e-6 * log2(p),
        "MPI_Bcast": lambda p: 2e-6 * log2(p),
    }
    record(sessions, on_cores(8, sweep_reports(MANY, growths, commit=commit(1))))

    with sessions.reading() as session:
        (check, *_) = [
            each
            for each in guidelines_at(session, View("mpich")).checks
            if each.guideline.region == "MPI_Allreduce"
        ]
    assert check.state is GuidelineState.HOLDS


def disturbed(runs, at):
    """Return runs, those at some process counts as of jobs that others disturbed."""
    return [
        run.model_copy(
            update={
                "results": tuple(
                    each.model_copy(update={"procedure": Procedure(disturbed=True)})
                    for each in run.results
                )
            }
        )
        if run.coordinate["p"] in at
        else run
        for run in runs
    ]


def test_times_of_disturbed_jobs_have_no_verdict_until_they_are_accepted(sessions):
    runs = sweep_reports(USUAL, {"MPI_Bcast": LINEAR})
    record(sessions, disturbed(runs, {4, 8, 16}))

    before = standing(sessions)
    accept(sessions)  # that cores were shared is another rule
    between = standing(sessions)
    accept(sessions, rule="disturbed")
    after = standing(sessions)

    assert before.verdict is between.verdict is Verdict.UNDECIDED
    assert before.is_crowded
    assert before.reason.startswith(f"{DISTURBED} at p = 4, 8, 16; the other runs")
    assert after.verdict is Verdict.MISMATCH


def test_few_disturbed_times_are_left_out_and_said(sessions):
    truth = {"MPI_Bcast": lambda p: TREE(p) * (3 if p == 32 else 1)}
    record(sessions, disturbed(sweep_reports(MANY, truth, noise=1e-3), {32}))

    found = standing(sessions)

    assert found.verdict is Verdict.MATCH
    assert f"p = 32 left out: {DISTURBED} there" in found.reason


def test_each_rule_of_times_stays_as_it_is_when_another_is_stated(sessions):
    record(sessions, sweep_reports(USUAL, FAIR))
    accept(sessions, rule="disturbed")
    accept(sessions)

    with sessions.reading() as session:
        rules = rules_of(session, "mpich")
    assert (rules.oversubscribed, rules.disturbed) == ("accept", "accept")
    assert rules.version == 2

import numpy as np
import pytest
from numpy.testing import assert_allclose

from scalewatch.errors import NotFound, NotMeasured
from scalewatch.modelling.traces import Bend, Rule
from scalewatch.services.selection.view import View
from scalewatch.services.traces.scans import Repeat, TracesQuestion
from scalewatch.services.traces.traces import traces_at
from support.recorded import record
from support.service_sentences import SAID
from support.traced import PROCESSES, noisy, traced_run, wavefront


def ask(sessions, question=None, project="sweep", **view):
    with sessions.reading() as session:
        return traces_at(
            session, View(project=project, **view), question or TracesQuestion()
        )


def test_wavefront_is_found_with_the_location_that_bends(sessions):
    record(sessions, wavefront())

    traced = ask(sessions).chosen

    assert [each.region for each in traced.faster] == ["receive › MPI_Recv"]
    receive, send = traced.locations
    assert receive.time.bend is Bend.FASTER
    assert receive.source.label == "sweep.c:32"
    assert (receive.calls, receive.bytes) == (200, 4000)
    assert receive.wait == "wait_late_sender"
    assert receive.share == pytest.approx(1152 / 1216)
    assert send.time.bend is Bend.LINEAR
    rules = {each.rule: each for each in traced.conclusions}
    assert {Rule.BENDS, Rule.USABLE, Rule.PIPELINE} <= rules.keys()
    assert rules[Rule.BENDS].locations[0][0] == "receive › MPI_Recv"


def test_extrapolation_of_a_parabola_is_met_at_the_target(sessions):
    record(sessions, wavefront())

    traced = ask(sessions, TracesQuestion(target=1000)).chosen

    last = traced.total.extrapolations[-1]
    assert_allclose([last.a1, last.a2], [1.5, 1 / 16], rtol=1e-6)
    assert traced.total.is_usable
    assert traced.target == 1000


def test_efficiencies_are_quotients_and_fall_below_where_they_are_seen_to(sessions):
    record(sessions, wavefront())

    rows = {str(row.efficiency): row for row in ask(sessions).chosen.efficiencies}

    parallel = rows["parallel efficiency"]
    expected = [100 / p / (100 / p + 1.55 + p / 16) for p in PROCESSES]
    assert_allclose(parallel.values, expected)
    assert parallel.below_from == 16
    assert not parallel.is_forecast
    assert rows["load balance"].below_from is None


def test_crossing_beyond_what_was_traced_is_forecast_from_models_of_times(sessions):
    # 100 / (100 + p) is above 0.8 up to p = 25.
    reports = [
        traced_run(
            p,
            {
                "program": {
                    "runtime": 100.0 + p,
                    "useful_mean": 100.0,
                    "useful_max": 100.0,
                    "mpi_time": float(p * p),
                }
            },
        )
        for p in (2, 4, 8, 12, 16, 20)
    ]
    record(sessions, reports)

    rows = {str(row.efficiency): row for row in ask(sessions).chosen.efficiencies}

    parallel = rows["parallel efficiency"]
    assert parallel.is_forecast
    assert parallel.below_from == pytest.approx(25, rel=0.05)
    assert parallel.at_target == pytest.approx(100 / 180, rel=0.05)
    assert rows["load balance"].values == (1.0,) * 6


def test_best_repeat_is_taken_as_a_whole_and_median_if_asked(sessions):
    record(sessions, noisy(wavefront()))

    best = ask(sessions).chosen
    median = ask(sessions, TracesQuestion(repeat=Repeat.MEDIAN)).chosen

    assert best.traces == 3 * len(PROCESSES)
    exact = [1.5 * p + p**2 / 16 for p in PROCESSES]
    assert_allclose(best.total.values, exact)
    assert_allclose(median.total.values, np.multiply(1.1, exact))


def test_runs_at_one_number_of_processes_are_repeats_too(sessions):
    slow = [
        report.model_copy(
            update={
                "results": tuple(
                    each.model_copy(update={"values": (2 * each.values[0],)})
                    for each in report.results
                )
            }
        )
        for report in wavefront(suite="nightly")
    ]
    record(sessions, [*slow, *wavefront()])

    traced = ask(sessions).chosen

    assert traced.traces == 2 * len(PROCESSES)
    assert traced.total.values[-1] == pytest.approx(1.5 * 128 + 128**2 / 16)


def test_location_keeps_its_history_when_its_line_moves(sessions):
    record(sessions, wavefront(commit={"sha": "v1"}))
    record(sessions, wavefront(line=40, commit={"sha": "v2"}))

    first, second = (ask(sessions, commit=sha) for sha in ("v1", "v2"))

    lines = [shown.chosen.locations[0].source.line for shown in (first, second)]
    assert lines == [32, 40]
    assert [each.region for each in first.chosen.locations] == [
        each.region for each in second.chosen.locations
    ]


def test_two_commits_are_compared(sessions):
    record(sessions, wavefront(commit={"sha": "v1"}))
    record(sessions, wavefront(PROCESSES[:4], commit={"sha": "v2"}))

    shown = ask(sessions, TracesQuestion(vs="commit=v1"), commit="v2")

    assert shown.other.commit.sha == "v1"
    assert shown.other.traced.processes[-1] == 128
    assert shown.chosen.processes[-1] == 32
    assert shown.alternatives == {"commit=v1": "commit v1"}


def test_weak_scaling_holds_the_work_per_process(sessions):
    reports = [
        report
        for p in PROCESSES
        for report in wavefront([p], coordinate={"p": p, "n": 100 * p})
    ]
    record(sessions, reports)

    traced = ask(sessions).chosen

    assert traced.processes == tuple(map(float, PROCESSES))
    assert dict(traced.held) == {"n/p": 100}


def test_problem_size_with_most_numbers_of_processes_is_shown(sessions):
    for n, processes in ((100, PROCESSES[:4]), (200, PROCESSES)):
        for p in processes:
            record(sessions, wavefront([p], coordinate={"p": p, "n": n}))

    traced = ask(sessions).chosen

    assert dict(traced.held) == {"n": 200}
    assert len(traced.processes) == len(PROCESSES)


def test_place_that_few_processes_come_to_has_no_table_and_says_why(sessions):
    reports = wavefront()
    reports[2:] = [
        report.model_copy(
            update={
                "results": tuple(e for e in report.results if "Send" not in e.region)
            }
        )
        for report in reports[2:]
    ]
    record(sessions, reports)

    send = ask(sessions).chosen.location("send › MPI_Send")

    assert send.time.values[2:] == (None,) * 4
    assert send.time.extrapolations == ()
    assert SAID["few settings"] in send.time.reason


def test_waiting_can_be_reported_on(sessions):
    record(sessions, wavefront())

    traced = ask(sessions, metric="wait_late_sender").chosen

    assert traced.total.values[-1] == pytest.approx(0.9 * (128 + 128**2 / 16))
    assert traced.locations[0].share == pytest.approx(1)


def test_calibration_and_functions_without_are_told(sessions):
    job = {
        "environment": {
            "not_calibrated": "MPI_Send, MPI_Put",
            "extrapolated": "MPI_Recv by p, MPI_Barrier by log p",
            "remarks": "a clock ran backwards",
            "calibration_spread": 1.5,
        }
    }
    settings = {"traced": True, "calibration": "2026-11-25"}
    record(sessions, wavefront(configuration=settings, job=job))

    traced = ask(sessions).chosen

    assert traced.calibration.name == "2026-11-25"
    assert traced.calibration.functions == ("MPI_Put", "MPI_Send")
    assert traced.calibration.extrapolated == (SAID["extrapolated"], "MPI_Recv by p")
    assert traced.calibration.share == pytest.approx(0.5)
    # Sends take p/2 of 3p/2 + p²/16, of which receives take the rest.
    assert traced.calibration.time_share == pytest.approx(64 / (192 + 1024))
    assert traced.calibration.facts == {"calibration_spread": 1.5}
    assert traced.remarks == (SAID["clock"],)
    assert Rule.CODE in {each.rule for each in traced.conclusions}


def test_project_without_traces_has_none(sessions):
    record(sessions, [traced_run(2, {"step": {"time": 1.0}}, configuration={})])

    shown = ask(sessions)

    assert shown.chosen is None
    assert shown.commits == ()


@pytest.mark.parametrize(
    ("asked", "view", "error"),
    [
        ({"location": "nowhere"}, {}, NotMeasured),
        ({"vs": "planet=mars"}, {}, NotFound),
        ({"vs": "commit=v9"}, {}, NotFound),
        ({"vs": "machine=none"}, {}, NotMeasured),
        ({"vs": "configuration=traced=False"}, {}, NotMeasured),
        ({}, {"metric": "time"}, NotFound),
        ({}, {"machine": "other"}, NotMeasured),
        ({}, {"configuration": {"calibration": "yes"}}, NotMeasured),
        ({}, {"commit": "v9"}, NotFound),
    ],
)
def test_unknown_part_of_a_question_is_named(sessions, asked, view, error):
    record(sessions, wavefront())

    with pytest.raises(error):
        ask(sessions, TracesQuestion(**asked), **view)

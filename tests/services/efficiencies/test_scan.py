"""Efficiency of scans: what is refused, and asked about by name."""

import numpy as np
import pytest

from scalewatch.errors import UnknownChoice
from scalewatch.importers import ImportedSeries
from scalewatch.importers.series import Follower
from scalewatch.modelling import ScalingKind
from scalewatch.modelling.efficiencies import Quantity
from scalewatch.services.efficiencies.scan import (
    Doubt,
    Evidence,
    ScalingTerms,
    measured_kind,
    scalings_of,
)

NODES = (1, 2, 4, 8)
TIMES = (100.0, 51.0, 26.0, 14.0)


def series(
    scale="nodes",
    values=TIMES,
    sizes=NODES,
    *,
    metric="time",
    unit="s",
    followers=None,
    **fields,
):
    runs = np.array([np.atleast_1d(each) for each in values], float)
    together = tuple(
        Follower(name, scale, tuple(map(float, levels)))
        for name, levels in (followers or {}).items()
    )
    return ImportedSeries(
        "program",
        metric,
        unit,
        {},
        (scale,),
        np.array(sizes, float)[:, np.newaxis],
        runs,
        together=together,
        **fields,
    )


def scaled(scan, *, better="lower", headings=None, **terms):
    (answer,) = scalings_of(
        scan, better, ScalingTerms(**terms), headings=headings or {}
    )
    return answer


def doubts(answer):
    return {question.doubt for question in answer.questions}


def test_node_hours_are_nodes_times_hours():
    answer = scaled(series(values=(3600.0, 1900.0, 1000.0, 600.0)))

    assert answer.hours_unit == "node-hours"
    assert [answer.hours[n] for n in NODES] == pytest.approx(
        [1, 2 * 1900 / 3600, 4 * 1000 / 3600, 8 * 600 / 3600]
    )
    assert not answer.questions


@pytest.mark.parametrize(
    ("metric", "unit"),
    [
        ("time", "s/step"),
        ("ms per step", None),
        ("s per it", None),
        ("time per step", "s"),
        ("iteration time", "s"),
        ("avg step time", "ms"),
        ("time per 100 steps", "s"),
        ("epochTime", "s"),
        ("time_per_iteration", "s"),
        ("step time", "ms/step"),
        ("time (s) / time step", "s"),
        ("seconds per time step", "s"),
        ("mean time per outer iteration", "s"),
        ("time_per_timestep_s", "s"),
        ("wall s/dt", "s"),
    ],
)
def test_time_of_a_step_has_no_node_hours_without_their_number(metric, unit):
    scan = series(metric=metric, unit=unit)

    without, known = scaled(scan), scaled(scan, steps=1000)

    assert Doubt.PER_STEP in doubts(without)
    assert (without.hours, without.hours_unit) == ({}, None)
    size = 1e-3 if "ms" in f"{metric} {unit}".split() or unit == "ms/step" else 1
    assert known.hours[1] == pytest.approx(100 * size * 1000 / 3600)
    assert Doubt.PER_STEP not in doubts(known)


def test_work_of_a_time_is_named_with_all_of_its_words():
    scan = series(metric="mean time per outer iteration")

    (question,) = scaled(scan).questions

    assert question.subject == "outer iteration"


def test_ranks_are_no_nodes_unless_it_is_said_how_many_a_node_has():
    scan = series("p", sizes=(48, 96, 192, 384))
    headings = {"p": "MPI ranks"}

    unknown = scaled(scan, headings=headings)
    stated = scaled(scan, headings=headings, per_node={"ranks": 48})
    measured = scaled(series("p", sizes=(48, 96, 192, 384), followers={"nodes": NODES}))

    assert Doubt.RANKS in doubts(unknown)
    assert not unknown.hours
    for known in (stated, measured):
        assert known.hours_unit == "node-hours"
        assert known.hours[96] == pytest.approx(2 * 51 / 3600)


def test_part_of_a_node_is_no_base_of_node_hours():
    cores = (1, 4, 16, 32, 64)
    times = (320.0, 90.0, 30.0, 20.0, 10.5)
    scan = series("p", times, cores)
    headings = {"p": "Cores"}

    unknown = scaled(scan, headings=headings)
    known = scaled(scan, headings=headings, per_node={"cores": 16})

    assert Doubt.PART_OF_NODE in doubts(unknown)
    assert not unknown.hours
    assert known.scaling.base == 16
    assert [*known.scaling.below_base] == [1, 4]
    # A node is charged as a whole.
    assert known.hours[1] == pytest.approx(320 / 3600)
    assert known.hours[64] == pytest.approx(4 * 10.5 / 3600)


def test_cores_of_whole_nodes_have_core_hours():
    answer = scaled(series("p", sizes=(48, 96, 192, 384)), headings={"p": "cores"})

    assert answer.hours_unit == "core-hours"
    assert not answer.questions


def test_gpus_have_node_hours_by_their_nodes_alone():
    gpus = (1, 2, 4, 8)
    unknown = scaled(series("gpus"))
    stated = scaled(series("gpus"), per_node={"gpus": 4})
    measured = scaled(series("gpus", followers={"nodes": (1, 1, 1, 2)}))

    assert unknown.hours_unit == "GPU-hours"
    assert Doubt.GPUS in doubts(unknown)
    for known in (stated, measured):
        assert known.hours_unit == "node-hours"
        assert [
            known.hours[n] * 3600 / t for n, t in zip(gpus, TIMES, strict=True)
        ] == (pytest.approx([1, 1, 1, 2]))


def test_failed_runs_are_left_out_and_counted():
    values = [[100.0, 101.0], [51.0, np.nan], [np.nan, np.nan], [14.0, 14.1]]
    answer = scaled(series(values=values, failed=(0, 1, 2, 0)))

    (question,) = answer.questions
    assert (question.doubt, question.sizes, question.value) == (Doubt.FAILED, (2, 4), 3)
    assert [row.size for row in answer.scaling.rows] == [1, 2, 8]
    assert 4 not in answer.hours


def test_runs_of_different_problems_are_no_repetitions():
    values = [[100.0, 900.0], [51.0, 455.0], [26.0, 230.0], [14.0, 120.0]]
    answer = scaled(series(values=values))

    assert Doubt.MIXED in doubts(answer)
    assert not answer.hours


def test_one_slow_run_is_no_other_problem():
    values = [[100.0, 101.0], [51.0, 150.0], [26.0, 26.1], [14.0, 14.1]]

    assert not doubts(scaled(series(values=values)))


def test_restarted_jobs_have_no_node_hours():
    answer = scaled(series(followers={"restarts": (0, 0, 0, 1)}))

    assert [(q.doubt, q.sizes) for q in answer.questions] == [(Doubt.RESTARTS, (8,))]
    assert not answer.hours


@pytest.mark.parametrize(
    ("problem", "kind", "evidence"),
    [
        ((100, 200, 400, 800), ScalingKind.WEAK, Evidence.SIZES),
        ((100, 100, 200, 200), None, Evidence.SIZES),
    ],
)
def test_size_of_the_problem_decides_the_kind(problem, kind, evidence):
    answer = scaled(series(followers={"n": problem}))

    assert answer.evidence is evidence
    assert (answer.scaling and answer.scaling.kind) == kind
    assert (Doubt.SIZES in doubts(answer)) == (kind is None)


def test_kind_that_nobody_knows_is_asked_for():
    values = (100.0, 75.0, 57.0, 43.0)

    unknown, stated = (
        scaled(series(values=values)),
        scaled(series(values=values), kind=ScalingKind.WEAK),
    )

    assert unknown.scaling is None
    assert doubts(unknown) == {Doubt.KIND}
    assert stated.scaling.kind is ScalingKind.WEAK
    assert stated.evidence is Evidence.STATED


def test_problem_of_each_size_is_a_scan_of_its_own():
    grid = ImportedSeries(
        "program",
        "time",
        "s",
        {},
        ("p", "n"),
        np.array([[p, n] for p in (1, 2, 4) for n in (10, 20)], float),
        np.array([[n / p] for p in (1, 2, 4) for n in (10, 20)], float),
    )

    scalings = scalings_of(grid, "lower")

    assert [each.held for each in scalings] == [{"n": 10}, {"n": 20}]
    assert all(each.scaling.rows[-1].efficiency.value == 1 for each in scalings)


def test_more_than_twice_the_ideal_is_asked_about():
    answer = scaled(series(values=(100.0, 20.0, 10.0, 5.0)))

    assert Doubt.SUPER_LINEAR in doubts(answer)


@pytest.mark.parametrize(
    ("metric", "unit", "better", "quantity"),
    [
        ("time", "s", "lower", Quantity.TIME),
        ("time", None, "lower", Quantity.TIME),
        ("rate", "ns/day", "higher", Quantity.RATE),
        ("tokens per s", "tokens/s", "higher", Quantity.RATE),
        ("tokens per s per GPU", "tokens/s per GPU", "higher", Quantity.RATE_EACH),
        ("per-node-FOM", None, "higher", Quantity.RATE_EACH),
        ("memory", "B", "lower", None),
        ("calls", None, "lower", None),
        ("parallel efficiency", None, "higher", None),
        ("speedup", None, "higher", None),
    ],
)
def test_times_and_rates_scale_and_nothing_else(metric, unit, better, quantity):
    kind = measured_kind(metric, unit, better)

    assert (kind and kind.quantity) == quantity


@pytest.mark.parametrize(
    ("metric", "unit", "hours"),
    [
        ("SYPD", None, 8 * 24 / 4),
        ("simulation rate", "SYPD", 8 * 24 / 4),
        ("SDPD", None, 8 * 24 / 4),
        ("rate", "ns/day", 8 * 24 / 4),
    ],
)
def test_rates_of_simulated_time_cost_by_what_is_simulated(metric, unit, hours):
    rates = series("nodes", (4.0, 7.0), (8, 16), metric=metric, unit=unit)

    answer = scaled(rates, better="higher")

    assert answer.hours[8] == pytest.approx(hours)


def test_simulated_time_has_node_hours_for_each_of_its_units():
    answer = scaled(
        series(values=(10.0, 19.0, 36.0, 64.0), metric="rate", unit="ns/day"),
        better="higher",
    )

    assert answer.hours_unit == "node-hours per ns"
    assert answer.hours[2] == pytest.approx(24 * 2 / 19)


@pytest.mark.parametrize(
    "scan",
    [
        series("n"),
        series(values=(1.0, 0.0, 2.0, 3.0)),
        series(values=(1.0, -1.0, 2.0, 3.0)),
        series(values=(1.0, np.inf, 2.0, 3.0)),
        series(values=(1.0, np.nan, np.nan, np.nan)),
        series(sizes=(0, 1, 2, 3)),
    ],
)
def test_scans_without_an_efficiency_have_none(scan):
    assert scalings_of(scan, "lower") == []


def test_base_that_was_not_measured_is_refused():
    with pytest.raises(UnknownChoice, match="base"):
        scaled(series(), base=3)

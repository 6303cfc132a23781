import pytest

from scalewatch.errors import NotFound, NotMeasured
from scalewatch.modelling import DivergenceMetric, Origin, ScalingKind
from scalewatch.services.expectations import declarations
from scalewatch.services.expectations.declarations import Declaration
from scalewatch.services.scaling_errors.region import scaling_errors_at
from scalewatch.services.scaling_errors.scan import ScalingQuestion, TimesSource
from scalewatch.services.selection.view import View
from scalewatch.storage.access import projects
from support.builders import result, run_report, sweep_reports
from support.recorded import record, record_configurations, record_grid, record_project
from support.service_sentences import SAID

STRONG = ScalingQuestion(kind=ScalingKind.STRONG)
WEAK = ScalingQuestion(kind=ScalingKind.WEAK)
MODEL = ScalingQuestion(source=TimesSource.MODEL)


def ask(sessions, question=None, region=None, **view):
    with sessions.reading() as session:
        return scaling_errors_at(
            session,
            View(**({"project": "openmpi"} | view)),
            region,
            question or ScalingQuestion(),
        )


def pairs(scaling):
    return {(each.n1, each.n2): each for each in scaling.errors}


def test_strong_scaling_needs_process_counts_only(sessions):
    record_project(sessions)

    shown = ask(sessions, STRONG, region="MPI_Bcast", machine="node-tcp")

    assert shown.chosen.machine == "node-tcp"
    assert [point.n2 for point in shown.chosen.row] == [2, 4, 8, 16, 32]
    # t(2) = 27 µs and t(32) = 99 µs.
    assert pairs(shown.chosen)[2, 32].error == pytest.approx(16 - 27 / 99, rel=0.01)
    assert shown.chosen.row[-1].speed_up == pytest.approx(27 / 99, rel=0.01)


def test_every_machine_and_metric_has_its_divergence(sessions):
    record_project(sessions)

    shown = ask(sessions, region="MPI_Barrier")

    assert [each.machine for each in shown.scalings] == ["node-shm", "node-tcp"]
    for scaling in shown.scalings:
        assert [each.metric for each in scaling.divergences] == list(DivergenceMetric)
        assert all(each.value is not None for each in scaling.divergences)


def test_the_first_region_is_shown_unless_one_is_named(sessions):
    record_project(sessions)

    shown = ask(sessions)

    assert shown.region == "MPI_Barrier"
    assert shown.regions[:2] == ("MPI_Barrier", "MPI_Bcast")


def test_weak_scaling_without_problem_sizes_says_what_to_post(sessions):
    record_configurations(sessions)

    shown = ask(sessions, WEAK, project="hybrid")

    assert shown.chosen.errors is None
    assert SAID["weak scaling without sizes"] in shown.chosen.reason
    assert shown.chosen.scales == (2, 4, 8, 16, 32)


def test_weak_scaling_compares_sizes_in_proportion(sessions):
    record_grid(sessions)

    shown = ask(sessions, WEAK, project="hydro")

    assert shown.chosen.size == 1000
    seconds = {p: 1e-3 * 500 + 1e-2 * p for p in (2, 16)}
    found = pairs(shown.chosen)[2, 16].error
    assert found == pytest.approx(1 - seconds[2] / seconds[16], rel=0.01)


def test_runs_that_weak_scaling_lacks_are_named(sessions):
    record_grid(sessions, sizes=(1000,))

    gaps = ask(sessions, WEAK, project="hydro").chosen.gaps

    assert [(run.scale, run.size) for run in gaps.runs] == [
        (4, 2000),
        (8, 4000),
        (16, 8000),
    ]


def test_sizes_that_the_scale_ratio_does_not_divide_are_named(sessions):
    record_grid(sessions, sizes=(1001,), processes=(2, 3, 4))

    gaps = ask(sessions, WEAK, project="hydro").chosen.gaps

    assert gaps.indivisible == ((2, 3),)


def test_sizes_that_are_not_in_proportion_make_no_pair(sessions):
    record_grid(sessions, sizes=(1001,), processes=(2, 4))

    shown = ask(sessions, WEAK, project="hydro")

    assert shown.chosen.errors is None
    assert "in proportion" in shown.chosen.reason
    assert [run.size for run in shown.chosen.gaps.runs] == [2002]


def test_problem_size_and_base_can_be_chosen(sessions):
    record_grid(sessions)

    shown = ask(sessions, ScalingQuestion(size=2000, base=4), project="hydro")

    assert shown.chosen.size == 2000
    assert shown.chosen.speed_up.base == 4
    assert shown.chosen.row[1].error == 0


def test_a_model_extrapolates_and_says_so(sessions):
    record_project(sessions)

    shown = ask(sessions, MODEL, region="MPI_Bcast")

    assert [point.n2 for point in shown.chosen.row] == [2, 4, 8, 16, 32, 64, 128]
    origins = {point.n2: point.origin for point in shown.chosen.row}
    assert origins[32] is Origin.MODELLED
    assert origins[64] is Origin.EXTRAPOLATED


@pytest.mark.parametrize("vs", ["machine=node-tcp", "commit=v5.0.8"])
def test_errors_are_compared_with_others(sessions, vs):
    record_project(sessions)

    shown = ask(sessions, ScalingQuestion(vs=vs), region="MPI_Bcast")

    assert shown.other.errors is not None
    assert vs in shown.alternatives


def test_configurations_are_compared_as_well(sessions):
    for flags in ("-O0", "-O3"):
        record_grid(sessions, configuration={"flags": flags})

    shown = ask(
        sessions, ScalingQuestion(vs="configuration=flags=-O3"), project="hydro"
    )

    assert shown.chosen.configuration == {"flags": "-O0"}
    assert shown.other.configuration == {"flags": "-O3"}
    assert shown.choices == {"flags": ("-O0", "-O3")}


@pytest.mark.parametrize("vs", ["moon=1", "machine=nonesuch", "commit=v9"])
def test_what_cannot_be_compared_is_named(sessions, vs):
    record_project(sessions)

    with pytest.raises(NotFound):
        ask(sessions, ScalingQuestion(vs=vs))


def grid_over_sizes():
    return [sweep_reports((n,), coordinate={"n": n})[0] for n in (10, 100, 1000, 10000)]


REASONS = [
    (
        sweep_reports((2, 4, 8, 16, 32)),
        ScalingQuestion(base=3.0),
        "scale '3' is unknown; known are 2, 4, 8, 16, 32",
    ),
    (sweep_reports((2, 4, 8)), MODEL, "no model tells them"),
    (
        sweep_reports((4,)),
        STRONG,
        "needs times at 2 scales or more; 1 was measured",
    ),
    (
        grid_over_sizes(),
        STRONG,
        "no run that succeeded names its number of processes or GPUs",
    ),
]


@pytest.mark.parametrize(
    ("reports", "question", "reason"),
    REASONS,
    ids=["base", "no model", "one scale", "no processes"],
)
def test_a_scan_without_errors_says_why(sessions, reports, question, reason):
    record(sessions, reports)

    shown = ask(sessions, question, project="mpich", region="MPI_Bcast")

    assert shown.chosen.errors is None
    assert reason in shown.chosen.reason


def test_a_model_is_not_asked_about_any_scale(sessions):
    record_project(sessions)

    shown = ask(sessions, ScalingQuestion(source=TimesSource.MODEL, reach=1e300))

    assert shown.chosen.errors is None
    assert "536870912" in shown.chosen.reason


def test_runs_at_the_same_scale_count_as_one(sessions):
    record_grid(sessions, sizes=(1000,))
    record_grid(sessions, sizes=(1000,), seed=2)

    assert len(ask(sessions, project="hydro").chosen.row) == 4


def test_bytes_are_no_times(sessions):
    memory = result(metric="memory", unit="B", values=[1000.0])
    record(sessions, [run_report(results=[memory])])

    shown = ask(sessions, project="mpich", metric="memory")

    assert shown.chosen.errors is None
    assert SAID["no time"] in shown.chosen.reason
    with pytest.raises(NotMeasured, match="no time was"):
        ask(sessions, project="mpich")


def test_an_unknown_machine_is_named(sessions):
    record_project(sessions)

    with pytest.raises(NotMeasured, match="no machine 'moon'"):
        ask(sessions, machine="moon")


def test_region_that_is_better_than_promised_is_not_where_efficiency_is_lost(sessions):
    with sessions.writing.begin() as session:
        projects.find_or_create(session, "code")
        promised = [
            Declaration(name, "time", "log p") for name in ("a better", "worse")
        ]
        declarations.declare(session, "code", promised, author="Ada", reason="manual")
    growths = {"a better": lambda _: 1e-3, "worse": lambda p: 1e-3 * p}
    for machine in ("one", "two"):
        reports = sweep_reports(
            (2, 4, 8, 16, 32),
            growths if machine == "one" else {"a better": growths["a better"]},
            project="code",
            suite="own",
            machine={"name": machine, "fingerprint": {}},
        )
        record(sessions, reports)

    assert ask(sessions, project="code").region == "worse"

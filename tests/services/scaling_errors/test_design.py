"""The kind of scaling that runs are made for, told from what is stored of them."""

import pytest

from scalewatch.modelling import ScalingKind, parse_growth
from scalewatch.services.expectations import declarations
from scalewatch.services.expectations.declarations import Declaration
from scalewatch.services.scaling_errors.region import scaling_errors_at
from scalewatch.services.scaling_errors.scan import (
    Evidence,
    ScalingQuestion,
    TimesSource,
)
from scalewatch.services.selection.view import View
from support.builders import sweep_reports
from support.recorded import record, record_grid, record_project

PROCESSES = (2, 4, 8, 16, 32)
STRONG, WEAK = ScalingKind.STRONG, ScalingKind.WEAK


def shown(sessions, region="solve", project="hydro", **question):
    with sessions.reading() as session:
        asked = ScalingQuestion(**question)
        return scaling_errors_at(session, View(project=project), region, asked)


def record_solve(sessions, seconds, sizes=None, **fields):
    """Record a region at rising p, with a problem size at each p if sizes are given."""
    reports = []
    for p in PROCESSES:
        coordinate = {"p": p} | ({} if sizes is None else {"n": sizes(p)})
        fixed = {"project": "hydro", "coordinate": coordinate, **fields}
        reports += sweep_reports((p,), {"solve": seconds}, noise=0.001, **fixed)
    record(sessions, reports)


def promise(sessions, growth):
    with sessions.writing.begin() as session:
        declared = Declaration(region="solve", metric="time", growth=growth)
        declarations.declare(session, "hydro", [declared], author="test", reason=None)


def efficiency(scaling):
    return scaling.chosen.row[-1].efficiency


def test_problem_sizes_that_grow_with_the_processes_are_weak_scaling(sessions):
    record_solve(sessions, lambda p: 1 + 0.1 * p / 32, sizes=lambda p: 1000 * p)

    scaling = shown(sessions)

    assert (scaling.kind, scaling.chosen.design.evidence) == (
        WEAK,
        Evidence.SIZES_GROW,
    )
    assert efficiency(scaling) == pytest.approx(1.00625 / 1.1, rel=0.01)


def test_sizes_that_grow_but_not_in_proportion_are_weak_scaling_with_a_reason(sessions):
    record_solve(sessions, lambda _: 1.0, sizes=lambda p: 10 + p * p)

    scaling = shown(sessions)

    assert scaling.kind is WEAK
    assert "in proportion" in scaling.chosen.reason


def test_one_problem_size_for_all_processes_is_strong_scaling(sessions):
    record_solve(sessions, lambda p: 1 / p + 0.01, sizes=lambda _: 1000)

    scaling = shown(sessions)

    assert (scaling.kind, scaling.chosen.design.evidence) == (
        STRONG,
        Evidence.SIZES_HOLD,
    )


def test_a_grid_of_sizes_and_processes_opens_as_strong_scaling(sessions):
    record_grid(sessions)

    assert shown(sessions).kind is STRONG
    assert shown(sessions, kind=WEAK).chosen.errors is not None


@pytest.mark.parametrize(
    ("growth", "kind"), [("p^-1", STRONG), ("log p", WEAK), ("1", WEAK)]
)
def test_the_promise_tells_where_one_size_or_none_is_named(sessions, growth, kind):
    record_solve(sessions, lambda p: 1 + 0.1 * p)
    promise(sessions, growth)

    scaling = shown(sessions)

    assert scaling.kind is kind
    assert str(scaling.chosen.design.promise) == str(parse_growth(growth))
    # 1.2 s become 4.2 s.
    share = 1.2 / 4.2 / (16 if kind is STRONG else 1)
    assert efficiency(scaling) == pytest.approx(share, rel=0.01)


def test_messages_of_one_size_are_the_same_work_for_each_process(sessions):
    configuration = {"message_bytes": 256}
    record_solve(sessions, lambda p: 1 + p / 9, configuration=configuration)

    design = shown(sessions).chosen.design

    assert (design.kind, design.evidence) == (WEAK, Evidence.MESSAGES_HOLD)
    assert design.is_work_assumed


@pytest.mark.parametrize(
    ("seconds", "kind"), [(lambda p: 1 / p, STRONG), (lambda p: 1 + p / 9, WEAK)]
)
def test_without_anything_else_the_times_tell(sessions, seconds, kind):
    record_solve(sessions, seconds, configuration={"flags": "-O3"})

    assert shown(sessions).kind is kind


def test_what_is_asked_for_is_answered_whatever_the_runs_are_made_for(sessions):
    record_project(sessions)

    scaling = shown(sessions, "MPI_Bcast", "openmpi", kind=STRONG)

    assert scaling.kind is STRONG
    assert scaling.chosen.design.kind is WEAK


def test_a_model_tells_weak_scaling_of_the_same_work_beyond_what_was_measured(sessions):
    record_project(sessions)

    scaling = shown(sessions, "MPI_Bcast", "openmpi", source=TimesSource.MODEL)

    # 1 µs + 1.5 µs log p: 2.5 µs on 2 processes, 11.5 µs on 128.
    assert scaling.chosen.row[-1].n2 == 128
    assert efficiency(scaling) == pytest.approx(2.5 / 11.5, rel=0.02)

import numpy as np
import pytest

from scalewatch.errors import NothingToScale, SizeUnknown
from scalewatch.modelling import Growth, Model, Term
from scalewatch.modelling.scaling_errors.codes import (
    Times,
    modelled_scaling_errors,
    strong_scaling_errors,
    weak_scaling_errors,
)
from scalewatch.modelling.scaling_errors.errors import Origin, ScalingKind

SCALES = np.array([1.0, 2, 4, 8])
SHARED = Growth.of("n", power=1) / Growth.of("p", power=1)
MODEL = Model(1.0, (Term(2.0, SHARED), Term(0.5, Growth.of("p", power=0, log=1))))


def seconds(p, n):
    return float(MODEL(p=p, n=n))


def grid(sizes=(100.0, 200, 400, 800)):
    return Times.of({(p, n): seconds(p, n) for p in SCALES for n in sizes})


def test_the_set_holds_every_pair_of_measured_scales():
    errors = strong_scaling_errors(grid(), 200)

    members = {(each.n1, each.n2): each for each in errors}

    assert len(members) == 16
    assert members[2, 8].error == pytest.approx(4 - seconds(2, 200) / seconds(8, 200))
    assert members[2, 8].origin is Origin.MEASURED


def test_weak_scaling_compares_problem_sizes_in_proportion():
    members = {(e.n1, e.n2): e.error for e in weak_scaling_errors(grid(), 100)}

    assert members[2, 8] == pytest.approx(1 - seconds(2, 100) / seconds(8, 400))
    assert (8, 2) not in members


def test_measurements_without_problem_sizes_scale_strongly():
    times = Times.of({(2, None): 10.0, (4, None): 6.0})

    assert strong_scaling_errors(times).errors[0, 1] == pytest.approx(2 - 10 / 6)
    with pytest.raises(SizeUnknown, match="whose coordinates name n"):
        weak_scaling_errors(times, 100)


def test_a_model_of_the_measurements_gives_the_same_errors():
    times = grid()
    for kind, measured in (
        (ScalingKind.STRONG, strong_scaling_errors(times, 100)),
        (ScalingKind.WEAK, weak_scaling_errors(times, 100)),
    ):
        modelled = modelled_scaling_errors(kind, MODEL, SCALES, times, 100)
        known = np.isfinite(measured.errors)
        np.testing.assert_allclose(modelled.errors[known], measured.errors[known])
        assert np.isfinite(modelled.errors).all()


def test_pairs_beyond_the_measured_scales_are_extrapolated():
    scales = np.array([1.0, 3, 8, 16])

    errors = modelled_scaling_errors(ScalingKind.STRONG, MODEL, scales, grid(), 100)

    origins = {(each.n1, each.n2): each.origin for each in errors}
    assert origins[1, 3] is Origin.MODELLED
    assert origins[1, 16] is Origin.EXTRAPOLATED
    assert origins[16, 1] is Origin.EXTRAPOLATED


def test_pairs_beyond_the_measured_problem_sizes_are_extrapolated():
    errors = modelled_scaling_errors(ScalingKind.WEAK, MODEL, SCALES, grid(), 200)

    origins = {(each.n1, each.n2): each.origin for each in errors}
    assert origins[2, 8] is Origin.MODELLED
    assert origins[1, 8] is Origin.EXTRAPOLATED
    assert origins[8, 1] is Origin.EXTRAPOLATED


def test_a_model_without_problem_size_cannot_say_how_weak_scaling_is():
    model = Model(1.0, (Term(1.0, Growth.of("p", power=1)),))

    with pytest.raises(SizeUnknown, match=r"1 \+ 1 \* p knows one of them"):
        modelled_scaling_errors(ScalingKind.WEAK, model, SCALES, grid(), 100)


def test_a_constant_model_scales_at_any_size():
    errors = modelled_scaling_errors(ScalingKind.STRONG, Model(3.0), SCALES, grid())

    assert errors.errors[0, 3] == pytest.approx(8 - 1)


def test_times_of_a_model_that_are_not_positive_are_unknown():
    falling = Model(4.0, (Term(-1.0, Growth.of("p", power=1)),))

    errors = modelled_scaling_errors(ScalingKind.STRONG, falling, SCALES, grid())

    assert {each.n2 for each in errors} == {1, 2}


@pytest.mark.parametrize("times", [{}, {(1, None): 0.0}, {(1, None): float("nan")}])
def test_nothing_measured_is_said(times):
    with pytest.raises(NothingToScale, match="none was measured"):
        Times.of(times)


def test_a_single_scale_is_said():
    with pytest.raises(NothingToScale, match="1 was measured of problem size 100"):
        strong_scaling_errors(Times.of({(4, 100): 1.0}), 100)
    with pytest.raises(NothingToScale, match="1 was measured"):
        weak_scaling_errors(Times.of({(4, 100): 1.0, (4, 200): 2.0}), 100)


def test_an_unmeasured_problem_size_is_said():
    with pytest.raises(NothingToScale, match="none was measured of problem size 3"):
        strong_scaling_errors(grid(), 3)


def test_sizes_are_recorded_everywhere_or_nowhere():
    with pytest.raises(SizeUnknown):
        Times.of({(1, None): 1.0, (2, 100): 1.0})

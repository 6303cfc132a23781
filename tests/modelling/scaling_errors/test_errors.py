import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewatch.errors import BadScale, RepeatedScale, WrongShape
from scalewatch.modelling import Times, strong_scaling_errors, weak_scaling_errors
from scalewatch.modelling.scaling_errors.errors import (
    strong_errors,
    weak_errors,
    with_constant_work,
)

N = np.array([1.0, 2, 4, 8])
TIMES = st.lists(st.floats(1e-6, 1e6), min_size=4, max_size=4)


def test_the_strong_scaling_error_is_equation_four():
    seconds = [100.0, 60, 40, 30]

    alpha = strong_errors(N, seconds)

    assert alpha[0, 2] == pytest.approx(4 / 1 - 100 / 40)
    assert alpha[3, 1] == pytest.approx(2 / 8 - 30 / 60)


def test_the_weak_scaling_error_is_equation_five():
    sizes = [100.0, 200, 400]
    seconds = np.array([[10.0, 6, 4, 3], [20, 11, 7, 5], [40, 21, 13, 9]])

    beta = weak_errors(N, sizes, seconds, 100)

    assert beta[0, 1] == pytest.approx(1 - 10 / 11)
    assert beta[0, 2] == pytest.approx(1 - 10 / 13)
    assert beta[1, 3] == pytest.approx(1 - 6 / 9)


def test_constant_work_is_equation_five_where_no_run_names_its_size():
    seconds = dict(zip(N, [10.0, 11, 13, 17], strict=True))
    named = {(p, 100 * p): time for p, time in seconds.items()}
    unnamed = {(p, None): time for p, time in seconds.items()}

    beta = with_constant_work(strong_scaling_errors(Times.of(unnamed)))

    expected = weak_scaling_errors(Times.of(named), 100)
    assert beta.kind is expected.kind
    np.testing.assert_allclose(beta.errors[0], expected.errors[0], atol=1e-14)


def test_ideal_strong_scaling_has_no_error():
    np.testing.assert_allclose(strong_errors(N, 100 / N), 0, atol=1e-14)


def test_ideal_weak_scaling_has_no_error():
    sizes = 60.0 * np.unique(N / N[:, np.newaxis])

    beta = weak_errors(N, sizes, sizes[:, np.newaxis] / N, 60)

    np.testing.assert_allclose(beta, 0, atol=1e-14)


@given(TIMES)
def test_no_scale_has_an_error_towards_itself(seconds):
    np.testing.assert_allclose(np.diag(strong_errors(N, seconds)), 0, atol=1e-14)


@given(TIMES, st.floats(1e-3, 1e3))
def test_errors_are_the_same_in_any_unit_of_time(seconds, factor):
    np.testing.assert_allclose(
        strong_errors(N, np.array(seconds) * factor),
        strong_errors(N, seconds),
        rtol=1e-9,
        atol=1e-9,
    )


def test_series_are_independent_of_their_batch():
    seconds = np.random.default_rng(1).uniform(1, 2, (5, 3, 4))
    sizes = [1.0, 2.0, 4.0]

    for series, alpha in zip(seconds, strong_errors(N, seconds), strict=True):
        np.testing.assert_array_equal(alpha, strong_errors(N, series))
    for series, beta in zip(seconds, weak_errors(N, sizes, seconds, 1), strict=True):
        np.testing.assert_array_equal(beta, weak_errors(N, sizes, series, 1))


@pytest.mark.parametrize("missing", [np.nan, np.inf, 0.0, -1.0])
def test_what_is_no_time_leaves_its_pairs_unknown(missing):
    alpha = strong_errors(N, [100.0, missing, 40, 30])

    is_unknown = np.isnan(alpha)
    assert is_unknown[1].all()
    assert is_unknown[:, 1].all()
    assert is_unknown.sum() == 7


def test_pairs_whose_problem_size_was_not_measured_are_unknown():
    beta = weak_errors(N, [100.0], [[10.0, 6, 4, 3]], 100)

    np.testing.assert_allclose(np.diag(beta), 0)
    assert np.isnan(beta).sum() == 12


def test_a_size_at_which_nothing_was_measured_leaves_all_pairs_unknown():
    assert np.isnan(weak_errors(N, [100.0], [[10.0, 6, 4, 3]], 50)).all()


def test_sizes_need_not_be_sorted():
    sizes = np.array([4.0, 1, 2])
    seconds = np.arange(1.0, 13).reshape(3, 4)

    np.testing.assert_array_equal(
        weak_errors(N, sizes, seconds, 1),
        weak_errors(N, sizes[[1, 2, 0]], seconds[[1, 2, 0]], 1),
    )


@pytest.mark.parametrize("scale", [0.0, -2, np.nan, np.inf])
def test_a_scale_that_is_no_positive_number_is_refused(scale):
    with pytest.raises(BadScale, match="is not a positive number"):
        strong_errors([1, scale], [2.0, 1])


def test_a_scale_that_occurs_twice_is_refused():
    with pytest.raises(RepeatedScale, match="the scale 2 occurs twice"):
        strong_errors([1, 2, 2], [2.0, 1, 1])


def test_a_problem_size_that_occurs_twice_is_refused():
    with pytest.raises(RepeatedScale, match="the problem size 5 occurs twice"):
        weak_errors([1, 2], [5, 5], np.ones((2, 2)), 5)


def test_times_that_do_not_fit_the_scales_are_refused():
    with pytest.raises(WrongShape, match="times has shape"):
        strong_errors(N, [1.0, 2])
    with pytest.raises(WrongShape, match="times has shape"):
        weak_errors(N, [1.0], np.ones((2, 4)), 1)

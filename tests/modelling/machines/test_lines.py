import numpy as np
import pytest
from scipy.optimize import curve_fit
from scipy.stats import t

from scalewatch.errors import TooFewSizes
from scalewatch.modelling.machines.lines import (
    Estimate,
    coefficient_differences,
    crossing_of,
    equality,
    fit_line,
)

K = np.array([1e5, 2e5, 4e5, 8e5, 1.6e6])


def noisy(intercept, slope, seed, scatter=0.02):
    rng = np.random.default_rng(seed)
    return (intercept + slope * K) * (1 + rng.normal(0, scatter, K.size))


def test_a_line_and_its_errors_are_those_of_relative_least_squares():
    times = noisy(0.5, 2e-6, 1)

    line = fit_line(K, times)

    (intercept, slope), covariance = curve_fit(
        lambda k, a, b: a + b * k, K, times, p0=(0.5, 2e-6), sigma=times
    )
    assert (line.intercept, line.slope) == pytest.approx((intercept, slope))
    assert line.covariance == pytest.approx(covariance)


def test_intervals_are_students():
    line = fit_line(K, noisy(0.5, 2e-6, 1))

    _, slope = line.estimates(0.95)

    reach = t.ppf(0.975, 3) * np.sqrt(line.covariance[1, 1])
    assert slope.high - slope.value == pytest.approx(reach)
    assert slope.value - slope.low == pytest.approx(reach)


def test_intervals_hold_as_often_as_they_say():
    held = 0
    for seed in range(400):
        _, slope = fit_line(K, noisy(0.5, 2e-6, seed)).estimates(0.9)
        held += slope.low <= 2e-6 <= slope.high

    # 400 trials at 0.9: standard deviation 6.
    assert 340 <= held <= 380


def test_machines_differ_by_chance_as_often_as_they_say():
    pairs = [
        (
            fit_line(K, noisy(0.5, 2e-6, seed)),
            fit_line(K, noisy(0.5, 2e-6, seed + 1000)),
        )
        for seed in range(400)
    ]
    differ = np.array(
        [
            [each.p_value < 0.05 for each in coefficient_differences(*pair, 0.95)]
            + [equality(*pair) < 0.05]
            for pair in pairs
        ]
    )

    # 400 trials at 0.05, a little fewer at so few sizes: standard deviation 4.4.
    assert differ.sum(axis=0) == pytest.approx(20, abs=13)


@pytest.mark.parametrize("larger", [1e3, 1e6], ids=str)
def test_equality_does_not_depend_on_the_unit_of_sizes(larger):
    times = noisy(0.5, 2e-6, 1), noisy(0.5, 3e-6, 2)

    small, large = (
        equality(*(fit_line(scale * K, each) for each in times))
        for scale in (1.0, larger)
    )

    assert small < 0.01
    assert large == pytest.approx(small)


def test_two_points_leave_no_interval():
    line = fit_line(K[:2], 3 + K[:2])

    assert line.estimates(0.95)[1] == Estimate(pytest.approx(1.0))


def test_times_that_do_not_vary_are_a_level_line():
    line = fit_line(K, np.full(K.size, 3.0))

    assert (line.intercept, line.slope, line.r2) == (3, 0, 1)


@pytest.mark.parametrize("sizes", [[], [5.0], [5.0, 5.0]], ids=str)
def test_one_problem_size_makes_no_line(sizes):
    with pytest.raises(TooFewSizes, match="2 problem sizes or more"):
        fit_line(np.array(sizes), np.ones(len(sizes)))


def test_lines_cross_within_fiellers_interval():
    held = 0
    for seed in range(300):
        one, other = (
            fit_line(K, noisy(1.0, 1e-6, seed, 0.05)),
            fit_line(K, noisy(0.5, 2e-6, seed + 1000, 0.05)),
        )
        crossing = crossing_of(one, other, 0.9)
        held += crossing.low <= 5e5 <= crossing.high

    # 300 trials at 0.9: standard deviation 5.
    assert 255 <= held <= 292


def test_lines_that_cross_below_zero_have_no_crossing():
    one, other = fit_line(K, 1.0 + 2e-6 * K), fit_line(K, 0.5 + 1e-6 * K)

    assert crossing_of(one, other, 0.95) is None


def test_parallel_lines_have_no_crossing():
    one, other = fit_line(K, K), fit_line(K, K + 1)

    assert crossing_of(one, other, 0.95) is None


def test_a_crossing_that_might_be_anywhere_has_no_bounds():
    one = fit_line(K, noisy(1.2, 1.0e-6, 1, 0.1))
    other = fit_line(K, noisy(1, 1.1e-6, 2, 0.1))

    found = crossing_of(one, other, 0.95)

    assert found.value > 0
    assert found.low is None
    assert found.high is None


def test_differences_without_scatter_are_certain():
    steps = np.arange(3.0)
    one, other = fit_line(steps, 1 + steps), fit_line(steps, 1 + 2 * steps)

    intercept, slope = coefficient_differences(one, other, 0.95)

    assert slope.estimate.value == -1
    assert (slope.p_value, equality(one, other)) == (0, 0)
    assert intercept.p_value == 1

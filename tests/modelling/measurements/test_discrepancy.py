from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_t

from scalewatch.modelling import find_models
from scalewatch.modelling.measurements.assumptions import ASSUMED, USUAL
from scalewatch.modelling.measurements.discrepancy import (
    covariance,
    innovation,
    sizes,
    with_discrepancy,
)
from scalewatch.modelling.measurements.location import locate

P = np.array([4.0, 8, 16, 32, 64, 128])
AT = np.log(P / P[0])


def located(repetitions=5, series=3, seed=2):
    rng = np.random.default_rng(seed)
    values = np.exp(rng.normal(0, 0.05, (series, len(P), repetitions)))
    return locate(values * P[:, np.newaxis])


def whole_covariance(location, row, size):
    """Return C of one series, in units of its variance."""
    shared = covariance(AT, AT, size) + (size * ASSUMED.scatter) ** 2 * np.eye(len(P))
    weights = location.weight[:, row]
    return shared + np.diag(location.variance[row] / weights)


def test_a_walk_has_the_covariance_of_its_integral():
    rng = np.random.default_rng(1)
    steps = np.diff(np.linspace(0, AT[-1], 400))
    exponent = np.cumsum(ASSUMED.bend * rng.normal(size=(4000, 399)) * steps**0.5, 1)
    walk = np.cumsum(
        exponent * steps + ASSUMED.drift * rng.normal(size=(4000, 399)) * steps**0.5, 1
    )

    at = np.array([steps[:200].sum(), steps.sum()])
    found = np.cov(walk[:, [199, 398]].T)

    np.testing.assert_allclose(found, covariance(at, at, 1.0), rtol=0.1)


def test_a_precision_is_the_inverse_of_the_covariance():
    values = np.exp(np.random.default_rng(4).normal(0, 0.05, (2, len(P), 4)))
    values[1, 2, 1:] = np.nan
    location = locate(values)

    departing = with_discrepancy(location, AT, 0.7)

    for row in range(2):
        precision = departing.precision[..., row] / departing.variance[row]
        np.testing.assert_allclose(
            precision @ whole_covariance(location, row, 0.7), np.eye(6), atol=1e-8
        )


def test_a_missing_point_tells_nothing():
    values = np.exp(np.random.default_rng(5).normal(0, 0.05, (1, len(P), 4)))
    values[0, 3] = np.nan
    location = locate(values)
    there = np.flatnonzero(np.arange(len(P)) != 3)

    departing = with_discrepancy(location, AT, 1.0)

    shared = covariance(AT[there], AT[there], 1.0) + ASSUMED.scatter**2 * np.eye(5)
    whole = shared + location.variance[0] * np.eye(5)
    precision = departing.precision[..., 0] / departing.variance[0]
    np.testing.assert_allclose(
        precision[np.ix_(there, there)] @ whole, np.eye(5), atol=1e-8
    )
    np.testing.assert_allclose(precision[3], 0, atol=1e-9)


def test_sizes_weigh_as_the_densities_of_the_locations_do():
    location = located()
    found = sizes(location, {"p": P}, USUAL)
    levels = np.linspace(-2, 2, 2001)

    for row in range(3):
        told, exact = [], []
        for each, size, share in zip(found, ASSUMED.sizes, USUAL.sizes, strict=True):
            logs = location.log[:, row] - np.log(P)
            freedom, unit = each.freedom[row], each.variance[row]
            inverse = each.precision[..., row]
            residual = logs - inverse.sum(axis=0) @ logs / inverse.sum()
            z = residual @ inverse @ residual / (freedom * unit)
            told.append(each.log_share[row] - (freedom + 5) / 2 * np.log(1 + z))
            density = multivariate_t(
                shape=whole_covariance(location, row, size), df=freedom
            )
            density = density.pdf(logs - levels[:, np.newaxis])
            exact.append(np.log(share * density.sum()))
        np.testing.assert_allclose(np.diff(told), np.diff(exact), atol=1e-3)


def test_only_repetitions_tell_that_there_is_none():
    (smooth,) = sizes(located(1), {"p": P}, replace(USUAL, sizes=(0.5, 0.5)))

    assert smooth.size > 0
    assert [each.size for each in sizes(located(), {"p": P}, USUAL)] == [0, 0.7]


def test_over_several_parameters_walks_add_up():
    location = located()
    n = np.array([1.0, 4, 1, 4, 1, 4])
    at = np.stack([AT, np.log(n)])

    (departing,) = (
        each for each in sizes(location, {"p": P, "n": n}, USUAL) if each.size
    )

    shared = covariance(AT, AT, 0.7) + covariance(at[1], at[1], 0.7)
    np.testing.assert_allclose(covariance(at, at, 0.7), shared)
    shared += (0.7 * ASSUMED.scatter) ** 2 * np.eye(len(P))
    for row, precision in enumerate(np.moveaxis(departing.precision, 2, 0)):
        whole = np.diag(location.variance[row] / location.weight[:, row]) + shared
        scaled = precision @ whole / departing.variance[row]
        np.testing.assert_allclose(scaled, np.eye(len(P)), atol=1e-8)


def test_settings_that_are_not_positive_have_none():
    (only,) = sizes(located(), {"p": P, "n": P - P[0]}, USUAL)

    assert only.size == 0
    np.testing.assert_array_equal(only.precision[..., 0], np.diag(only.weight[:, 0]))


def test_what_comes_beyond_grows_with_the_distance():
    near, far = innovation(np.log([2.0, 16.0]), 1.0)

    assert ASSUMED.scatter**2 < near < far
    assert innovation(np.array([-1.0]), 1.0) == pytest.approx(ASSUMED.scatter**2)


def test_a_forecast_goes_on_from_the_last_points():
    values = (100 / P * np.array([1, 1, 1, 1, 1.2, 1.2])).reshape(1, -1, 1)

    (finding,) = find_models(P, values, targets=[256.0])

    (forecast,) = finding.forecasts
    assert forecast.value == pytest.approx(1.2 * 100 / 256, rel=0.12)


def test_single_values_forecast_no_narrower_than_repetitions():
    values = np.exp(np.random.default_rng(8).normal(0, 0.03, (60, len(P), 5)))
    values *= (2 + P**0.5)[:, np.newaxis]

    width = [
        np.median([np.log(f.high / f.low) for e in found for f in e.forecasts])
        for found in (
            find_models(P, values, targets=[512.0]),
            find_models(P, values[..., :1], targets=[512.0]),
        )
    ]

    assert width[1] >= width[0]

import numpy as np
import pytest

from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.location import (
    FLOOR,
    MOST_FREEDOM,
    Location,
    locate,
    locate_mean,
    located,
    summarise,
)


def columns(location: Location, where: slice) -> list[np.ndarray]:
    """Return what is said of some series."""
    parts = (location.log, location.weight, location.variance, location.freedom)
    return [part[..., where] for part in parts]


def lognormal(shape, sigma=0.05, seed=1):
    return np.exp(sigma * np.random.default_rng(seed).standard_normal(shape))


def test_two_slow_repetitions_out_of_five_do_not_move_the_location():
    values = lognormal((1, 6, 5), sigma=0.01)
    slow = values.copy()
    slow[0, 2, :2] *= 3

    np.testing.assert_allclose(locate(slow).log[2], locate(values).log[2], atol=0.02)


@pytest.mark.parametrize("repetitions", [2, 3, 5, 10, 40])
@pytest.mark.parametrize("estimate", [locate, locate_mean])
def test_the_variance_is_that_of_the_location(estimate, repetitions):
    location = estimate(lognormal((2000, 6, repetitions)))

    assert np.mean(location.variance) == pytest.approx(location.log.var(), rel=0.15)


@pytest.mark.parametrize("repetitions", [1, 4])
def test_repetitions_without_scatter_say_little_about_the_noise(repetitions):
    location = locate(np.full((3, 6, repetitions), 7.0))

    np.testing.assert_allclose(location.log, np.log(7))
    np.testing.assert_allclose(location.variance, FLOOR**2)
    np.testing.assert_allclose(location.freedom, 1)


def test_scatter_counts_for_at_most_the_freedom_it_is_trusted_with():
    location = locate(lognormal((200, 6, 30)))

    np.testing.assert_allclose(location.freedom, MOST_FREEDOM, rtol=0.1)


def test_a_missing_repetition_is_one_less_and_a_missing_point_has_no_weight():
    values = lognormal((1, 6, 4))
    fewer = np.concatenate([values, np.full((1, 6, 2), np.nan)], axis=2)
    fewer[0, 3] = np.nan

    location = locate(fewer)

    np.testing.assert_array_equal(location.weight[:, 0], [1, 1, 1, 0, 1, 1])
    np.testing.assert_allclose(
        np.delete(location.log, 3, axis=0), locate(np.delete(values, 3, axis=1)).log
    )


def test_a_series_is_located_alike_alone_and_among_others():
    values = lognormal((40, 6, 5), sigma=0.3)
    values[::3, 1, 2:] = np.nan
    values[::5, 4] = np.nan

    together = locate(values)

    for row in range(len(values)):
        alone = locate(values[row : row + 1])
        for one, among in zip(
            columns(alone, slice(None)),
            columns(together, slice(row, row + 1)),
            strict=True,
        ):
            np.testing.assert_array_equal(one, among)


def test_the_mean_is_the_arithmetic_one():
    values = lognormal((5, 6, 4))

    np.testing.assert_allclose(
        np.exp(locate_mean(values).log.T), summarise(values, "mean")
    )


def test_the_robust_summary_is_the_location_or_else_the_median():
    values = lognormal((2, 6, 5))
    values[1, 0, 0] = -1.0

    summarised = summarise(values, "robust")

    np.testing.assert_allclose(summarised[0], np.exp(locate(values[:1]).log[:, 0]))
    np.testing.assert_allclose(summarised[1], np.median(values[1], axis=1))


def test_the_gaps_between_the_least_repetitions_tell_a_variance_loosely():
    values = np.random.default_rng(3).exponential(size=(7, 6, 5)) + 10

    robust, least = (located(values, Noise(summary)) for summary in ("robust", "min"))

    assert (least.freedom < 3).all()
    assert (robust.freedom > 10).all()

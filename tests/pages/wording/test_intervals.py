from itertools import product

import pytest

from scalewatch.modelling import Forecast
from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.pages.wording.intervals import (
    bounded_words,
    factor_words,
    forecast_written,
    quantities,
    rounded,
)
from scalewatch.texts.numbers import MISSING
from support import sentences


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ((1.02, 1.01, 1.03), ("1.020", "1.010", "1.030")),
        ((1.4, 1.3, 1.5), ("1.40", "1.30", "1.50")),
        ((78.6, 54.2, 79.3), ("79", "54", "79")),
        ((7912.0, 6512.0, 9934.0), ("7,900", "6,500", "9,900")),
        ((3.0, 3.0, 3.0), ("3.00", "3.00", "3.00")),
    ],
)
def test_value_and_bounds_have_the_digits_that_their_distance_leaves(values, written):
    assert rounded(values) == written


def test_bounds_never_exclude_what_they_are_about():
    value, low, high = rounded((1.02, 1.018, 1.023))

    assert float(low) <= float(value) <= float(high)


def test_factor_that_may_be_anything_is_not_known():
    for bounds in (Bounds(9.55, low=0.73, high=28.0), Bounds(2.0, low=0.0, high=3.0)):
        told = bounded_words(bounds, "time", {"p": 64.0})
        assert told == sentences.HOW_MUCH_IS_UNKNOWN


def test_factor_between_its_bounds():
    between = bounded_words(Bounds(1.22, low=1.1, high=2.6), "time", {"p": 64.0})
    exactly = bounded_words(Bounds(0.5, low=0.5, high=0.5), "time", {"p": 64.0})

    assert between == "1.2× [1.1, 2.6] slower at p = 64"
    assert exactly == "2.00× faster at p = 64"


@pytest.mark.parametrize(
    ("values", "unit", "written"),
    [
        ((313e-6, 168e-6, 430e-6), "s", ("310 µs", "170 µs", "430 µs")),
        ((0.604, 0.598, 0.608), "s", ("604 ms", "598 ms", "608 ms")),
        ((1.234, 1.233, 1.235), "s", ("1.2340 s", "1.2330 s", "1.2350 s")),
        ((2e-6, 1e-6, 4e-3), "s", ("2.00 µs", "1.00 µs", "4.00 ms")),
        ((5.0, 5.0, 5.0), "s", ("5.00 s",) * 3),
        ((7.0, 6.0, 8.0), "1", ("7", "6", "8")),
        ((0.1, -0.2, 0.4), "s", ("100 ms", "−200 ms", "400 ms")),
        ((0.0, 0.0, 0.0), "B", ("0 B",) * 3),
    ],
)
def test_a_metric_and_its_bounds_have_one_unit_and_the_digits_of_the_interval(
    values, unit, written
):
    assert quantities(*values, unit) == tuple(
        each.replace(" ", "\N{NARROW NO-BREAK SPACE}") for each in written
    )


def test_no_rounding_moves_a_value_out_of_its_interval():
    for value, width, at in product(
        (1.0, 9.996, 567.0, 99_950.0), (1e-5, 0.004, 0.3, 1.5), (0, 0.5, 1)
    ):
        low = value * (1 - at * width / 2)
        high = low + value * width

        first, second, third = (
            float(each.replace(",", "")) for each in rounded((value, low, high))
        )

        assert second <= first <= third
        assert second < third


def test_forecast_without_an_interval_has_dashes():
    alone = Forecast({"p": 64.0}, 1e-3, None, None, 0.9)

    assert forecast_written(alone, "s")[1:] == (MISSING, MISSING)


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ((78.6, 78.2, 79.0), "78.6× [78.2, 79.0] slower at p = 2,048"),
        ((0.01268, 0.01266, 0.01278), "78.9× [78.2, 79.0] faster at p = 2,048"),
        ((9.55, 0.73, 28.0), "how much at p = 2,048 is not known"),
    ],
)
def test_factors_at_a_scale_tell_their_direction_in_words(bounds, words):
    assert bounded_words(Bounds(*bounds), "time", {"p": 2048}) == words


@pytest.mark.parametrize(
    ("factor", "metric", "words"),
    [
        (7.3, "time", "7.3× slower at p = 128"),
        (0.136, "time", "7.4× faster at p = 128"),
        (1.045, "time", "4.5 % slower at p = 128"),
        (0.955, "time", "4.5 % faster at p = 128"),
        (2.0, "memory", "2.0× more at p = 128"),
        (0.5, "bandwidth", "2.0× less at p = 128"),
    ],
)
def test_factor_names_its_scale_and_its_direction(factor, metric, words):
    assert factor_words(factor, metric, {"p": 128}) == words


def test_factor_without_a_scale_names_none():
    assert factor_words(2.0, "time", {}) == "2.0× slower"

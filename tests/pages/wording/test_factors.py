import pytest

from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.pages.wording.factors import bounded, factor_words, rounded


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
    assert bounded(Bounds(value=9.55, low=0.73, high=28.0)) == "not known"
    assert bounded(Bounds(value=2.0, low=0.0, high=3.0)) == "not known"


def test_factor_between_its_bounds():
    assert bounded(Bounds(value=1.22, low=1.1, high=2.6)) == "1.2 (1.1 … 2.6)"

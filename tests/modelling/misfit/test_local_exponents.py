import numpy as np
import pytest

from scalewatch.modelling import Verdict, default_deviation_limit, parse_growth
from scalewatch.modelling.misfit import (
    ExponentInterval,
    local_exponent,
)

P = np.array([4.0, 8, 16, 32, 64, 128])
EXACTLY = np.zeros(6)


@pytest.mark.parametrize(
    ("growth", "exponent"),
    [("1", 0), ("p", 1), ("p^(-1/2)", -0.5), ("p log p", 1 + np.log2(7 / 6))],
)
def test_the_local_exponent_is_the_slope_of_the_logarithms(growth, exponent):
    assert local_exponent(parse_growth(growth), (64, 128)) == pytest.approx(exponent)


def test_a_power_law_has_its_exponent():
    found = ExponentInterval.of_exact(P, 3 * P**0.6, EXACTLY)

    assert (found.low, found.high) == pytest.approx((0.6, 0.6))


def test_an_exponent_that_falls_is_followed_down():
    found = ExponentInterval.of_exact(P, P / np.log2(2 * P), EXACTLY)

    last = np.log2((128 / 8) / (64 / 7))
    assert found.low < last < found.high < 1


def test_rounding_widens_the_interval():
    exactly = ExponentInterval.of_exact(P, P**0.6, EXACTLY)
    rounded = ExponentInterval.of_exact(P, P**0.6, np.full(6, 0.5))

    assert rounded.low < exactly.low
    assert exactly.high < rounded.high


@pytest.mark.parametrize(
    ("bounds", "expectation", "verdict"),
    [
        ((0.55, 0.65), "p^(3/5)", Verdict.APPROXIMATE),
        ((0.55, 0.65), "p", Verdict.APPROXIMATE),
        ((0.55, 0.65), "p^2", Verdict.MISMATCH),
        ((0.2, 0.65), "p", Verdict.UNDECIDED),
        ((-5.6, 0.85), "log p", Verdict.UNDECIDED),
    ],
)
def test_a_verdict_stands_that_all_exponents_allow(bounds, expectation, verdict):
    expected = parse_growth(expectation)
    limit = default_deviation_limit(expected)

    found = ExponentInterval(*bounds).verdict(expected, limit, (64, 128))

    assert found is verdict


def test_falling_values_grow_by_less_than_one():
    value, low, high = ExponentInterval(-1.1, -0.9).beyond(np.array([16.0]))

    assert low[0] < value[0] < high[0] < 1

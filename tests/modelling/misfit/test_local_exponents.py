import numpy as np
import pytest

from scalewatch.modelling import Verdict, default_deviation_limit, parse_growth
from scalewatch.modelling.misfit.misfit import (
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
    ("verdict", "expectation", "stands"),
    [
        (Verdict.MATCH, "p^(3/5)", True),
        (Verdict.MATCH, "p", False),
        (Verdict.APPROXIMATE, "p", True),
        (Verdict.APPROXIMATE, "p^2", False),
        (Verdict.MISMATCH, "p^2", True),
        (Verdict.MISMATCH, "p", False),
    ],
)
def test_a_verdict_stands_that_all_exponents_allow(verdict, expectation, stands):
    expected = parse_growth(expectation)
    limit = default_deviation_limit(expected)

    found = ExponentInterval(0.55, 0.65).allows(verdict, expected, limit, (64, 128))

    assert found is stands


def test_an_interval_that_tells_nothing_supports_no_match():
    expected = parse_growth("log p")
    limit = default_deviation_limit(expected)

    found = ExponentInterval(-5.6, 0.85)

    assert not found.allows(Verdict.MATCH, expected, limit, (32, 64))


def test_falling_values_grow_by_less_than_one():
    value, low, high = ExponentInterval(-1.1, -0.9).beyond(np.array([16.0]))

    assert low[0] < value[0] < high[0] < 1

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import norm

from scalewatch.modelling.search.finding import Forecast
from scalewatch.modelling.versions.assumptions import ASSUMED as OF_VERSIONS
from scalewatch.modelling.versions.ratios import ratio_of

P = (64.0, 128.0, 256.0, 512.0, 1024.0)


def forecasts(values, spread: float = 0.01) -> list[Forecast]:
    """Return forecasts at P whose interval reaches `spread` to either side in logs."""
    return [
        Forecast({"p": p}, value, value * np.exp(-spread), value * np.exp(spread), 0.9)
        for p, value in zip(P, values, strict=True)
    ]


def ratio(first, other, spread: float = 0.01, settings=P):
    found = ratio_of(forecasts(first, spread), forecasts(other, spread), "p", settings)
    assert found is not None
    return found


def test_half_widths_add_up_in_squares():
    found = ratio([1] * 5, [2] * 5, spread=0.03)

    assert found.value == pytest.approx([2] * 5)
    assert np.log(found.high / found.value) == pytest.approx([0.03 * 2**0.5] * 5)
    assert np.log(found.value / found.low) == pytest.approx([0.03 * 2**0.5] * 5)


def test_probability_is_that_of_a_normal_variable():
    found = ratio([1] * 5, [1.05] * 5, spread=0.05)

    deviation = 0.05 * 2**0.5 / norm.ppf(0.95)
    expected = norm.cdf(np.log(1.05) / deviation)
    assert found.probability == pytest.approx([expected] * 5)


@given(st.floats(0.2, 5), st.floats(0.001, 0.5))
def test_what_is_inverted_is_inverted(factor: float, spread: float):
    at_bound = np.log1p(OF_VERSIONS.negligible)
    assume(abs(np.log(factor)) != pytest.approx(at_bound, rel=1e-9))
    there = ratio([1] * 5, [factor] * 5, spread)
    back = ratio([factor] * 5, [1] * 5, spread)

    assert there.value * back.value == pytest.approx(np.ones(5))
    assert there.low * back.high == pytest.approx(np.ones(5))
    assert there.probability + back.probability == pytest.approx(np.ones(5))
    assert (there.lead is None) is (back.lead is None)


def test_share_by_which_jobs_differ_decides_what_is_no_lead():
    sides = forecasts([1] * 5, 1e-4), forecasts([1.02] * 5, 1e-4)

    def lead(*learned):
        compared = ratio_of(*sides, "p", P, *learned)
        assert compared is not None
        return compared.lead

    assert lead() is None
    assert lead(0.03) is None
    assert lead(0.01) is not None


def test_lead_begins_where_it_is_sure_and_stays_so():
    lead = ratio([1, 1, 1, 1, 1], [0.5, 1, 1.5, 2, 2.5]).lead

    assert lead.is_first
    assert lead.start == 256
    assert lead.probability > 0.99


def test_lead_of_the_other_side_is_told():
    lead = ratio([2] * 5, [1] * 5).lead

    assert not lead.is_first
    assert lead.start == 64


@pytest.mark.parametrize(
    ("other", "spread"),
    [(1 + OF_VERSIONS.negligible / 2, 1e-6), (1.2, 0.5)],
    ids=["negligible", "not sure"],
)
def test_nobody_leads_by_little_or_by_chance(other: float, spread: float):
    assert ratio([1] * 5, [other] * 5, spread).lead is None


def test_lead_is_told_at_settings_that_both_measured_alone():
    found = ratio([1] * 5, [0.5, 2, 2, 2, 0.5], settings=(64.0, 256.0))

    assert found.lead.start == 256
    assert found.largest == 256
    assert found.at_largest == pytest.approx(2)


def test_crossing_has_the_interval_of_where_the_ratio_may_be_one():
    (crossing,) = ratio([1] * 5, [0.5, 0.9, 1.1, 2, 4], spread=0.15).crossings

    assert 128 < crossing.at < 256
    assert 64 < crossing.low < 128
    assert 256 < crossing.high < 512


def test_interval_of_a_crossing_may_end_beyond_what_is_known():
    (crossing,) = ratio([1] * 5, [0.95, 1.02, 1.03, 1.04, 1.05], spread=0.2).crossings

    assert crossing.low is None
    assert crossing.high is None


def test_precise_series_cross_within_one_step():
    (crossing,) = ratio([1] * 5, [0.5, 0.5, 2, 2, 2], spread=1e-9).crossings

    assert crossing.low <= crossing.at <= crossing.high
    assert (crossing.low, crossing.high) == pytest.approx((128, 256))


def test_ratio_needs_intervals_and_settings_of_both():
    unbounded = [Forecast({"p": p}, 1.0, None, None, 0.9) for p in P]
    negative = forecasts([-1.0] * 5)

    assert ratio_of(unbounded, forecasts([1] * 5), "p", P) is None
    assert ratio_of(negative, forecasts([1] * 5), "p", P) is None
    assert ratio_of([], forecasts([1] * 5), "p", P) is None
    assert ratio_of(forecasts([1] * 5), forecasts([1] * 5), "p", [7]) is None

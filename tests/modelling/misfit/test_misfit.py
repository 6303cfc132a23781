import numpy as np
import pytest

from scalewatch.modelling import Verdict, find_models, parse_growth

P = np.array([4.0, 8, 16, 32, 64, 128])
FAR = 16 * 128.0


def measured(curve, width, series=40, repetitions=5, seed=3):
    """Return repetitions of a curve under uniform relative noise, shape (S, n, R)."""
    noise = np.random.default_rng(seed).uniform(
        1 - width / 2, 1 + width / 2, (series, len(P), repetitions)
    )
    return curve(P)[:, np.newaxis] * noise


def kinked(p):
    return np.where(p < 32, p**0.4, p**0.4 * 1.3)


@pytest.mark.parametrize("curve", [lambda p: p, lambda p: 3 + np.log2(p)])
# Two standard deviations are exceeded by chance in 5 % of cases.
@pytest.mark.parametrize(("width", "most"), [(0.001, 0.03), (0.02, 0.03), (0.1, 0.06)])
def test_growths_of_the_space_hardly_ever_have_another_last_step(curve, width, most):
    found = find_models(P, measured(curve, width, series=200))

    assert np.mean([each.last_step is not None for each in found]) < most


def test_intervals_reach_as_far_as_the_local_exponents():
    def curve(p):
        return p / np.log2(2 * p)

    found = find_models(P, measured(curve, 0.002), targets=[FAR])

    held = [f.low <= curve(FAR) <= f.high for each in found for f in each.forecasts]
    assert np.mean(held) > 0.9


def test_intervals_between_the_settings_stay_narrow():
    found = find_models(P, measured(kinked, 0.02), targets=[6.0])

    assert all(f.high < 1.6 * f.low for each in found for f in each.forecasts)


def test_a_match_that_the_last_step_does_not_support_is_undecided():
    found = find_models(P, measured(kinked, 0.02), expectation=parse_growth("p^(3/4)"))

    for each in found:
        assert each.verdict is Verdict.UNDECIDED
        assert each.last_step.exponent == pytest.approx(0.4, abs=0.05)
        assert each.last_step.expected > 0.55


def test_local_exponents_within_the_deviation_limit_are_approximate():
    found = find_models(P, measured(kinked, 0.02), expectation=parse_growth("p^(2/5)"))

    settled = [each.verdict for each in found if each.verdict is not Verdict.UNDECIDED]
    assert set(settled) <= {Verdict.APPROXIMATE, Verdict.MATCH}


def test_a_mismatch_beyond_all_local_exponents_stands():
    found = find_models(P, measured(kinked, 0.02), expectation=parse_growth("p^3"))

    assert {each.verdict for each in found} == {Verdict.MISMATCH}

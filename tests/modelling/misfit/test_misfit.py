import numpy as np

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


def test_intervals_reach_as_far_as_the_local_exponents():
    def curve(p):
        return p / np.log2(2 * p)

    found = find_models(P, measured(curve, 0.002), targets=[FAR])

    held = [f.low <= curve(FAR) <= f.high for each in found for f in each.forecasts]
    assert np.mean(held) > 0.9


def test_intervals_between_the_settings_stay_narrow():
    found = find_models(P, measured(kinked, 0.02), targets=[6.0])

    assert all(f.high < 1.6 * f.low for each in found for f in each.forecasts)


def test_local_exponents_within_the_deviation_limit_are_approximate():
    found = find_models(P, measured(kinked, 0.02), expectation=parse_growth("p^(2/5)"))

    settled = [each.verdict for each in found if each.verdict is not Verdict.UNDECIDED]
    assert set(settled) <= {Verdict.APPROXIMATE, Verdict.MATCH}

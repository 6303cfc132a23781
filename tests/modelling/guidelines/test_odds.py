import numpy as np
import pytest

from scalewatch.modelling import parse_guideline
from scalewatch.modelling.guidelines import (
    RegionRepetitions,
    newly_broken,
    violation_odds,
)
from scalewatch.modelling.measurements.assumptions import Noise

RULE = parse_guideline("f <= g + h")
SETTINGS = np.array([[4.0], [8.0], [16.0]])
EXACT = Noise(shares=(1.0, 0.0, 0.0, 0.0))


def regions(rng, excess, noise=0.05):
    truth = {"f": 3.0 * 1.05 * excess, "g": 1.0, "h": 2.0}
    return {
        name: RegionRepetitions(SETTINGS, value * rng.lognormal(0, noise, (3, 10)))
        for name, value in truth.items()
    }


def test_what_is_far_beyond_the_tolerance_is_broken_and_what_is_far_below_is_not():
    rng = np.random.default_rng(1)

    assert min(violation_odds(RULE, regions(rng, 1.5), EXACT).values()) > 0.99
    assert max(violation_odds(RULE, regions(rng, 0.7), EXACT).values()) < 0.01


def test_probabilities_at_the_limit_are_spread_evenly():
    rng = np.random.default_rng(2)

    odds = np.array(
        [
            odds
            for _ in range(150)
            for odds in violation_odds(RULE, regions(rng, 1.0), EXACT).values()
        ]
    )

    # Beyond 0.9 lies a tenth of 450: 45, with a standard deviation of 6.4.
    assert 20 < np.count_nonzero(odds > 0.9) < 70
    assert 20 < np.count_nonzero(odds < 0.1) < 70


def test_guidelines_at_their_limit_hardly_ever_look_newly_broken():
    rng = np.random.default_rng(4)

    alarms = 0
    for _ in range(300):
        before, after = (
            violation_odds(RULE, regions(rng, 1.0), EXACT) for _ in range(2)
        )
        held = max(before.values()) < 0.5
        alarms += held and newly_broken(before, after) >= 0.9

    # A hundredth of 300, and once the standard deviation.
    assert alarms <= 5


def test_the_setting_that_shows_it_best_tells_what_is_new():
    before = {(4.0,): 0.9, (8.0,): 0.1}
    after = {(4.0,): 0.99, (8.0,): 0.8, (16.0,): 1.0}

    assert newly_broken(before, after) == pytest.approx(0.8 * 0.9)


def test_nothing_is_known_of_what_was_not_measured():
    assert newly_broken({}, {(4.0,): 1.0}) is None


def test_only_settings_that_all_regions_share_are_compared():
    measured = regions(np.random.default_rng(3), 1.0)
    measured["g"] = RegionRepetitions(SETTINGS[:1], measured["g"].values[:1])

    assert list(violation_odds(RULE, measured, EXACT)) == [(4.0,)]

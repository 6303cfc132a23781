import numpy as np
import pytest

from scalewatch.modelling import find_models

P = np.array([4.0, 8, 16, 32, 64, 128])


def measured(curve, width, series=60, seed=9):
    noise = np.random.default_rng(seed).uniform(
        1 - width / 2, 1 + width / 2, (series, len(P), 5)
    )
    return curve(P)[:, np.newaxis] * noise


@pytest.mark.parametrize("width", [0.1, 0.5])
def test_a_constant_is_not_foretold_to_explode(width):
    found = find_models(P, measured(lambda p: 7 + 0 * p, width), targets=[512 * 128.0])

    ratios = [f.high / f.low for each in found for f in each.forecasts]
    assert np.median(ratios) < 2
    assert np.mean([f.high > 7 and f.low < 7 for e in found for f in e.forecasts]) > 0.8


def test_bounds_of_a_forecast_are_a_factor_of_ten_apart_at_most():
    targets = [128.0 * 2**k for k in range(1, 12)]

    found = find_models(P, measured(lambda p: 1e6 / p + p, 0.5), targets=targets)

    assert all(f.high <= 10 * f.low for each in found for f in each.forecasts)


def test_what_is_not_foretold_lies_beyond_the_horizon():
    targets = [128.0 * 2**k for k in range(1, 12)]

    for each in find_models(P, measured(lambda p: 1e6 / p + p, 0.5), targets=targets):
        told = [forecast.at["p"] for forecast in each.forecasts]
        if each.horizon is None:
            assert told == targets
        else:
            assert told == [target for target in targets if target <= each.horizon]

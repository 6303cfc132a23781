import numpy as np
import pytest

from scalewatch.modelling import CONSTANT, find_models, learn_noise

P = np.array([4.0, 8, 16, 32, 64, 128])


def measured(curve, width, series=60, seed=9):
    noise = np.random.default_rng(seed).uniform(
        1 - width / 2, 1 + width / 2, (series, len(P), 5)
    )
    return curve(P)[:, np.newaxis] * noise


@pytest.mark.parametrize("width", [0.1, 0.5])
def test_a_constant_is_not_foretold_to_explode(width):
    targets = [multiple * 128.0 for multiple in (1, 16, 512)]

    found = find_models(P, measured(lambda p: 7 + 0 * p, width), targets=targets)

    forecasts = [f for e in found if e.growth == CONSTANT for f in e.forecasts]
    assert all(f.high <= 10 * f.low for f in forecasts)
    assert np.mean([f.low < 7 < f.high for f in forecasts]) > 0.8


@pytest.mark.parametrize("width", [0.02, 0.1])
def test_constants_are_foretold_as_far_as_forecasts_were_asked_for(width):
    targets = [128.0 * 2**k for k in range(1, 10)]
    values = measured(lambda p: 7 + 0 * p, width)

    found = find_models(P, values, targets=targets, noise=learn_noise(P, values))

    whole = [len(each.forecasts) == len(targets) for each in found]
    narrow = [f.high <= 2 * f.low for each in found for f in each.forecasts]
    assert np.mean(whole) >= (1 if width < 0.1 else 0.9)
    assert np.mean(narrow) > 0.95


def test_bounds_of_a_forecast_are_a_factor_of_ten_apart_at_most():
    targets = [128.0 * 2**k for k in range(1, 12)]
    values = measured(lambda p: 1e6 / p + p, 0.5, series=20)

    found = find_models(P, values, targets=targets)

    assert all(f.high <= 10 * f.low for each in found for f in each.forecasts)


@pytest.mark.parametrize(
    ("curve", "endless"),
    [(lambda p: 1e6 / p + p, {False}), (lambda p: 7 + 0 * p, {True, False})],
)
def test_what_is_not_foretold_lies_beyond_the_horizon(curve, endless):
    targets = [128.0 * 1.7**k for k in range(1, 19)]

    quiet = measured(curve, 0.002, series=20)
    found = [
        *find_models(P, measured(curve, 0.5, series=20), targets=targets),
        *find_models(P, quiet, targets=targets, noise=learn_noise(P, quiet)),
    ]

    assert {each.horizon is None for each in found} == endless
    for each in found:
        told = [forecast.at["p"] for forecast in each.forecasts]
        if each.horizon is None:
            assert told == targets
        else:
            assert told == [target for target in targets if target <= each.horizon]

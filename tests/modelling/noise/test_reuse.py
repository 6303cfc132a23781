import numpy as np
import pytest

from scalewatch.modelling import LearnedNoise
from scalewatch.modelling.noise.learn import LEAST_SERIES
from support.generated import P, measured, random_curves

NOISE = 0.05


def noisy(series, seed, noise=NOISE):
    _, curves = random_curves(series, seed=seed)
    return measured(curves, noise, seed + 1)


@pytest.fixture(scope="module")
def known():
    return LearnedNoise.learn(P, noisy(100, 11), "p", ())


def test_it_is_assumed_of_other_series_with_their_own_typical_variance(known):
    for seed in range(20, 30):
        noise = known.reuse(P, noisy(100, seed), "p", ())

        assert noise.typical != known.noise.typical
        assert noise.typical[0] == pytest.approx(known.noise.typical[0], rel=0.1)
        assert noise.future == known.noise.future


def test_it_is_assumed_of_noisier_repetitions(known):
    noise = known.reuse(P, noisy(100, 61, noise=3 * NOISE), "p", ())

    assert noise.typical[0] == pytest.approx(9 * known.noise.typical[0], rel=0.2)
    assert noise.shares == known.noise.shares


def test_few_series_assume_what_was_typical_of_many(known):
    few = noisy(LEAST_SERIES - 1, 31)

    assert known.reuse(P, few, "p", ()) == known.noise


def test_it_is_not_assumed_of_runs_that_share_a_disturbance(known):
    runs = np.exp(np.random.default_rng(41).normal(0, 0.1, (100, len(P), 1)))

    assert known.reuse(P, noisy(100, 42) * runs, "p", ()) is None


def test_too_few_series_tell_nothing(known):
    assert LearnedNoise.learn(P, noisy(LEAST_SERIES - 1, 51), "p", ()) is None
    assert known.reuse(P, -noisy(10, 52), "p", ()) is None

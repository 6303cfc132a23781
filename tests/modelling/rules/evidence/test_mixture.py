from statistics import NormalDist

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ndtr

from scalewatch.modelling.rules.evidence.log_residuals import KEPT, Mixture

LEVELS = (0.05, 0.5, 0.95)


def drawn(parts, series, seed):
    """Draw a mixture with one target."""
    rng = np.random.default_rng(seed)
    return Mixture(
        log_weight=rng.normal(0, 2, (parts, series)),
        mean=rng.normal(5, 3, (1, parts, series)),
        deviation=np.exp(rng.normal(-2, 1, (1, parts, series))),
    )


def test_one_part_is_a_normal_density():
    mixture = Mixture(
        np.zeros((1, 1)), np.full((1, 1, 1), 7.0), np.full((1, 1, 1), 0.01)
    )

    found = mixture.quantiles(LEVELS)[0, :, 0]

    normal = NormalDist(7, 0.01)
    np.testing.assert_allclose(
        found, [normal.inv_cdf(level) for level in LEVELS], atol=1e-4
    )


@pytest.mark.parametrize("parts", [2, 30, KEPT])
def test_quantiles_are_those_of_the_distribution(parts):
    mixture = drawn(parts, series=5, seed=parts)

    found = mixture.quantiles(LEVELS)

    for series in range(5):
        weight = np.exp(mixture.log_weight[:, series])
        weight /= weight.sum()
        mean, deviation = mixture.mean[0, :, series], mixture.deviation[0, :, series]
        for level, quantile in zip(LEVELS, found[0, :, series], strict=True):
            exact = brentq(
                lambda y, w=weight, m=mean, s=deviation, q=level: (
                    w @ ndtr((y - m) / s) - q
                ),
                -100,
                100,
            )
            assert quantile == pytest.approx(exact, abs=0.01)


def test_parts_too_light_to_matter_are_left_out():
    mixture = drawn(3 * KEPT, series=4, seed=1)
    mixture.log_weight[KEPT:] = -50.0
    mixture.mean[:, KEPT:] = 1e6

    few = Mixture(
        mixture.log_weight[:KEPT], mixture.mean[:, :KEPT], mixture.deviation[:, :KEPT]
    )

    np.testing.assert_allclose(
        mixture.heaviest().quantiles(LEVELS), few.quantiles(LEVELS), atol=1e-4
    )


def test_the_heaviest_parts_are_told():
    mixture = drawn(3 * KEPT, series=4, seed=2)

    heaviest = mixture.heaviest()

    assert heaviest.log_weight.shape == (KEPT, 4)
    for series in range(4):
        weights = mixture.log_weight[:, series]
        assert sorted(heaviest.log_weight[:, series]) == sorted(weights)[-KEPT:]


def test_joined_mixtures_keep_their_relative_weights():
    light = Mixture(
        np.full((1, 1), np.log(0.2)), np.zeros((1, 1, 1)), np.ones((1, 1, 1))
    )
    heavy = Mixture(
        np.full((1, 1), np.log(0.8)), np.full((1, 1, 1), 50.0), np.ones((1, 1, 1))
    )

    median_of_light, median_of_heavy = Mixture.joined([light, heavy]).quantiles(
        (0.1, 0.6)
    )[0, :, 0]

    assert median_of_light == pytest.approx(0, abs=0.01)
    assert median_of_heavy == pytest.approx(50 + NormalDist().inv_cdf(0.5), abs=1)

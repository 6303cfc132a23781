"""Growths as near to measurements as they come."""

import numpy as np
import pytest

from scalewatch.modelling import CONSTANT, Growth
from scalewatch.modelling.growths.verdict import nearest_models

P = 2.0 ** np.arange(1, 8)
ROOT = Growth.of("p", power="1/2")


def test_the_growth_of_the_measurements_is_met():
    (model,) = nearest_models("p", P, 3 + 2 * np.sqrt(P), [ROOT])

    assert model(p=P) == pytest.approx(3 + 2 * np.sqrt(P))


def test_relative_errors_are_least_so_that_small_settings_count_as_much():
    constant, linear = nearest_models(
        "p", P, P**1.1, [CONSTANT, Growth.of("p", power=1)]
    )

    assert np.abs(np.log(linear(p=P) / P**1.1)).max() < 0.35
    assert constant.terms == ()
    assert P[0] < float(constant(p=8)) < P[-1]


def test_growths_of_other_parameters_and_falling_ones_are_left_out():
    other = Growth.of("n", power=1)

    assert nearest_models("p", P, 100 / P, [other, Growth.of("p", power=1)]) == []

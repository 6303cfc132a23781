"""Whether the regions of a machine share nights at all."""

import numpy as np
import pytest

from scalewatch.modelling.histories.histories import Histories
from scalewatch.modelling.nights.events import machine_nights

P = np.array([4.0, 8, 16, 32, 64, 128])
DIRECTIONS = Histories.of(P, np.zeros((1, 1, P.size))).directions
REGIONS, COMMITS = 40, 120


def nights(log):
    return machine_nights(log, np.arange(log.shape[1]), DIRECTIONS)


@pytest.fixture
def log():
    rng = np.random.default_rng(20_260_711)
    return rng.normal(0, 0.02, (REGIONS, COMMITS, P.size))


def test_nothing_is_taken_out_of_regions_that_share_no_nights(log):
    log[:4, 100:] += np.log(1.03)

    found = nights(log)

    assert not found.mode.is_shared
    assert not found.effect_without(()).any()


def test_nights_of_a_quarter_of_the_scatter_are_shared(log):
    rng = np.random.default_rng(20_260_712)
    log += rng.normal(0, 0.005, (1, COMMITS, 1))

    assert nights(log).mode.is_shared


def test_slow_wander_is_shared_though_one_night_is_like_the_next(log):
    rng = np.random.default_rng(20_260_713)
    log += rng.normal(0, 0.003, (1, COMMITS, 1)).cumsum(axis=1)

    assert nights(log).mode.is_shared


def test_step_of_a_machine_without_nights_is_taken_out(log):
    log[:, 60:] += np.log(1.1)

    found = nights(log)

    assert found.effect_without(())[70:].mean() == pytest.approx(np.log(1.1), abs=0.01)

"""Machines of forty regions that share their nights."""

import numpy as np
import pytest

from scalewatch.modelling.common_mode.common_mode import common_mode, machine_mode
from scalewatch.modelling.histories.histories import Histories

P = 2.0 ** np.arange(2, 8)
DIRECTIONS = Histories.of(P, np.zeros((1, 1, 6))).directions


def machine(*, regions=40, commits=100, seed=3):
    rng = np.random.default_rng(seed)
    nights = rng.normal(0, 0.05, (commits, 1)) * np.ones(P.size)
    loading = np.exp(rng.normal(0, 0.3, regions))
    noise = rng.normal(0, 0.01, (regions, commits, P.size))
    return loading[:, np.newaxis, np.newaxis] * nights + noise, nights, loading


def test_the_nights_are_found_and_taken_out():
    log, nights, loading = machine()

    mode = common_mode(log, DIRECTIONS)

    late = slice(40, None)
    assert np.corrcoef(mode.effect[late, 0], nights[late, 0])[0, 1] > 0.99
    assert np.corrcoef(mode.loading, loading)[0, 1] > 0.9
    assert mode.taken_out(log)[:, late].std() < 0.4 * log[:, late].std()


def test_a_change_of_a_third_of_the_regions_does_not_move_the_machine():
    log, _, _ = machine()
    former = common_mode(log, DIRECTIONS).effect
    log[:12, 80:] += np.log(1.1)

    present = common_mode(log, DIRECTIONS).effect

    assert np.abs(present[80:] - former[80:]).mean() < 0.01


def test_a_change_of_all_regions_is_the_machines():
    log, _, _ = machine()
    former = common_mode(log, DIRECTIONS).effect
    log[:, 80:] += np.log(1.2)

    moved = common_mode(log, DIRECTIONS).effect[80:85] - former[80:85]

    assert moved.mean() == pytest.approx(np.log(1.2), abs=0.02)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("regions", "commits"), [(1, 1), (1, 50), (8, 4), (12, 60)])
def test_few_regions_and_gaps_have_an_answer(regions, commits):
    log, _, _ = machine(regions=regions, commits=commits)
    log[np.random.default_rng(1).random(log.shape[:2]) < 0.3] = np.nan

    with np.errstate(all="raise", under="ignore"):
        mode = common_mode(log, DIRECTIONS)

    assert np.isfinite(mode.effect).all()
    assert np.isfinite(mode.loading).all()


def test_regions_that_share_nothing_are_not_pulled_along_by_a_few_that_changed():
    rng = np.random.default_rng(4)
    log = rng.normal(0, 0.05, (40, 120, P.size))
    changed = log.copy()
    changed[:4, 80:] += 0.05

    moved = common_mode(changed, DIRECTIONS).taken_out(changed)[:4, 80:] - log[:4, 80:]

    assert moved.mean() == pytest.approx(0.05, abs=0.002)


def test_a_bad_night_of_a_quiet_machine_is_taken_out_of_its_regions():
    log = np.random.default_rng(5).normal(0, 0.05, (40, 120, P.size))
    log[:, 90] += 0.2

    left = common_mode(log, DIRECTIONS).taken_out(log)

    assert abs(left[:, 90].mean()) < 0.02


@pytest.mark.parametrize("step", [0.1, 0.3, -0.3])
def test_regions_follow_a_step_of_their_machine_as_far_as_they_do(step):
    rng = np.random.default_rng(5)
    log = rng.normal(0, 0.01, (40, 160, 1)) + rng.normal(0, 0.005, (160, 1))
    follows = rng.uniform(0.3, 1.7, (40, 1, 1))
    log[:, 100:] += step * follows
    log[:4, 104:] += np.log(1.1)

    mode = machine_mode(log, np.arange(160), np.ones((1, 1)))
    left = mode.taken_out_of_all(log)

    moved = np.median(left[:, 105:], axis=1) - np.median(left[:, :100], axis=1)
    assert np.abs(moved[4:]).max() < 0.04  # of regions that move by up to 0.51
    assert (moved[:4] > 0.05).all()  # of 0.095, four commits after the step

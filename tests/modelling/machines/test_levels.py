"""Levels over the states of a machine: a history ends only where they move."""

import numpy as np
import pytest

from scalewatch.modelling.histories.histories import Histories
from scalewatch.modelling.machines.levels import alike_states

P = 2.0 ** np.arange(2, 8)
DIRECTIONS = Histories.of(P, np.zeros((1, 1, len(P)))).directions
COMMITS = 40


def quiet(seed=1, commits=COMMITS, noise=0.01):
    scatter = np.random.default_rng(seed).normal(0, noise, (commits, len(P)))
    return np.log(P) + scatter


def alike(log, states, *, is_exact=False):
    return alike_states(log, states, DIRECTIONS, is_exact=is_exact)


def states_from(*firsts, commits=COMMITS):
    return np.searchsorted(firsts, np.arange(commits), side="right") + 1


@pytest.mark.parametrize("commits", [2, 5, COMMITS])
def test_states_between_which_nothing_moved_are_alike(commits):
    states = states_from(1, commits // 2, commits=commits)

    assert {*alike(quiet(commits=commits), states).values()} == {1}


def test_a_moved_level_is_a_state_of_its_own():
    log = quiet()
    log[20:] += np.log(1.3)

    assert alike(log, states_from(20)) == {1: 1, 2: 2}


def test_one_commit_tells_that_a_level_moved_much():
    log = quiet()
    log[-1] += np.log(1.3)

    assert alike(log, states_from(COMMITS - 1)) == {1: 1, 2: 2}


def test_a_moved_growth_is_a_state_of_its_own():
    log = quiet()
    log[20:] += 0.1 * np.log2(P / P.mean())

    assert alike(log, states_from(20)) == {1: 1, 2: 2}


@pytest.mark.parametrize("after", [-8, -3, -1, 1, 2, 7])
def test_a_step_of_the_code_nearby_is_not_the_machines(after):
    log = quiet()
    log[20 + after :] += np.log(1.12)

    assert alike(log, states_from(20)) == {1: 1, 2: 1}


def test_a_smaller_step_beside_one_of_the_code_is_found():
    log = quiet()
    log[20:] += np.log(1.15)
    log[23:] -= np.log(1.3)

    assert alike(log, states_from(20)) == {1: 1, 2: 2}


def test_nodes_that_alternate_are_apart_where_they_differ():
    states = np.arange(COMMITS) % 2 + 1
    differing = quiet() + np.log(1.12) * (states == 2)[:, np.newaxis]

    assert alike(quiet(), states) == {1: 1, 2: 1}
    assert alike(differing, states) == {1: 1, 2: 2}


def test_a_state_that_returns_to_former_levels_goes_on_with_them():
    log = quiet()
    log[15:25] += np.log(1.4)

    assert alike(log, states_from(15, 25)) == {1: 1, 2: 2, 3: 1}


def test_counts_move_by_little():
    log = np.tile(np.log(P), (COMMITS, 1))
    log[20:] += np.log(1.04)

    assert alike(log, states_from(20), is_exact=True) == {1: 1, 2: 2}


def test_settings_that_were_not_measured_do_not_move():
    log = quiet()
    log[20:, :3] = np.nan

    assert alike(log, states_from(20)) == {1: 1, 2: 1}


def test_nights_that_are_correlated_move_nothing():
    rng = np.random.default_rng(7)
    boundaries = 0
    for _ in range(100):
        nights = np.zeros(60)
        for t in range(1, 60):
            nights[t] = 0.9 * nights[t - 1] + rng.normal(0, 0.01)
        log = nights[:, np.newaxis] + rng.normal(0, 0.01, (60, len(P)))
        boundaries += len({*alike(log, states_from(15, 30, 45, commits=60)).values()})

    assert boundaries == 100

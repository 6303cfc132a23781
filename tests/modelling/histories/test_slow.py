"""Slow drifts: found over months, never told of noise, steps or a wandering level."""

import numpy as np
import pytest

from scalewatch.modelling.histories.slow import slow_drift

COMMITS = 300
DAYS = np.arange(COMMITS) * 0.6


def noise(seed, correlation=0.0):
    draw = np.random.default_rng(seed)
    level = draw.normal(0, 0.01, COMMITS)
    for at in range(1, COMMITS):
        level[at] += correlation * level[at - 1]
    return level


def test_five_percent_in_half_a_year_are_found():
    drifts = [
        slow_drift(noise(seed) + np.linspace(0, 0.05, COMMITS), DAYS)
        for seed in range(50)
    ]

    found = [each for each in drifts if each is not None]
    assert len(found) >= 48
    assert np.median([each.total for each in found]) == pytest.approx(0.046, abs=0.01)
    assert np.median([each.per_year for each in found]) == pytest.approx(0.1, abs=0.02)


@pytest.mark.parametrize("correlation", [0.0, 0.7, 0.95])
def test_no_drift_is_told_of_noise(correlation):
    told = [slow_drift(noise(seed, correlation), DAYS) for seed in range(300)]

    assert not any(told)


def test_a_step_that_is_told_is_no_drift():
    stepped = noise(1) + np.where(np.arange(COMMITS) < 150, 0.0, 0.1)

    assert slow_drift(stepped, DAYS, [(150, 0.1)]) is None


@pytest.mark.parametrize(("commits", "days"), [(90, 0.9), (300, 0.1)])
def test_few_commits_or_days_tell_no_drift(commits, days):
    level = noise(2)[:commits] + np.linspace(0, 0.2, commits)

    assert slow_drift(level, np.arange(commits) * days) is None


def test_commits_that_did_not_measure_it_are_left_out():
    level = noise(3) + np.linspace(0, 0.1, COMMITS)
    level[::3] = np.nan

    assert slow_drift(level, DAYS) is not None

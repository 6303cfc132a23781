"""Two to four settings: factors, efficiency, and what further ones would tell."""

import numpy as np
import pytest

from scalewatch import reasons
from scalewatch.modelling import Comparison, VersionChange, compare_versions
from scalewatch.modelling.few_settings import steps_of
from scalewatch.modelling.measurements.batch import (
    few_settings_reason,
    further_settings,
)

P = np.array([32.0, 64.0, 128.0])


def measured(truths, noise=0.01, repetitions=5, seed=1):
    draw = np.random.default_rng(seed)
    shape = (len(truths), repetitions)
    return np.asarray(truths)[:, np.newaxis] * draw.lognormal(0, noise, shape)


def test_factors_are_those_of_neighbours_and_then_of_the_ends():
    steps = steps_of(P, measured([8.0, 4.4, 2.5]))

    assert [(step.start, step.end) for step in steps] == [
        (32, 64),
        (64, 128),
        (32, 128),
    ]
    assert steps[-1].factor == pytest.approx(2.5 / 8, rel=0.02)
    assert all(step.low < step.factor < step.high for step in steps)


@pytest.mark.parametrize(
    "values",
    [
        np.array([[1.0], [np.nan]]),
        np.array([[1.0], [0.0]]),
        np.array([[1.0], [-1.0]]),
        np.array([[1.0], [np.inf]]),
    ],
)
def test_what_has_no_ratio_has_no_factor(values):
    assert steps_of(P[:2], values) == ()


@pytest.mark.parametrize(("noise", "repetitions"), [(0.005, 5), (0.02, 5), (0.02, 1)])
def test_intervals_hold_as_often_as_they_say(noise, repetitions):
    held = 0
    for seed in range(400):
        values = measured([4.0, 2.0, 1.0], noise, repetitions, seed)
        step = steps_of(P, values)[-1]
        held += step.low <= 0.25 <= step.high

    assert held / 400 >= 0.88


@pytest.mark.parametrize(
    ("known", "others"),
    [
        ([32, 64, 128], [16, 256]),
        ([24, 192, 1536], [3, 12288]),
        ([32, 64, 128, 256], [512]),
        ([1, 2], [4, 8, 16]),
        ([1, 3], [9, 27, 81]),
        ([5, 6, 7], [4, 8]),
        ([0.5, 1.0, 2.0], [0.25, 4.0]),
        ([3], []),
        ([-1, 1], []),
    ],
)
def test_further_settings_continue_the_scan(known, others):
    if 0.5 in known:
        others = [4.0, 8.0]  # of less than 1 there are no smaller ones

    assert list(further_settings(np.array(known, float), 5)) == others


def test_reason_says_which_settings_would_tell():
    told = few_settings_reason({"p": P}, 5)
    several = few_settings_reason({"p": P, "n": P}, 5)

    assert told == str(reasons.FewSettings(3, 5, "p", ("16", "256")))
    assert several == "3 of 5 settings"


def compared(before, after, **choices):
    (found,) = compare_versions(
        P[: len(before)], before[np.newaxis], after[np.newaxis], **choices
    )
    assert isinstance(found, Comparison)
    return found


def test_factor_between_versions_of_few_settings_is_told():
    before = measured([8.0, 4.4, 2.5], seed=3)
    after = measured([10.4, 5.72, 3.25], seed=4)

    found = compared(before, after)

    assert found.likeliest is VersionChange.LEVEL
    assert found.probability[VersionChange.LEVEL] > 0.95
    assert found.low < 1.3 < found.high
    assert found.low > 1.15
    assert (found.growth_before, found.growth_after) == (None, None)


def test_same_version_again_is_no_change():
    found = compared(measured([8.0, 4.4], seed=5), measured([8.0, 4.4], seed=6))

    assert found.likeliest is VersionChange.NONE


def test_two_versions_rarely_differ_where_nothing_did():
    wrong = 0
    for seed in range(300):
        draw = np.random.default_rng(seed)
        jobs = draw.lognormal(0, 0.02, 2)  # what each job has as a whole
        before = measured([8.0, 4.4, 2.5], 0.005, 3, 2 * seed) * jobs[0]
        after = measured([8.0, 4.4, 2.5], 0.005, 3, 2 * seed + 1) * jobs[1]
        found = compared(before, after, level=0.99)
        sure = 1 - found.probability[VersionChange.NONE] >= 0.9
        wrong += sure and (found.low > 1.05 or found.high < 1 / 1.05)

    assert wrong / 300 <= 0.05

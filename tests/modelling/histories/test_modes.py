"""Series that jump between two levels from commit to commit."""

import numpy as np
import pytest

from scalewatch.modelling import pmnf
from scalewatch.modelling.histories.changes import watched
from scalewatch.modelling.histories.explanation import ShiftKind
from scalewatch.modelling.histories.histories import Histories
from scalewatch.modelling.histories.modes import modes

P = 2.0 ** np.arange(2, 8)
SERIES, COMMITS, AT = 20, 140, 100


def jumping(rng, share, apart, series=SERIES):
    """Return log-locations that are higher by `apart` at a share of the commits."""
    upper = rng.random((series, len(share), 1)) < np.asarray(share)[:, np.newaxis]
    return apart * upper + rng.normal(0, 0.02, (series, len(share), P.size))


def steady(share=0.4, commits=COMMITS):
    return np.full(commits, share)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("apart", [0.05, 0.2])
def test_two_modes_are_told_with_their_distance_and_share(apart):
    log = jumping(np.random.default_rng(1), steady(), apart)

    found = modes(Histories.of(P, log))

    assert len(found) >= 0.9 * SERIES
    assert all(each.change is None for each in found.values())
    own = [each.modes for each in found.values()]
    assert np.mean([each.apart for each in own]) == pytest.approx(apart, rel=0.1)
    assert np.mean([each.share for each in own]) == pytest.approx(0.4, abs=0.05)


def wandering(rng):
    steps = rng.normal(0, 0.02, (SERIES, COMMITS))
    for t in range(1, COMMITS):
        steps[:, t] = 0.9 * steps[:, t - 1] + np.sqrt(1 - 0.81) * steps[:, t]
    return steps[..., np.newaxis]


def stepping(_):
    return np.where(np.arange(COMMITS) < AT, 0.0, 0.2)[:, np.newaxis]


def overlapping(_):
    """Return a step of two and a half standard deviations."""
    return np.where(np.arange(COMMITS) < AT, 0.0, 0.02)[:, np.newaxis]


def bad_nights(rng):
    return 0.2 * (rng.random((SERIES, COMMITS, 1)) < 0.03)


def bad_jobs(rng):
    return 0.4 * (rng.random((SERIES, COMMITS, P.size)) < 0.03)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "effect", [wandering, stepping, overlapping, bad_nights, bad_jobs]
)
def test_noise_steps_and_bad_nights_are_no_modes(effect):
    rng = np.random.default_rng(2)
    log = effect(rng) + rng.normal(0, 0.02, (SERIES, COMMITS, P.size))

    assert len(modes(Histories.of(P, log))) <= 1


@pytest.mark.parametrize("after", [0.0, 1.0])
def test_a_change_of_the_share_of_modes_is_a_change_though_no_mode_moved(after):
    share = np.where(np.arange(COMMITS) < AT, 0.4, after)
    log = jumping(np.random.default_rng(3), share, 0.1)

    shifts = watched(Histories.of(P, log), pmnf("p")).shifts

    told = [shift for shift in shifts if shift.kind is ShiftKind.MODES]
    right = [
        shift for shift in told if shift.segments.first <= AT <= shift.segments.last
    ]
    assert len(right) >= 0.85 * SERIES
    assert all(abs(shift.segments.first - AT) <= 15 for shift in told)
    before, now = np.mean([shift.shares for shift in right], axis=0)
    assert (before, now) == pytest.approx((0.4, after), abs=0.05)
    factor = np.exp(0.1 * (after - 0.4))
    covered = [shift.low <= factor <= shift.high for shift in right]
    assert np.mean(covered) >= 0.75
    for series in {shift.segments.series for shift in right}:
        own = [shift for shift in shifts if shift.segments.series == series]
        assert len(own) == 1


def test_jumps_between_modes_are_no_changes_and_a_step_of_both_is_one():
    rng = np.random.default_rng(6)
    share = np.where(np.arange(COMMITS) % 20 < 4, 0.9, 0.25)
    jumps = jumping(rng, share, 0.2, series=1)
    quiet = rng.normal(0, 0.02, (SERIES, COMMITS, P.size))
    stepped = jumps + 0.1 * (np.arange(COMMITS) >= AT)[:, np.newaxis]
    own = len(quiet)

    told = [
        watched(Histories.of(P, np.concatenate([quiet, first])), pmnf("p")).shifts
        for first in (jumps, stepped)
    ]

    without, stepping = (
        [shift.segments for shift in shifts if shift.segments.series == own]
        for shifts in told
    )
    assert without == []
    assert any(each.first <= AT <= each.last for each in stepping)


def test_a_share_that_stays_is_no_change():
    log = jumping(np.random.default_rng(4), steady(commits=200), 0.1, series=60)
    told = set()

    for commits in range(60, 201, 20):
        found = modes(Histories.of(P, log[:, :commits]))
        told |= {series for series, own in found.items() if own.change}

    assert len(told) <= 2


@pytest.mark.filterwarnings("error")
def test_few_commits_missing_settings_and_equal_values_have_defined_answers():
    rng = np.random.default_rng(5)
    gaps = jumping(rng, steady(), 0.1)
    gaps[rng.random(gaps.shape) < 0.2] = np.nan

    assert modes(Histories.of(P, gaps[:, :12])) == {}
    assert len(modes(Histories.of(P, gaps))) >= 0.9 * SERIES
    assert modes(Histories.of(P, np.zeros((3, COMMITS, P.size)))) == {}

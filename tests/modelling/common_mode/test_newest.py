"""The newest commit of seeded machines beside its nights: six settings."""

import numpy as np
import pytest

from scalewatch.modelling.common_mode.newest import beside_machine, newest_commit
from scalewatch.modelling.histories.histories import Histories

P = 2.0 ** np.arange(2, 8)
TARGET = 0.004


def wandering(series=40, commits=41, *, spread=0.02, seed=1):
    rng = np.random.default_rng(seed)
    nights = rng.normal(0, spread, (series, commits, 1))
    return nights + rng.normal(0, 0.02, (series, commits, P.size))


def told(log, length=None):
    lengths = np.full(len(log), log.shape[1]) if length is None else np.array(length)
    return newest_commit(log, lengths, Histories.of(P, log).directions, TARGET)


def test_nights_are_no_change_of_the_newest_commit():
    standing_out = [told(wandering(seed=seed)).stands_out.sum() for seed in range(20)]

    assert sum(standing_out) <= 4  # of 800


def test_a_step_beyond_the_nights_is_told_with_its_size_and_error():
    log = wandering(spread=0.01)
    log[:4, -1] += np.log(1.2)

    found = told(log)

    assert set(np.flatnonzero(found.stands_out)) == {0, 1, 2, 3}
    apart = np.abs(found.size[:4] - np.log(1.2)) / found.error[:4]
    assert (apart < 3).all()
    assert not found.size[4:].any()


def test_a_whole_night_is_told_however_far_away_it_is():
    log = wandering(series=1, spread=0.03)
    log[0, -1] += np.log(3)

    found = told(log)

    assert found.stands_out[0]
    assert found.size[0] == pytest.approx(np.log(3), abs=0.15)


def test_what_began_at_the_commit_before_is_not_the_newest_ones():
    log = wandering(spread=0.01)
    log[:4, -2:] += np.log(1.5)

    assert not told(log).stands_out.any()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("commits", [1, 2, 8])
def test_too_few_nights_tell_nothing(commits):
    found = told(wandering(commits=commits))

    assert not found.is_known.any()
    assert not found.stands_out.any()


@pytest.mark.filterwarnings("error")
def test_series_of_several_lengths_with_settings_missing_are_told_alike():
    log = wandering(spread=0.01)
    length = np.where(np.arange(40) % 2, 41, 20)
    for series, end in enumerate(length):
        log[series, end:] = np.nan
        log[series, :end:7, 2] = np.nan
    log[0, 19] += np.log(1.3)
    log[1, 40] += np.log(1.3)

    found = told(log, length)

    assert found.is_known.all()
    assert set(np.flatnonzero(found.stands_out)) == {0, 1}


def test_a_base_that_has_just_begun_is_too_short_to_tell():
    log = wandering(spread=0.005)
    log[3, -5:] += np.log(2)

    assert not told(log).is_known[3]


def test_regions_that_follow_a_bad_night_more_strongly_have_not_changed():
    log = wandering(spread=0.01)
    log[:4, -1] += 0.12  # beyond the 0.2 that the whole machine moved, as taken out
    log[5, -1] += 0.5
    machine = wandering(series=1, spread=0.01, seed=2)
    machine[0, -1] += 0.2

    found = beside_machine(told(log), told(machine))

    assert set(np.flatnonzero(found.stands_out)) == {5}


def test_on_a_usual_night_regions_tell_by_themselves():
    log = wandering(spread=0.01)
    log[:4, -1] += 0.12

    found = beside_machine(told(log), told(wandering(series=1, seed=2)))

    assert set(np.flatnonzero(found.stands_out)) == {0, 1, 2, 3}

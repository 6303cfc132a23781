"""Events that passed and outliers, told apart from changes that last."""

import numpy as np
import pytest

from scalewatch.modelling import pmnf
from scalewatch.modelling.histories.changes import detection, watched
from scalewatch.modelling.histories.histories import Histories
from scalewatch.modelling.histories.passing import lasting_and_passing
from scalewatch.modelling.histories.segments import segments

COMMITS = 120


def of_levels(*levels, seed=1, settings=1):
    """Watch histories with these mean log-levels, shape (commits,) each."""
    rng = np.random.default_rng(seed)
    log = np.stack(levels)[:, :, np.newaxis].repeat(settings, axis=2)
    log = log + rng.normal(0, 0.01, log.shape)
    p = 2.0 ** np.arange(4, 4 + settings)
    return watched(Histories.of(p, log), pmnf("p"))


def raised(begin, end=COMMITS, size=0.15):
    level = np.zeros(COMMITS)
    level[begin:end] = size
    return level


@pytest.mark.parametrize("commits", [6, 9, 13])
def test_a_level_that_returns_soon_is_an_event_that_passed(commits):
    found = of_levels(raised(60, 60 + commits))

    (event,) = found.passing
    assert not found.shifts
    assert (event.left.first, event.returned.first) == (60, 60 + commits)
    assert event.left.difference[0] == pytest.approx(0.15, abs=0.03)


def test_a_level_that_returns_late_is_two_changes():
    found = of_levels(raised(60, 90))

    assert not found.passing
    assert [each.segments.first for each in found.shifts] == [60, 90]


def test_a_lasting_change_of_ten_percent_never_passes():
    levels = [raised(begin, size=np.log(1.1)) for begin in range(20, 110, 10)]

    found = of_levels(*levels)

    assert not found.passing
    assert {each.segments.series for each in found.shifts} == set(range(len(levels)))


def test_a_level_that_returns_by_half_is_no_event():
    found = of_levels(raised(60, size=0.4) - raised(73, size=0.2))

    assert not found.passing
    assert len(found.shifts) == 2


def test_several_settings_that_return_were_mended():
    found = of_levels(raised(60, 68), settings=5)

    assert not found.passing
    assert len(found.shifts) == 2


def test_what_medians_deny_is_no_change():
    """Two wild values among the first commits move a forecast, and no median."""
    rng = np.random.default_rng(3)
    log = rng.normal(0, 0.01, (30, 60, 1))
    log[:, [3, 5]] -= 0.6
    histories = [Histories.of([16.0], row[np.newaxis]) for row in log]

    alarms = [segments(each, detection(each).alarms) for each in histories]
    lasting = [
        lasting_and_passing(each, at)[0]
        for each, at in zip(histories, alarms, strict=True)
    ]

    assert largest(lasting) < 0.02 < largest(alarms)


def largest(changes):
    sizes = [abs(each.difference[0]) for of_one in changes for each in of_one]
    return max(sizes, default=0.0)


@pytest.mark.parametrize("apart", [3, 4, 5, 6])
@pytest.mark.parametrize("sizes", [(0.1, 0.1), (0.26, -0.1)])
def test_two_changes_within_six_commits_are_both_told(apart, sizes):
    levels = [raised(60, size=sizes[0]) + raised(60 + apart, size=sizes[1])] * 12

    found = of_levels(*levels)

    told = [
        [e.segments.first for e in found.shifts if e.segments.series == series]
        for series in range(len(levels))
    ]
    both = [each for each in told if len(each) == 2]
    assert len(both) >= 8
    assert np.abs(np.subtract(both, (60, 60 + apart))).max() <= 1


@pytest.mark.parametrize("at", [3, 4, 5, 6, 7])
def test_a_change_among_the_first_commits_is_told_once_later_ones_bear_it_out(at):
    levels = [raised(at, size=0.1)] * 12

    found = of_levels(*levels)

    assert sum(each.segments.first == at for each in found.shifts) >= 10


def test_a_series_that_jumps_there_and_back_has_events_alone():
    ups = ((20, 24), (31, 38), (49, 53), (70, 74), (86, 90))

    found = of_levels(sum(raised(*up, size=0.34) for up in ups))

    assert not found.shifts
    assert [each.left.first for each in found.passing] == [up for up, _ in ups]


def test_no_change_is_told_of_noise_with_tails():
    draw = np.random.default_rng(8)
    log = 0.01 * draw.standard_t(3, (200, 100, 1))

    found = watched(Histories.of([16.0], log), pmnf("p"))

    assert len(found.shifts) <= 4

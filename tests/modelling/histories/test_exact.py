"""Changes of counts in histories of few commits, whole and with gaps."""

import numpy as np
import pytest

from scalewatch.modelling.histories.exact import exact_changes
from scalewatch.modelling.histories.explanation import ShiftKind
from scalewatch.modelling.histories.histories import Histories

P = 2.0 ** np.arange(2, 8)


def changes(*commits):
    log = np.log(np.stack(commits))[np.newaxis]
    return exact_changes(Histories.of(P, log))


def lacking(counts, *places):
    found = counts.astype(float)
    found[[*places]] = np.nan
    return found


def test_one_commit_tells_a_change():
    (found,) = changes(24 * P, 24 * P**2)

    assert (found.segments.first, found.segments.last) == (1, 1)
    assert found.kind is ShiftKind.GROWTH
    assert found.largest_factor == pytest.approx(P[-1])
    assert found.p_value < 1e-12


def test_each_change_lies_between_its_own_segments():
    found = changes(P, P, 2 * P, 2 * P, 2 * P, 6 * P)

    assert [
        (each.segments.first, each.segments.before_commits, each.segments.after_commits)
        for each in found
    ] == [(2, 2, 3), (5, 3, 1)]
    assert [each.factor for each in found] == pytest.approx([2, 3])


@pytest.mark.parametrize("commits", [(P,), (P, P, P), (1000 * P, 1008 * P, 1002 * P)])
def test_what_stays_within_one_percent_is_no_change(commits):
    assert changes(*commits) == []


def test_small_steps_do_not_creep():
    (found,) = changes(1000 * P, 1008 * P, 1016 * P)

    assert found.segments.first == 2
    assert found.factor == pytest.approx(1.016)


def test_the_newest_commit_waits_until_it_is_counted_whole():
    half = lacking(P**2, 3, 4, 5)

    assert changes(P, half) == []
    assert len(changes(P, half, P**2)) == 1


def test_what_was_not_counted_does_not_bend_a_change():
    (found,) = changes(lacking(P, 5), 3 * P, lacking(3 * P, 0), 3 * P)

    assert found.kind is ShiftKind.LEVEL
    assert found.largest_factor == pytest.approx(3)


def test_nothing_counted_at_a_setting_is_no_change_there():
    with np.errstate(divide="ignore"):
        none = np.log((P - P[0])[np.newaxis, np.newaxis])
        more = np.log(((P - P[0]) * P)[np.newaxis, np.newaxis])
    log = np.concatenate([none, more], axis=1)

    (found,) = exact_changes(Histories.of(P, log))

    assert found.kind is ShiftKind.GROWTH
    assert found.largest_factor == pytest.approx(P[-1])
    assert np.isfinite(found.segments.difference).all()

"""Histories are generated: 2 % between jobs, 1 % between commits."""

import numpy as np
import pytest

from scalewatch.modelling import pmnf
from scalewatch.modelling.histories.changes import (
    detect,
    false_discoveries,
    find_changes,
)
from scalewatch.modelling.histories.explanation import ShiftKind
from scalewatch.modelling.histories.histories import Histories

P = 2.0 ** np.arange(2, 8)
LOG = np.log2(P) / np.log2(P[-1])
SPACE = pmnf("p")


def histories(before, after=None, *, at=60, commits=80, series=20):
    rng = np.random.default_rng(1)
    curve = np.tile(before, (series, commits, 1))
    if after is not None:
        curve[:, at:] = after
    noise = rng.normal(0, 0.02, curve.shape)
    noise += rng.normal(0, 0.01, (series, commits, 1))
    return Histories.of(P, np.log(curve) + noise)


def test_a_history_without_a_change_has_none():
    assert find_changes(histories(1 + LOG, series=10), SPACE) == []


def test_a_change_of_growth_is_found_where_it_is_and_called_by_its_name():
    found = find_changes(histories(1 + LOG, 1 + 2 * P / P[-1]), SPACE)

    assert [shift.segments.series for shift in found] == list(range(20))
    for shift in found:
        assert shift.segments.first <= 60 <= shift.segments.last
        assert shift.segments.at <= 62
        assert shift.kind is ShiftKind.GROWTH
        assert shift.faster_probability > 0.99
        assert not shift.segments.is_gradual


def test_a_factor_is_a_level_and_its_interval_holds_it():
    found = find_changes(histories(1 + LOG, 1.2 * (1 + LOG)), SPACE)

    assert sum(shift.kind is ShiftKind.LEVEL for shift in found) >= 18
    held = [shift.low < 1.2 < shift.high for shift in found]
    assert np.mean(held) > 0.7


@pytest.mark.parametrize("phi", [0.6, 0.9])
def test_intervals_of_factors_hold_where_nights_are_correlated(phi):
    rng = np.random.default_rng(3)
    nights = rng.normal(0, 0.02, (40, 130))
    for night in range(1, 130):
        step = np.sqrt(1 - phi**2) * nights[:, night]
        nights[:, night] = phi * nights[:, night - 1] + step
    log = np.log(1 + LOG) + nights[..., np.newaxis]
    log = log + rng.normal(0, 0.02, log.shape)
    log[:, 100:] += np.log(1.2)

    found = find_changes(Histories.of(P, log), SPACE)

    about = [each for each in found if abs(each.segments.first - 100) <= 5]
    assert len(about) >= 36
    assert np.mean([each.low < 1.2 < each.high for each in about]) > 0.8


def test_another_multiple_of_the_growing_part_is_a_coefficient():
    found = find_changes(histories(1 + LOG, 1 + 2 * LOG), SPACE)

    assert sum(shift.kind is ShiftKind.COEFFICIENT for shift in found) >= 18


def test_an_improvement_is_found_like_a_regression():
    found = find_changes(histories(1 + LOG, 0.8 * (1 + LOG)), SPACE)

    assert len(found) == 20
    assert all(shift.factor < 0.85 for shift in found)


def test_two_changes_are_both_found():
    before = histories(1 + LOG, 1.3 * (1 + LOG), at=30)
    before.log[:, 60:] += np.log(1.3)

    found = find_changes(before, SPACE)

    firsts = [shift.segments.first for shift in found if shift.segments.series == 0]
    assert firsts == [30, 60]


def test_one_disturbed_job_is_no_change():
    disturbed = histories(1 + LOG)
    disturbed.log[:, 50, 3] += np.log(3)

    assert detect(disturbed) == []


def test_a_drift_is_called_gradual_and_told_from_beginning_to_end():
    drifting = histories(1 + LOG, commits=150)
    drifting.log[:, 50:] += 0.003 * np.arange(100)[:, np.newaxis]

    found = find_changes(drifting, SPACE)

    assert {shift.segments.series for shift in found} == set(range(20))
    gradual = [shift for shift in found if shift.segments.is_gradual]
    assert len({shift.segments.series for shift in gradual}) >= 18
    widths = [shift.segments.last - shift.segments.first for shift in gradual]
    assert min(widths) >= 15


def test_settings_that_some_commits_did_not_measure_do_not_hide_a_change():
    holes = histories(1 + LOG, 1.3 * (1 + LOG))
    rng = np.random.default_rng(2)
    holes.log[rng.random(holes.log.shape) < 0.2] = np.nan

    found = find_changes(holes, SPACE)

    assert len({shift.segments.series for shift in found}) == 20


def test_shorter_histories_end_where_they_end():
    mixed = histories(1 + LOG, 1.3 * (1 + LOG))
    mixed.log[0, 40:] = np.nan
    short = Histories(mixed.doublings, mixed.log, np.array([40, *[80] * 19]))

    found = find_changes(short, SPACE)

    assert {shift.segments.series for shift in found} == set(range(1, 20))


def test_counters_that_never_vary_change_at_once():
    exact = Histories.of(P, np.zeros((1, 70, 6)))
    exact.log[0, 60:] = np.log(1.02)

    (alarm,) = detect(exact)

    assert (alarm.at, alarm.first) == (60, 60)


def test_with_two_settings_a_tilt_still_says_that_it_grows_faster():
    few = histories(1 + LOG, 1 + 2 * P / P[-1])
    ends = Histories.of(P[[0, -1]], few.log[:, :, [0, -1]])

    found = find_changes(ends, SPACE)

    assert all(shift.growth_after is None for shift in found)
    planted = [shift for shift in found if abs(shift.segments.first - 60) <= 2]
    assert len(planted) == 20
    assert all(shift.kind is ShiftKind.GROWTH for shift in planted)


def test_of_many_series_a_weak_change_is_not_sure():
    alone = false_discoveries([0.03], series=1)
    many = false_discoveries([0.03], series=400)
    clear = false_discoveries([0.03, 1e-9], series=400)

    assert (alone.sure, many.sure, clear.sure) == (1, 0, 1)
    assert clear.q_values[1] == pytest.approx(4e-7)
    assert clear.expected == pytest.approx(4e-7)

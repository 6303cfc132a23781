"""The newest value of series beside the values before it."""

import csv
from pathlib import Path

import numpy as np
import pytest

from scalewatch.modelling.common_mode.common_mode import machine_mode
from scalewatch.modelling.common_mode.earlier_commits import beside_earlier

HISTORIES = Path(__file__).parents[4] / "shared/data/histories"
TEN, TWENTY = np.log(1.1), np.log(1.2)


def quiet(series=40, commits=61, *, spread=0.01, seed=1):
    rng = np.random.default_rng(seed)
    return [*rng.normal(0, spread, (series, commits, 1))]


def is_fine(beside):
    return beside.size + beside.reach < TEN


def test_values_as_before_exclude_that_they_are_ten_percent_slower():
    beside = beside_earlier(quiet())

    assert beside.is_known.all()
    assert is_fine(beside).all()
    assert not (beside.slower | beside.faster).any()


@pytest.mark.parametrize("factor", [1.2, 1 / 1.2])
def test_a_value_beyond_those_before_stands_out_to_its_side(factor):
    log = quiet()
    log[7][-1] += np.log(factor)

    beside = beside_earlier(log)

    assert np.flatnonzero(beside.slower).tolist() == [7] * (factor > 1)
    assert np.flatnonzero(beside.faster).tolist() == [7] * (factor < 1)
    assert abs(beside.size[7] - np.log(factor)) < beside.reach[7]
    assert not is_fine(beside)[7] or factor < 1


def test_noise_leaves_undecided_and_says_by_how_much():
    beside = beside_earlier(quiet(spread=0.15))

    assert is_fine(beside).mean() < 0.15
    assert np.median(beside.reach) == pytest.approx(2.33 * 0.15, rel=0.2)


def test_spikes_that_some_series_has_at_every_other_commit_do_not_stand_out():
    log = quiet()
    for commit in range(0, 61, 2):
        log[commit % 40][commit] += 0.3 if commit < 60 else 0.2

    beside = beside_earlier(log)

    assert beside.size[20] == pytest.approx(0.2, abs=0.05)
    assert not beside.slower.any()
    assert not is_fine(beside)[20]
    assert beside.as_far[20] > 0.2


def test_changes_that_lasted_are_no_spikes():
    log = quiet()
    for row in range(20):
        log[row][30 + row :] += 0.3
    log[39][-1] += TWENTY

    assert np.flatnonzero(beside_earlier(log).slower).tolist() == [39]


@pytest.mark.parametrize("step", [np.log(1.3), -np.log(1.3)])
@pytest.mark.parametrize("since", [3, 8])
def test_commits_since_a_step_tell_the_level_and_the_noise(step, since):
    log = quiet()
    for row in log:
        row[-since - 1 :] += step

    beside = beside_earlier(log)

    assert is_fine(beside).mean() > 0.97
    assert not (beside.slower | beside.faster).any()
    assert beside.reach.max() < 0.06


def test_a_gain_that_is_lost_again_is_not_fine():
    log = quiet()
    for row in log:
        row[-6:] -= np.log(1.3)
        row[-1] += TWENTY

    assert not is_fine(beside_earlier(log)).any()


def test_groups_of_series_share_the_rate_of_false_alarms():
    log = quiet()
    for at, commit in enumerate((25, 30, 35)):
        log[at][commit] += 0.3
    log[7][-1] += TWENTY

    assert beside_earlier(log).slower[7]
    assert not beside_earlier(log, groups=10).slower.any()


def test_a_level_is_the_mean_over_settings_that_were_measured():
    rng = np.random.default_rng(2)
    log = [*rng.normal(0, 0.01, (10, 40, 4))]
    log[3][-1] += TWENTY
    log[3][-1, 2] = np.nan

    beside = beside_earlier(log)

    assert np.flatnonzero(beside.slower).tolist() == [3]
    assert beside.size[3] == pytest.approx(TWENTY, abs=0.02)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("commits", [1, 2, 8])
def test_of_fewer_than_eight_commits_before_nothing_is_known(commits):
    beside = beside_earlier(quiet(commits=commits))

    assert not (beside.is_known | beside.slower | beside.faster).any()
    assert not is_fine(beside).any()


def test_nine_commits_tell():
    assert is_fine(beside_earlier(quiet(commits=9))).all()


@pytest.mark.skipif(not HISTORIES.is_dir(), reason=f"needs {HISTORIES}")
@pytest.mark.parametrize("name", ["numpy_i7_dense", "photutils"])
def test_ordinary_commits_of_real_histories_are_fine(name):
    """Nine cells of ten exclude +10 %, four commits of five have nothing farther."""
    measured = read(HISTORIES / f"{name}.csv")
    rng = np.random.default_rng(1)
    commits = rng.choice(np.arange(80, measured.shape[1]), 15, replace=False)

    fine, planted, standing_out = [], [], []
    for commit in commits.tolist():
        log = without_common_mode(measured[:, commit - 60 : commit + 1])
        beside = beside_earlier(log)
        fine.append(is_fine(beside).mean())
        planted.append((beside.size + TWENTY + beside.reach < TEN).mean())
        standing_out.append(bool(beside.slower.any()))

    assert np.mean(fine) >= 0.9
    assert np.mean(planted) <= 0.005
    assert np.mean(standing_out) <= 0.34


def read(file: Path) -> np.ndarray:
    """Return logarithms of series by commits; NaN where not measured."""
    with file.open(newline="") as lines:
        rows = [row[2:] for row in csv.reader(lines)][2:]
    values = np.array([[float(cell or "nan") for cell in row] for row in rows])
    return np.log(np.where(values > 0, values, np.nan))


def without_common_mode(log: np.ndarray) -> list[np.ndarray]:
    """Return the histories of what was measured last, shape (T, 1) each."""
    is_there = ~np.isnan(log[:, -1]) & (np.count_nonzero(~np.isnan(log), axis=1) > 8)
    log = log[is_there, :, np.newaxis]
    mode = machine_mode(log, np.arange(log.shape[1]), np.ones((1, 1)))
    return [row[~np.isnan(row[:, 0])] for row in mode.taken_out_of_all(log)]

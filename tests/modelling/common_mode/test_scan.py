"""Histories under correlated nights, seeded: six settings, forty series."""

import numpy as np
import pytest

from scalewatch.modelling.histories.changes import detect
from scalewatch.modelling.histories.histories import Histories

P = 2.0 ** np.arange(2, 8)


def correlated(rho, spread, *, series=40, commits=120, seed=1):
    rng = np.random.default_rng(seed)
    nights = rng.normal(0, spread, (series, commits))
    nights[:, 1:] *= np.sqrt(1 - rho**2)
    for t in range(1, commits):
        nights[:, t] += rho * nights[:, t - 1]
    return nights[..., np.newaxis] + rng.normal(0, 0.02, (series, commits, P.size))


def doubling():
    before, after = (correlated(0, 0.0, commits=60, seed=seed) for seed in (1, 2))
    return np.concatenate([before, 2 * after], axis=1)


def alarming(log):
    return {alarm.series for alarm in detect(Histories.of(P, log))}


@pytest.mark.parametrize(("rho", "spread"), [(0.6, 0.02), (0.9, 0.015)])
def test_correlated_nights_are_no_change(rho, spread):
    assert len(alarming(correlated(rho, spread))) <= 2


def test_one_series_alone_under_correlated_nights_does_not_alarm():
    lonely = [alarming(correlated(0.9, 0.015, series=1, seed=n)) for n in range(20)]

    assert sum(map(bool, lonely)) <= 1


def test_a_change_under_correlated_nights_is_found_within_five_commits():
    log = correlated(0.6, 0.02)
    log[:4, 100:] += np.log(1.2)

    alarms = [a for a in detect(Histories.of(P, log)) if a.series < 4]

    assert {a.series for a in alarms if 100 <= a.at < 105} == {0, 1, 2, 3}


def test_two_bad_nights_alarm_as_rarely_as_chance_and_three_commits_always():
    log = correlated(0.0, 0.01, series=200)
    log[:, 60:62] += np.log(1.5)
    log[:20, 62] += np.log(1.5)

    alarms = detect(Histories.of(P, log))

    assert {a.series for a in alarms if a.first == 60 and a.at == 62} >= {*range(20)}
    assert len({a.series for a in alarms} - {*range(20)}) <= 0.02 * 180


def test_the_newest_commit_alone_is_suspected_and_nothing_before_it():
    log = correlated(0.0, 0.01, commits=61)
    log[:3, 60] += np.log(1.3)

    alarms = detect(Histories.of(P, log))

    assert {(a.series, a.at, a.first) for a in alarms} == {
        (series, 60, 60) for series in range(3)
    }


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "log",
    [
        np.zeros((1, 200, 6)),
        np.zeros((1, 4, 6)),
        np.zeros((3, 1, 6)),
        np.full((2, 30, 6), np.nan),
        correlated(0.5, 0.02, series=1, commits=9),
        doubling(),
    ],
    ids=["constant", "four commits", "one commit", "nothing", "few", "noise doubles"],
)
def test_unusual_histories_have_an_answer(log):
    with np.errstate(all="raise", under="ignore"):
        assert len(alarming(log)) <= 0.1 * len(log)


@pytest.mark.filterwarnings("error")
def test_settings_that_are_missing_leave_an_answer():
    log = correlated(0.6, 0.02)
    rng = np.random.default_rng(2)
    log[rng.random(log.shape) < 0.2] = np.nan

    with np.errstate(all="raise", under="ignore"):
        assert len(alarming(log)) <= 3

"""Machines whose nights are odd: an answer, no change, and no warning of numpy."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from sqlalchemy import select

from scalewatch.services.common_mode.project_history import SMALLEST_EFFECT
from scalewatch.services.regressions.changes import by_effect, watch
from scalewatch.storage import tables
from support.histories import FIRST_DAY, TREE, commit, reports
from support.machine_nights import P, region_history
from support.recorded import record


def machine(regions=12, commits=80, *, seed=1, fingerprint=1, first=0):
    """Return histories under correlated nights of 2 %, rising and falling together."""
    rng = np.random.default_rng(seed)
    nights = rng.normal(0, 0.02, commits)
    for t in range(1, commits):
        nights[t] = 0.6 * nights[t - 1] + 0.8 * nights[t]
    log = nights[:, np.newaxis] + rng.normal(0, 0.01, (regions, commits, P.size))
    return [
        region_history(
            region, own, range(first, first + commits), fingerprint=fingerprint
        )
        for region, own in enumerate(log)
    ]


def on_some_nights():
    """Return a machine of which one region is measured every fourth night."""
    rare, *others = machine()
    return [replace(rare, positions=rare.positions[::4], log=rare.log[::4]), *others]


def renewed():
    """Return a machine that is replaced by a slower one in a correlated stretch."""
    slower = machine(commits=40, seed=2, fingerprint=2, first=40)
    return [
        *machine(commits=40),
        *(replace(each, log=each.log + 0.4) for each in slower),
    ]


def counted():
    """Return a machine of times and counters that never vary."""
    return [
        replace(each, log=np.ones_like(each.log)) if number % 2 else each
        for number, each in enumerate(machine(regions=24))
    ]


def doubling():
    """Return a machine whose noise doubles half-way."""
    twice = machine()
    for each in twice:
        each.log[40:] *= 2
    return twice


ODD = {
    "one region": lambda: machine(regions=1),
    "four commits": lambda: machine(commits=4),
    "one commit": lambda: machine(commits=1),
    "a region on some nights": on_some_nights,
    "another machine half-way": renewed,
    "constant counts": counted,
    "only constant counts": lambda: [
        replace(each, log=np.zeros_like(each.log)) for each in machine()
    ],
    "noise that doubles": doubling,
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("odd", ODD)
def test_odd_nights_are_no_change(odd):
    with np.errstate(all="raise", under="ignore"):
        watched = watch(ODD[odd]())

    assert watched.changes == ()
    assert watched.steps == ()
    assert all(0 <= nights.correlation < 1 for nights in watched.nights)


def test_a_bad_night_is_told_and_a_step_is_none():
    own = machine()
    for each in own:
        each.log[30] += 0.3
        each.log[60:] += 0.3

    (nights,) = watch(own).nights

    assert nights.bad == (30,)


@pytest.mark.filterwarnings("error")
def test_gaps_several_commits_a_night_and_late_runs_are_one_history(sessions):
    """Commits of months ago, five of one night, and runs that come in disorder."""
    days = [0, 1, 2, 90, 91, 91.1, 91.2, 91.3, 91.4, 98, 105, 112, 200, 201]
    order = np.random.default_rng(3).permutation(len(days))
    for place in order.tolist():
        at = (FIRST_DAY + timedelta(days=days[place])).isoformat()
        own = commit(place + 1, committed_at=at)
        record(sessions, reports(place + 1, {"MPI_Bcast": TREE}, commit=own))

    with sessions.reading() as session:
        (known,) = session.scalars(select(tables.Detection))
        assert known.details["commits"] == len(days)
        assert session.scalars(select(tables.Regression)).all() == []
        failed = select(tables.Job).where(tables.Job.state == "failed")
        assert session.scalars(failed).all() == []


def test_a_sure_change_within_the_spread_of_its_series_is_a_drift():
    rng = np.random.default_rng(6)
    log = rng.normal(0, 0.1, (24, 120, 1)) + rng.normal(0, 0.01, (24, 120, P.size))
    log[3, 60:] += 0.18
    own = [region_history(region, each, range(120)) for region, each in enumerate(log)]

    changes, drifts = by_effect(watch(own), SMALLEST_EFFECT, len(own))

    assert changes == []
    assert [each.history.region for each in drifts] == ["region-3"]
    assert drifts[0].first <= 60 <= drifts[0].last


def test_drifts_of_many_series_are_false_no_more_often_than_of_few():
    """A p-value that is small among few series is usual among a thousand."""
    rng = np.random.default_rng(6)
    log = rng.normal(0, 0.1, (24, 120, 1)) + rng.normal(0, 0.01, (24, 120, P.size))
    log[3, 60:] += 0.18
    own = [region_history(region, each, range(120)) for region, each in enumerate(log)]
    watched = watch(own)
    drift = next(e for e in watched.changes if e.history.region == "region-3")
    drift = replace(drift, shift=replace(drift.shift, p_value=0.02))
    watched = replace(watched, changes=(drift,))

    of_few, of_many = (
        by_effect(watched, SMALLEST_EFFECT, series)[1] for series in (2, 24)
    )

    assert of_few == [drift]
    assert of_many == []

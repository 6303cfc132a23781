"""Histories with one setting a commit: events that pass, gaps."""

import numpy as np
import pytest

from scalewatch.services.regressions.regressions import regressions_of
from support.histories import commit, single_values
from support.recorded import record

COMMITS, AWAY, BACK = 40, 25, 33
REGIONS = ("io.Load", "io.Save")


def reports(number, factor, regions=REGIONS):
    """Return the run of a commit: one value of each region, at p = 16."""
    noise = np.random.default_rng(number).normal(1, 0.005, len(REGIONS))
    seconds = dict(zip(REGIONS, (factor * noise).tolist(), strict=True))
    chosen = {each: seconds[each] for each in regions}
    return single_values(number, chosen, p=16, project="mpich")


@pytest.fixture
def recorded(sessions):
    """Return a function that records a history of factors and returns what is found."""

    def recorded(factor, regions=lambda _: REGIONS):
        numbers = range(1, COMMITS + 1)
        record(
            sessions,
            [r for k in numbers for r in reports(k, factor(k), regions(k))],
        )
        with sessions.reading() as session:
            return regressions_of(session, "mpich", ())

    return recorded


def test_a_level_that_returns_within_fifteen_commits_is_no_regression(recorded):
    found = recorded(lambda number: 1.2 if AWAY <= number < BACK else 1.0)

    assert found.regressions == ()
    assert found.detection["passing"] == len(REGIONS)
    event = found.detection["newest_passing"][0]
    assert (event["sha"], event["returned_sha"]) == (
        commit(AWAY)["sha"],
        commit(BACK)["sha"],
    )
    assert event["factor"] == pytest.approx(1.2, abs=0.02)


def test_the_page_lists_events_that_passed(client, recorded):
    recorded(lambda number: 1.2 if AWAY <= number < BACK else 1.0)

    page = client.get("/p/mpich/regressions").text

    assert 'aria-label="Events that passed"' in page
    assert commit(BACK)["sha"][:10] in page


def test_a_regression_is_fixed_once_its_level_has_returned_soon(sessions, recorded):
    before = recorded(lambda number: 1.2 if number >= BACK else 1.0)
    returned = [r for k in range(COMMITS + 1, COMMITS + 7) for r in reports(k, 1.0)]

    record(sessions, returned)

    with sessions.reading() as session:
        after = regressions_of(session, "mpich", ())
    assert {str(each.state) for each in before.regressions} == {"open"}
    assert {str(each.state) for each in after.regressions} == {"fixed"}
    assert after.regressions[0].events[-1].action == "fixed"


def test_a_lasting_change_is_a_regression(recorded):
    (found,) = recorded(lambda number: 1.1 if number >= AWAY else 1.0).regressions

    assert (found.first.sha, found.is_worse) == (commit(AWAY)["sha"], True)


def test_commits_that_did_not_measure_a_series_are_suspects_as_well(recorded):
    """One region is measured at every commit, the other one not before it changed."""
    gap = range(AWAY - 6, AWAY)

    found = recorded(
        lambda number: 1.2 if number >= AWAY else 1.0,
        lambda number: REGIONS[:1] if number in gap else REGIONS,
    )

    members = {m.region: m for each in found.regressions for m in each.members}
    assert members["io.Load"].first_sha == commit(AWAY)["sha"]
    assert members["io.Save"].first_sha == commit(AWAY - 6)["sha"]
    assert members["io.Save"].last_sha == commit(AWAY)["sha"]


def test_a_slow_drift_is_told_with_what_it_costs_in_a_year(client, sessions):
    runs = [
        run
        for number in range(1, 111)
        for run in reports(number, 1 + number / 1100, REGIONS[:1])
        + single_values(number, {"io.Save": 1.0}, p=16, project="steady")
    ]
    record(sessions, runs)
    with sessions.reading() as session:
        found = regressions_of(session, "mpich", ())
        steady = regressions_of(session, "steady", ())

    (drift,) = found.detection["slow"]
    assert (drift["region"], drift["is_worse"]) == (REGIONS[0], True)
    assert drift["factor"] == pytest.approx(1.09, abs=0.02)
    # A commit a day: a tenth in 110 days.
    assert drift["node_hours"] == pytest.approx(360, abs=80)
    assert steady.detection["slow"] == []
    page = client.get("/p/mpich/regressions").text
    assert "drifts over months" in page
    assert "node-hours more of 1,000" in page

from uuid import UUID

import numpy as np
import pytest
from numpy.testing import assert_allclose

from scalewatch.errors import NotMeasured
from scalewatch.services.commits.find import find_commit
from scalewatch.services.costs import cost_at
from scalewatch.services.regions.outlook import outlook
from scalewatch.services.selection.view import View
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage.access import projects
from support.builders import result, run_report, sweep_reports
from support.recorded import record

PROCESSES = (4, 8, 16, 32, 64)
GROWTHS = {"solve": lambda p: 1e-3 * p, "setup": lambda _: 0.1}


def ask(sessions, target=None, **view):
    with sessions.reading() as session:
        return cost_at(session, View(**({"project": "code"} | view)), target)


def recorded(sessions, growths=GROWTHS, processes=PROCESSES, **fields):
    fields = {"project": "code", "suite": "own", "noise": 0.01} | fields
    record(sessions, sweep_reports(processes, growths, **fields))


def test_shares_are_those_of_medians_and_of_the_forecasts_of_the_regions(sessions):
    recorded(sessions)

    cost = ask(sessions)

    assert cost.measured == PROCESSES
    assert cost.target == 16 * 64
    assert cost.reach == cost.target
    assert [each.region for each in cost.regions] == ["solve", "setup"]
    solve, setup = cost.regions
    assert_allclose(solve.shares[0], 4e-3 / (4e-3 + 0.1), rtol=0.05)
    assert_allclose(solve.share, 1.024 / 1.124, rtol=0.03)
    assert_allclose(np.array(solve.shares) + np.array(setup.shares), 1)
    with sessions.reading() as session:
        project = projects.existing(session, "code")
        commit = find_commit(session, project, None)
        (scan,) = CommitSnapshot.of(session, commit).scans("time", {"solve"})
        (forecast,) = (
            each
            for each in outlook(session, scan, cost.target).forecasts
            if each.at["p"] == cost.target
        )
    assert (solve.value, solve.low, solve.high) == (
        forecast.value,
        forecast.low,
        forecast.high,
    )


def test_shares_end_where_a_region_that_matters_has_no_forecast(sessions):
    recorded(sessions)
    few = {"input": lambda _: 0.05}
    recorded(sessions, few, processes=(32, 64), suite="other")

    cost = ask(sessions)

    assert cost.reach == 64
    assert cost.is_cut_short
    assert list(cost.lacking) == ["input"]
    assert_allclose(cost.lacking["input"], 0.05 / (0.064 + 0.1 + 0.05), rtol=0.05)
    assert [each.region for each in cost.regions] == ["setup", "solve", "input"]
    assert cost.regions[0].low is None  # measured, not forecast


def test_litmus_tests_and_failed_regions_are_not_among_them(sessions):
    recorded(sessions, GROWTHS | {"Bcast (binary tree)": lambda p: 1e-6 * p})
    failed = result(region="broken", values=[], status="failed", reason="no licence")
    reports = [
        run_report(
            id=str(UUID(int=p)),
            project="code",
            suite="bad",
            coordinate={"p": p},
            results=[failed],
        )
        for p in (4, 8)
    ]
    record(sessions, reports)

    cost = ask(sessions)

    assert {each.region for each in cost.regions} == {"solve", "setup"}
    assert "litmus" in cost.left_out["Bcast (binary tree)"]
    assert "no licence" in cost.left_out["broken"]


def test_one_value_of_a_setting_is_shown_and_the_others_can_be_chosen(sessions):
    for size, factor in ((8, 1), (1024, 5)):
        growths = {"solve": lambda p, factor=factor: factor * 1e-3 * p}
        recorded(sessions, growths, configuration={"message_bytes": size})

    assert ask(sessions).chosen == {"message_bytes": "8"}
    other = ask(sessions, configuration={"message_bytes": "1024"})
    assert other.choices == {"message_bytes": (8, 1024)}
    assert_allclose(other.regions[0].values[0], 0.02, rtol=0.05)


def test_a_target_within_the_measurements_is_ranked_there(sessions):
    recorded(sessions)

    cost = ask(sessions, target=24.0)

    assert cost.reach == 64
    assert 24.0 in cost.scales


def test_an_unknown_machine_is_an_error(sessions):
    recorded(sessions)

    with pytest.raises(NotMeasured):
        ask(sessions, machine="nowhere")

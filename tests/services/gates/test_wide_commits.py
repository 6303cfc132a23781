"""Commits of very many series, of which one machine is compared at a time."""

import pytest

from scalewatch.services.gates.gate import gate_of, gated_report
from scalewatch.services.selection.view import View
from scalewatch.services.series import snapshots
from support.wide_project import Width, record_wide_project

WIDTH = Width(regions=12, machines=3)


@pytest.fixture
def wide(sessions):
    record_wide_project(sessions, WIDTH)
    with sessions.reading() as session:
        yield session


@pytest.fixture
def bounded(monkeypatch):
    """Let commits be read as if they had more series than are kept whole."""
    monkeypatch.setattr(snapshots, "MOST_SERIES", WIDTH.regions * 2)


def kinds(report, machine):
    return {
        each.region: (each.kind, each.outcome, each.odds)
        for each in report.changes
        if each.machine == machine
    }


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("machine", [None, "cluster-02"])
def test_report_of_a_wide_commit_is_of_one_machine(wide, machine):
    report, gate = gated_report(wide, View("wide", machine=machine), None)

    assert report.only == (machine or "cluster-00")
    assert {each.machine for each in report.changes} == {report.only}
    assert sum(gate.counts.values()) == len(report.changes) == WIDTH.regions
    assert list(report.machines) == [WIDTH.machine(n) for n in range(WIDTH.machines)]


def test_series_of_one_machine_are_compared_as_beside_the_others(wide, monkeypatch):
    whole, _ = gated_report(wide, View("wide"), None)
    wide.info.clear()
    monkeypatch.setattr(snapshots, "MOST_SERIES", WIDTH.regions * 2)
    part, _ = gated_report(wide, View("wide", machine="cluster-01"), None)

    assert whole.only is None
    assert kinds(part, "cluster-01") == kinds(whole, "cluster-01")


@pytest.mark.usefixtures("bounded")
def test_gate_itself_is_asked_of_all_machines(wide):
    report, _ = gated_report(wide, View("wide"), None)

    gate = gate_of(wide, "wide", report.commit.sha, None)

    assert sum(gate.counts.values()) == WIDTH.regions * WIDTH.machines

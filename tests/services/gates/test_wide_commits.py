"""Commits of very many series, of which one machine is compared at a time."""

from dataclasses import replace

import pytest

from scalewatch.services.gates import gate as gates
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


def sorted_findings(gate):
    return replace(gate, findings=sorted(gate.findings, key=repr))


def test_gate_of_a_wide_commit_is_what_all_machines_at_once_give(wide, monkeypatch):
    sha = commit_of(wide)
    whole = gate_of(wide, "wide", sha, None)
    monkeypatch.setattr(snapshots, "MOST_SERIES", WIDTH.regions * 2)

    gate = gate_of(wide, "wide", sha, None)

    assert sum(gate.counts.values()) == WIDTH.regions * WIDTH.machines
    assert len(gate.findings) > 0
    assert sorted_findings(gate) == sorted_findings(whole)


@pytest.mark.usefixtures("bounded")
def test_gate_that_takes_too_long_goes_on_where_it_stopped(wide, monkeypatch):
    sha = commit_of(wide)
    monkeypatch.setattr(gates, "PATIENCE", -1.0)

    answers = [gate_of(wide, "wide", sha, None) for _ in range(WIDTH.machines)]

    measured = [sum(each.counts.values()) for each in answers]
    assert measured == [WIDTH.regions * number for number in (1, 2, 3)]
    assert [str(each.outcome) for each in answers[:-1]] == ["pending", "pending"]
    assert "2 of 3 machines" in answers[1].sentence
    monkeypatch.setattr(gates, "PATIENCE", 60.0)
    assert answers[-1] == gate_of(wide, "wide", sha, None)
    assert str(answers[-1].outcome) != "pending"


@pytest.mark.usefixtures("bounded")
def test_findings_of_a_wide_commit_have_a_limit_and_counts_have_none(wide, monkeypatch):
    sha = commit_of(wide)
    whole = gate_of(wide, "wide", sha, None)
    monkeypatch.setattr(gates, "MOST_FINDINGS", 0)

    gate = gate_of(wide, "wide", sha, None)

    assert gate.findings == ()
    assert gate.counts == whole.counts
    assert f"{len(whole.findings)} more" in gate.sentence


def commit_of(session):
    report, _ = gated_report(session, View("wide"), None)
    session.info.clear()
    return report.commit.sha

"""A baseline and a commit that changes each region in another way."""

from math import log2

import pytest

from scalewatch.errors import NotFound
from scalewatch.services.commit_reports.pairs import ChangeKind
from scalewatch.services.commit_reports.report import commit_report
from scalewatch.services.commits.baselines import Relation
from scalewatch.services.selection.view import View
from support.builders import sweep_reports
from support.recorded import (
    PROCESSES,
    failed_result,
    record,
    record_half_failed_project,
)

BEFORE = {
    "MPI_Barrier": lambda p: 1e-6 + 2e-6 * log2(p),
    "MPI_Bcast": lambda p: 1e-6 + 2e-6 * p,
    "MPI_Reduce": lambda p: 1e-6 + 2e-6 * log2(p),
    "MPI_Gather": lambda p: 3e-6 + 1e-6 * p,
}
AFTER = {
    "MPI_Barrier": lambda p: 9e-6 + 4e-6 * p,
    "MPI_Bcast": lambda p: 1e-6 + 2e-6 * log2(p),
    "MPI_Reduce": lambda p: 1e-6 + 2e-6 * log2(p),
    "MPI_Alltoall": lambda p: 1e-6 * p * log2(p),
}
PARENT, CHILD = "a" * 40, "b" * 40


def commit(sha: str, day: int, *parents: str) -> dict[str, object]:
    return {
        "sha": sha,
        "parents": parents,
        "committed_at": f"2026-09-{day:02}T12:00:00Z",
    }


def measured(growths, made, **fields):
    return sweep_reports(
        PROCESSES, growths, repetitions=20, noise=0.002, commit=made, **fields
    )


@pytest.fixture
def _changed(sessions):
    record(sessions, measured(BEFORE, commit(PARENT, 1)))
    record(sessions, measured(AFTER, commit(CHILD, 2, PARENT)))


def report_of(sessions, sha=None, vs=None, **fields):
    with sessions.reading() as session:
        return commit_report(session, View("mpich", sha, **fields), vs)


@pytest.mark.usefixtures("_changed")
def test_changes_are_told_apart_and_the_worst_comes_first(sessions):
    report = report_of(sessions)

    assert [(change.region, change.kind) for change in report.changes] == [
        ("MPI_Barrier", ChangeKind.MISMATCH),
        ("MPI_Gather", ChangeKind.MISSING),
        ("MPI_Bcast", ChangeKind.BETTER),
        ("MPI_Alltoall", ChangeKind.NEW),
        ("MPI_Reduce", ChangeKind.UNCHANGED),
    ]
    assert report.counts[ChangeKind.MISMATCH] == 1
    assert [change.region for change in report.same] == ["MPI_Reduce"]


@pytest.mark.usefixtures("_changed")
def test_the_measured_parent_is_the_baseline_and_nothing_lies_between(sessions):
    report = report_of(sessions)

    assert report.baseline is not None
    assert report.baseline.commit.sha == PARENT
    assert report.baseline.relation is Relation.PARENT
    assert report.baseline.unmeasured == ()
    assert [each.sha for each in report.parents] == [PARENT]
    assert [each.sha for each in report_of(sessions, PARENT).children] == [CHILD]


@pytest.mark.usefixtures("_changed")
def test_commits_that_nobody_measured_in_between_are_named(sessions):
    record(sessions, measured(AFTER, commit("d" * 40, 4, "c" * 40)))

    report = report_of(sessions)

    assert report.baseline is not None
    assert report.baseline.commit.sha == CHILD
    assert report.baseline.relation is Relation.EARLIER
    assert report.baseline.unmeasured == ("c" * 40,)
    assert report.parents[0].commit is None


@pytest.mark.usefixtures("_changed")
def test_the_baseline_can_be_chosen(sessions):
    report = report_of(sessions, PARENT, vs=CHILD)

    assert report.baseline is not None
    assert report.baseline.relation is Relation.ASKED
    assert {c.region: c.kind for c in report.changes}["MPI_Barrier"] is (
        ChangeKind.BETTER
    )


@pytest.mark.usefixtures("_changed")
def test_the_first_commit_has_no_baseline_and_no_changes(sessions):
    report = report_of(sessions, PARENT)

    assert report.baseline is None
    assert report.changes == ()


@pytest.mark.usefixtures("_changed")
def test_an_unknown_baseline_is_refused(sessions):
    with pytest.raises(NotFound, match="v9"):
        report_of(sessions, vs="v9")


def test_what_fails_now_is_a_change_for_the_worse(sessions):
    record(sessions, measured(BEFORE, commit(PARENT, 1)))
    broken = measured(
        BEFORE, commit(CHILD, 2, PARENT), results=[failed_result("MPI_Reduce")]
    )
    record(sessions, broken)

    kinds = {change.region: change.kind for change in report_of(sessions).changes}

    assert kinds["MPI_Reduce"] is ChangeKind.FAILED
    assert kinds["MPI_Barrier"] is ChangeKind.MISSING


def test_what_failed_before_as_well_is_neither_a_change_nor_as_it_was(sessions):
    for made in (commit(PARENT, 1), commit(CHILD, 2, PARENT)):
        failing = [failed_result("MPI_Reduce")]
        record(sessions, measured(BEFORE, made, results=failing))

    kinds = {change.region: change.kind for change in report_of(sessions).changes}

    assert kinds["MPI_Reduce"] is ChangeKind.UNDECIDED


def test_differences_of_the_environment_are_listed(sessions):
    for sha, day, kernel in ((PARENT, 1, "6.1"), (CHILD, 2, "6.2")):
        machine = {"name": "jureca", "fingerprint": {"cores": 128, "kernel": kernel}}
        made = commit(sha, day, *([PARENT] if day == 2 else []))
        record(sessions, measured(BEFORE, made, machine=machine))

    (change,) = report_of(sessions).environment

    assert (change.machine, change.name) == ("jureca", "kernel")
    assert (change.before, change.after) == ("6.1", "6.2")


def test_machines_that_have_not_measured_it_yet_are_named_not_counted(sessions):
    other = {"name": "daint", "fingerprint": {"cores": 12}}
    record(sessions, measured(BEFORE, commit(PARENT, 1)))
    record(sessions, measured(BEFORE, commit(PARENT, 1), machine=other))
    record(sessions, measured(BEFORE, commit(CHILD, 2, PARENT)))

    report = report_of(sessions)

    assert report.absent == ("daint",)
    assert report.counts[ChangeKind.MISSING] == 0


def test_what_fails_again_is_undecided_and_not_missing(sessions):
    record_half_failed_project(sessions)

    with sessions.reading() as session:
        report = commit_report(session, View("fragile", "3f"), "1f")

    kinds = {(change.region, change.machine): change.kind for change in report.changes}
    assert kinds["transpose", "steady"] is ChangeKind.UNDECIDED
    assert report.counts[ChangeKind.MISSING] == 0

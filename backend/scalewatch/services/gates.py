"""The gate: may this commit pass, judged by how it scales and not by a stopwatch.

A commit is worse if a series that scaled as expected no longer does, if its growth is
surely faster than at the baseline, or if a regression that is sure and not accepted
began with it. What only one job says is a suspicion: the gate then asks for another
run, and stops nobody before that has agreed.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sqlalchemy.orm import Session

from scalewatch.services.baselines import Baseline
from scalewatch.services.changes import ChangeKind, SeriesChange
from scalewatch.services.commit_reports import commit_report
from scalewatch.services.commits import Commit, find_commit
from scalewatch.services.confirmations import JOBS, Confirmation, confirmations_of
from scalewatch.services.jobs import Kind, Subject
from scalewatch.services.lineage import lineage, merge_base
from scalewatch.services.regressions import Regression, State, regressions_of
from scalewatch.services.views import View
from scalewatch.storage import commits, jobs, machines, projects, runs, tables

GROWING: Final = frozenset({ChangeKind.MISMATCH, ChangeKind.WORSE})


class Outcome(StrEnum):
    """What the gate says."""

    FINE = "fine"
    WORSE = "worse"
    UNDECIDED = "undecided"
    PENDING = "pending"


@dataclass(frozen=True, slots=True)
class Finding:
    """A series that is worse or may be.

    Parameters
    ----------
    is_sure
        Whether it stops the commit.
    sentence
        What happened to it, in words.
    todo
        The cheapest step that would settle it; None where it is settled.
    """

    region: str
    metric: str
    machine: str
    configuration: Mapping[str, Any]
    kind: str
    is_sure: bool
    sentence: str
    todo: str | None


@dataclass(frozen=True, slots=True)
class Gate:
    """The answer for one commit.

    Parameters
    ----------
    baseline
        What it was compared with; None where nothing was measured before.
    relation
        Why with that.
    findings
        Worst first.
    confirmations
        Runs that were asked for to confirm a suspicion, newest first.
    counts
        Series by how they changed.
    """

    project: str
    commit: Commit
    baseline: Commit | None
    relation: str | None
    outcome: Outcome
    sentence: str
    findings: tuple[Finding, ...]
    regressions: tuple[int, ...]
    confirmations: tuple[Confirmation, ...]
    counts: Mapping[str, int]


def gate_of(
    session: Session, project_name: str, reference: str, baseline: str | None
) -> Gate:
    """Return whether a commit may pass.

    Parameters
    ----------
    reference, baseline
        As `find_commit` takes them. Without a baseline a branch is compared with its
        merge base, any other commit with its parent.

    Raises
    ------
    NotFound, NotMeasured, AmbiguousReference
        If the project or a commit is unknown.
    """
    project = projects.existing(session, project_name)
    row = find_commit(session, project, reference)
    against = baseline or _merge_base(session, project, row)
    report = commit_report(session, View(project.name, commit=row.sha), against)
    is_pending = _is_pending(session, project.id, row.id)
    began = _began(session, project.name, row)
    findings = [_of_change(session, row, each) for each in report.changes]
    listed = [each for each in findings if each is not None]
    listed += [each for regression in began for each in _of_regression(regression)]
    outcome = _outcome(listed, report.changes, is_pending=is_pending)
    return Gate(
        project=project.name,
        commit=report.commit,
        baseline=report.baseline.commit if report.baseline else None,
        relation=_relation(report.baseline, baseline, against),
        outcome=outcome,
        sentence=_sentence(outcome, listed, report.changes, report.baseline),
        findings=tuple(sorted(listed, key=lambda each: not each.is_sure)),
        regressions=tuple(regression.id for regression in began),
        confirmations=confirmations_of(session, project.name, [row.id]),
        counts={
            str(kind): count
            for kind, count in Counter(each.kind for each in report.changes).items()
        },
    )


def _merge_base(
    session: Session, project: tables.Project, row: tables.Commit
) -> str | None:
    """Return where the branch of a commit left the main line, if it has left it."""
    everything = commits.of_project(session, project.id)
    line = lineage(everything)
    if not line.commits or row.id not in line.aside:
        return None
    by_sha = {commit.sha: commit for commit in everything}
    base = merge_base(row, line.commits[-1], by_sha)
    return base.sha if base is not None and base.id != row.id else None


def _relation(
    baseline: Baseline | None, asked: str | None, against: str | None
) -> str | None:
    if baseline is None:
        return None
    return "merge base" if against and not asked else str(baseline.relation)


def _is_pending(session: Session, project_id: int, commit_id: int) -> bool:
    """Tell whether something about a commit is still to be analysed."""
    if jobs.is_open(session, Kind.WATCH, str(project_id)):
        return True
    return any(
        jobs.is_open(session, Kind.ANALYSE, str(Subject(commit_id, machine.id)))
        for machine in machines.of_project(session, project_id)
    )


def _began(session: Session, project_name: str, row: tables.Commit) -> list[Regression]:
    """Return the regressions, not accepted, that began with a commit."""
    found = regressions_of(session, project_name, (State.OPEN, State.ACKNOWLEDGED))
    return [
        each
        for each in found.regressions
        if each.is_worse and row.sha in {each.first.sha, each.last.sha}
    ]


def _of_change(
    session: Session, row: tables.Commit, change: SeriesChange
) -> Finding | None:
    """Return what a change means for the gate, None for nothing."""
    if change.kind is ChangeKind.FAILED:
        reason = change.after.reason or "no repetition succeeded"
        return _finding(change, f"failed: {reason}", None)
    if change.kind not in GROWING:
        return None
    before, after = change.before.growth, change.after.growth
    said = f"grows like {after} instead of {before}"
    if change.kind is ChangeKind.MISMATCH:
        said = f"{said}: no longer as expected"
    measured = runs.jobs_of(session, row.id, change.machine)
    if measured and min(measured.values()) >= JOBS:
        return _finding(change, said, None)
    once = ", ".join(f"{name}" for name, count in measured.items() if count < JOBS)
    todo = f"measure {row.sha[:10]} once more on {change.machine} at {once}"
    return _finding(change, f"{said}, says one job alone", todo)


def _finding(change: SeriesChange, sentence: str, todo: str | None) -> Finding:
    return Finding(
        region=change.region,
        metric=change.metric,
        machine=change.machine,
        configuration=change.configuration,
        kind=str(change.kind),
        is_sure=todo is None,
        sentence=sentence,
        todo=todo,
    )


def _of_regression(regression: Regression) -> list[Finding]:
    return [
        Finding(
            region=member.region,
            metric=member.metric,
            machine=member.machine,
            configuration=member.configuration,
            kind=f"regression of {regression.kind}",
            is_sure=regression.is_sure,
            sentence=(
                f"{member.details['largest_factor']:.3g} times as much at the largest "
                f"scale as in its history; regression {regression.id}"
            ),
            todo=None if regression.is_sure else "measure this commit once more",
        )
        for member in regression.members
    ]


def _outcome(
    findings: Sequence[Finding], changes: Sequence[SeriesChange], *, is_pending: bool
) -> Outcome:
    if is_pending:
        return Outcome.PENDING
    if any(each.is_sure for each in findings):
        return Outcome.WORSE
    told = [each for each in changes if each.kind is not ChangeKind.UNDECIDED]
    return Outcome.UNDECIDED if findings or not told else Outcome.FINE


def _sentence(
    outcome: Outcome,
    findings: Sequence[Finding],
    changes: Sequence[SeriesChange],
    baseline: Baseline | None,
) -> str:
    against = f" than {baseline.commit.label}" if baseline else ""
    sure = sum(each.is_sure for each in findings)
    match outcome:
        case Outcome.PENDING:
            return "the analysis is not finished"
        case Outcome.WORSE:
            return f"{sure} of {len(changes)} series scale worse{against}"
        case Outcome.UNDECIDED if findings:
            return f"{len(findings)} suspected of scaling worse{against}: run again"
        case Outcome.UNDECIDED:
            return "no series has enough measurements to tell"
        case _:
            return f"none of {len(changes)} series scales worse{against}"

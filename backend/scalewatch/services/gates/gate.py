"""The gate: may this commit pass, judged by how it scales and not by a stopwatch.

A commit is worse if a series that scaled as expected no longer does, if its growth is
surely faster than at the baseline or its constant surely worse, or if a regression that
is sure and not accepted began with it; a project can state other rules. What only one
job says is a suspicion: the gate then asks for another run, and stops nobody before
that has agreed.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.modelling import Direction
from scalewatch.services.commit_reports.changes import SeriesChange
from scalewatch.services.commit_reports.constants import changed_constants
from scalewatch.services.commit_reports.report import (
    CommitReport,
    commit_report,
    limited,
)
from scalewatch.services.commits.find import find_commit
from scalewatch.services.confirmations.next_steps import (
    NextStep,
    confirming_step,
    deciding_step,
)
from scalewatch.services.confirmations.requests import confirmations_in
from scalewatch.services.gates.circumstances import beyond_nights
from scalewatch.services.gates.decision import Tally, tally_of
from scalewatch.services.gates.declared_rules import GateRules, rules_in_force
from scalewatch.services.gates.effects import with_effects
from scalewatch.services.gates.findings import (
    GateFinding,
    SeriesRef,
    StepFor,
    of_change,
    of_constant,
    of_guideline,
    of_regression,
    without_settled,
)
from scalewatch.services.gates.guidelines import broken_since
from scalewatch.services.gates.unmeasured import unmeasured
from scalewatch.services.gates.wording import (
    Gate,
    GateOutcome,
    outcome_of,
    sentence_of,
)
from scalewatch.services.jobs import AnalysedCommit, JobKind
from scalewatch.services.regressions.regressions import RegressionState, regressions_at
from scalewatch.services.selection.view import View
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.commits.commits import AnyCommit
from scalewatch.storage.machines import machines
from scalewatch.storage.work import jobs

WAITING: Final = frozenset({RegressionState.OPEN, RegressionState.ACKNOWLEDGED})


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
    view = View(project_name, commit=reference)
    gate, _ = _judged(session, commit_report(session, view, baseline))
    return gate


def gated_report(
    session: Session, view: View, baseline: str | None
) -> tuple[CommitReport, Gate]:
    """Return the report of a commit with the outcome of each series, and its gate.

    Parameters
    ----------
    view
        Limits what the report lists; the gate is asked of the whole commit.
    baseline
        As `gate_of` takes it.

    Raises
    ------
    NotFound, NotMeasured, AmbiguousReference
        If the project, a commit or the metric is unknown.
    """
    whole = commit_report(session, View(view.project, commit=view.commit), baseline)
    gate, tally = _judged(session, whole)
    return limited(replace(whole, changes=tally.told(whole.changes)), view), gate


def _judged(session: Session, report: CommitReport) -> tuple[Gate, Tally]:
    """Return whether the commit of a report may pass, and what becomes of series."""
    project = projects.existing(session, report.project)
    row = find_commit(session, project, report.commit.sha)
    rules = rules_in_force(session, project.id)
    worse = [
        each for each in regressions_at(session, project.id, row.id) if each.is_worse
    ]
    began = [each for each in worse if each.state in WAITING]
    accepted = [each for each in worse if each.state is RegressionState.EXPECTED]
    steps = _steps(session, project, row, report.changes)
    listed = _since_baseline(session, project, row, report, (rules, steps))
    # What one job of each commit has told needs no history.
    counted = {each.key for each in report.changes if each.is_exact}
    told = {each.series for each in listed} & counted
    for regression in began:
        since = of_regression(regression, rules)
        listed += [each for each in since if each.series not in told]
    listed = without_settled(listed, accepted)
    listed += unmeasured(session, project, row.id, report, rules)
    compared = {row.id, report.baseline.id} if report.baseline else {row.id}
    is_pending = _is_pending(session, project.id, compared)
    tally = tally_of(
        report.changes,
        listed,
        [member for each in (*began, *accepted) for member in each.members],
    )
    outcome = outcome_of(listed, report.changes, is_pending=is_pending)
    gate = Gate(
        project=project.name,
        commit=report.commit,
        baseline=report.baseline.commit if report.baseline else None,
        relation=str(report.baseline.relation) if report.baseline else None,
        outcome=outcome,
        sentence=sentence_of(outcome, listed, report, tally),
        findings=tuple(sorted(listed, key=lambda each: not each.is_sure)),
        next_step=_next(session, project, row, listed, report.changes, steps)
        if outcome is GateOutcome.UNDECIDED
        else None,
        regressions=tuple(regression.id for regression in began),
        confirmations=confirmations_in(session, project.id, [row.id]),
        counts={str(each): number for each, number in tally.counts.items()},
        rules_version=rules.version,
    )
    return gate, tally


def _since_baseline(
    session: Session,
    project: tables.Project,
    row: AnyCommit,
    report: CommitReport,
    minded: tuple[GateRules, StepFor],
) -> list[GateFinding]:
    """Return what the commit of a report has made worse than it was at the baseline."""
    if report.baseline is None:
        return []
    ids = (report.baseline.id, row.id)
    rules, steps = minded
    targets = rules.target
    changed = ((each, of_change(each, *minded)) for each in report.changes)
    found = [(change, finding) for change, finding in changed if finding is not None]
    named = {change.series_id for change, _ in found}
    others = [each for each in report.changes if each.series_id not in named]
    least = cache(rules.least_constant)
    before, after = (CommitSnapshot(session, project.id, each) for each in ids)
    constants = changed_constants(
        before, after, others, lambda change: least(change.region)
    )
    for change in others:
        constant = constants.get(change.series_id)
        if constant is not None and constant.direction is Direction.WORSE:
            found.append((change, of_constant(change, constant, steps)))
    found, of_machines = beyond_nights(before, after, report.changes, found)
    listed = [*of_machines, *with_effects(session, ids, found, targets)]
    broken = broken_since(project, before, after, report.changes, targets)
    of_guidelines = [of_guideline(each, *minded) for each in broken]
    listed += [finding for finding in of_guidelines if finding is not None]
    since = f"{report.baseline.commit.label}..{report.commit.label}"
    return [replace(each, commits=since) for each in listed]


def _is_pending(session: Session, project_id: int, compared: Collection[int]) -> bool:
    """Tell whether something about commits, by id, is still to be analysed."""
    about_project = (JobKind.WATCH, JobKind.REANALYSE, JobKind.REJUDGE)
    if any(jobs.is_open(session, kind, str(project_id)) for kind in about_project):
        return True
    everywhere = [
        str(AnalysedCommit(commit_id, machine.id))
        for machine in machines.of_project(session, project_id)
        for commit_id in compared
    ]
    return jobs.is_any_open(session, JobKind.ANALYSE, everywhere)


def _steps(
    session: Session,
    project: tables.Project,
    row: AnyCommit,
    changes: Sequence[SeriesChange],
) -> StepFor:
    """Return a function that tells what a machine still has to confirm of a series."""
    ids = {each.name: each.id for each in machines.of_project(session, project.id)}
    measured: dict[tuple[str, str, str], list[SeriesChange]] = defaultdict(list)
    for each in changes:
        measured[each.region, each.metric, each.machine].append(each)

    def step(place: SeriesRef) -> NextStep | None:
        series = [
            each.series_id
            for each in measured[place.region, place.metric, place.machine]
            if not each.is_exact
            and place.configuration.items() <= each.configuration.items()
        ]
        machine = ids[place.machine], place.machine
        return confirming_step(session, row.id, machine, series)

    return step


def _next(  # noqa: PLR0913, PLR0917 - what is known of a commit
    session: Session,
    project: tables.Project,
    row: AnyCommit,
    findings: Sequence[GateFinding],
    changes: Sequence[SeriesChange],
    steps: StepFor,
) -> NextStep | None:
    """Return the cheapest measurement that would settle something."""
    if not findings:
        return deciding_step(session, project, row.id, changes)
    suspected = [SeriesRef.of(each) for each in findings if each.is_suspicion]
    wanted = [step for place in suspected if (step := steps(place)) is not None]
    return min(wanted, key=lambda step: step.core_hours, default=None)

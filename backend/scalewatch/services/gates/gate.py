"""The gate: may this commit pass, judged by how it scales and not by a stopwatch.

A commit is worse if a series that scaled as expected no longer does, if its growth is
surely faster than at the baseline or its constant surely worse, or if a regression that
is sure and not accepted began with it; a project can state other rules. What only one
job says is a suspicion: the gate then asks for another run, and stops nobody before
that has agreed.

`circumstances` reads, `decision` decides, as it does for files (`files`).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.access.callers import Role, permit
from scalewatch.services.commit_reports.changes import SeriesChange
from scalewatch.services.commit_reports.comparison import Comparison, compared
from scalewatch.services.commit_reports.pairs import SeriesOutcome
from scalewatch.services.commit_reports.report import CommitReport, limited, report_of
from scalewatch.services.commits.find import Commit, commit_of, find_commit
from scalewatch.services.confirmations.next_steps import NextStep
from scalewatch.services.confirmations.requests import (
    Confirmation,
    ask,
    confirmations_in,
)
from scalewatch.services.gates.circumstances import circumstances_of
from scalewatch.services.gates.decision import Decision, GateOutcome, decide
from scalewatch.services.gates.declared_rules import rules_in_force
from scalewatch.services.gates.findings import GateFinding
from scalewatch.services.gates.next_steps import next_step
from scalewatch.services.gates.wording import sentence_of
from scalewatch.services.selection.view import View
from scalewatch.settings import ALARMING_SHARE
from scalewatch.storage import machines
from scalewatch.storage.access import projects

KEPT: Final = 30_000
"""Changes that are kept with their outcome; more of one commit are not."""

_RANK: Final = {outcome: rank for rank, outcome in enumerate(SeriesOutcome)}


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether a commit may pass.

    Parameters
    ----------
    baseline
        What it was compared with; None where nothing was measured before.
    relation
        Why with that.
    findings
        Worst first.
    next_step
        The cheapest measurement that would settle something; None where all is.
    confirmations
        Runs that were asked for to confirm a suspicion, newest first.
    counts
        Series by what became of them; every outcome of `SeriesOutcome` has an entry.
    rules_version
        Of the rules that were applied; 0: the usual ones.
    """

    project: str
    commit: Commit
    baseline: Commit | None
    relation: str | None
    outcome: GateOutcome
    sentence: str
    findings: tuple[GateFinding, ...]
    next_step: NextStep | None
    regressions: tuple[int, ...]
    confirmations: tuple[Confirmation, ...]
    counts: Mapping[str, int]
    rules_version: int


def gate_of(
    session: Session,
    project_name: str,
    reference: str,
    baseline: str | None,
    alarming_share: float = ALARMING_SHARE,
) -> Gate:
    """Return whether a commit may pass.

    Parameters
    ----------
    reference, baseline
        As `find_commit` takes them. Without a baseline a branch is compared with its
        merge base, any other commit with its parent.
    alarming_share
        Share of histories of 200 commits that may alarm although nothing changed.

    Raises
    ------
    NotFound, NotMeasured, AmbiguousReference
        If the project or a commit is unknown.
    """
    view = View(project_name, commit=reference)
    gate, *_ = _judged(session, view, baseline, alarming_share)
    return gate


def gated_report(
    session: Session,
    view: View,
    baseline: str | None,
    alarming_share: float = ALARMING_SHARE,
) -> tuple[CommitReport, Gate]:
    """Return the report of a commit with the outcome of each series, and its gate.

    Parameters
    ----------
    view
        Limits what the report lists; the gate is asked of the whole commit, and of a
        wide one of its machine, or else the first.
    baseline, alarming_share
        As `gate_of` takes them.

    Raises
    ------
    NotFound, NotMeasured, AmbiguousReference
        If the project, a commit or the metric is unknown.
    """
    gate, decision, comparison = _judged(
        session, view, baseline, alarming_share, part=view
    )
    whole = report_of(session, comparison)
    with_outcome = (
        _with_outcome if len(whole.changes) <= KEPT else _with_outcome.__wrapped__
    )
    changes = [
        with_outcome(each, decision.outcomes[each.key]) for each in whole.changes
    ]
    changes.sort(key=lambda change: _RANK[decision.outcomes[change.key]])
    return limited(replace(whole, changes=tuple(changes)), view), gate


def confirm_suspicions(
    session: Session,
    project_name: str,
    reference: str,
    baseline: str | None,
    alarming_share: float = ALARMING_SHARE,
) -> tuple[Confirmation, ...]:
    """Ask for the runs that would settle what the gate suspects of a commit.

    Parameters
    ----------
    reference, baseline, alarming_share
        As `gate_of` takes them.

    Returns
    -------
    tuple
        All confirming runs of the commit, newest first.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project or a commit is unknown.
    NotPermitted, TokenNeeded
        If who asks may not post runs of the project.
    """
    project = projects.existing(session, project_name)
    permit(session, Role.INGEST, project.name)
    row = find_commit(session, project, reference)
    gate = gate_of(session, project.name, reference, baseline, alarming_share)
    ids = {each.name: each.id for each in machines.of_project(session, project.id)}
    if gate.outcome is not GateOutcome.PENDING:
        for finding in gate.findings:
            if finding.is_suspicion and finding.machine in ids:
                why = f"{finding.region} ({finding.metric}) {finding.sentence}"
                ask(session, project.id, (row.id, ids[finding.machine]), why)
    return confirmations_in(session, project.id, [row.id])


def _judged(
    session: Session,
    view: View,
    against: str | None,
    alarming_share: float,
    part: View | None = None,
) -> tuple[Gate, Decision, Comparison]:
    """Return whether a commit may pass, what becomes of series, and why."""
    project = projects.existing(session, view.project)
    comparison = compared(session, project, view.commit, against, alarming_share, part)
    rules = rules_in_force(session, project.id)
    known = circumstances_of(session, comparison, rules)
    commit = commit_of(comparison.row)
    baseline = comparison.baseline.commit if comparison.baseline else None
    decision = decide(
        comparison.changes,
        rules,
        known,
        commits=f"{baseline.label}..{commit.label}" if baseline else None,
    )
    since = {each.key: each.since for each in comparison.changes if each.since}
    decision = replace(
        decision,
        findings=tuple(
            _beside_older(each, since.get(each.series), commit)
            for each in decision.findings
        ),
    )
    is_open = decision.outcome is GateOutcome.UNDECIDED
    gate = Gate(
        project=project.name,
        commit=commit,
        baseline=baseline,
        relation=str(comparison.baseline.relation) if comparison.baseline else None,
        outcome=decision.outcome,
        sentence=sentence_of(
            decision, comparison.changes, baseline.named if baseline else None
        )
        + _of_older(since.values()),
        findings=decision.findings,
        next_step=next_step(session, comparison, decision) if is_open else None,
        regressions=known.waiting,
        confirmations=confirmations_in(session, project.id, [comparison.row.id]),
        counts={str(each): number for each, number in decision.counts.items()},
        rules_version=rules.version,
    )
    return gate, decision, comparison


def _beside_older(
    finding: GateFinding, since: str | None, commit: Commit
) -> GateFinding:
    """Return a finding with the commit that it is beside, if that is no baseline."""
    if since is None:
        return finding
    return replace(
        finding,
        sentence=f"{finding.sentence}; compared with {since}, the newest before the "
        "baseline that measured it",
        commits=f"{since}..{commit.label}",
    )


def _of_older(commits: Collection[str]) -> str:
    """Return how many series were compared with commits before the baseline."""
    if not commits:
        return ""
    number = "1 series" if len(commits) == 1 else f"{len(commits):,} series"
    return (
        f"; {number} that the baseline lacks compared with "
        f"{', '.join(sorted({*commits}))}"
    )


# The changes between two commits are the same objects until something changes there.
@lru_cache(KEPT)
def _with_outcome(change: SeriesChange, outcome: SeriesOutcome) -> SeriesChange:
    return replace(change, outcome=outcome)

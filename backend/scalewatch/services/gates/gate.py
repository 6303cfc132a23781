"""The gate: may this commit pass, judged by how it scales and not by a stopwatch.

A commit is worse if a series that scaled as expected no longer does, if its growth is
surely faster than at the baseline or its constant surely worse, or if a regression that
is sure and not accepted began with it; a project can state other rules. What only one
job says is a suspicion: the gate then asks for another run, and stops nobody before
that has agreed.

`circumstances` reads, `decision` decides, as it does for files (`files`).
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from math import exp, isfinite
from operator import and_
from time import monotonic
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.access.callers import Role, permit
from scalewatch.services.caches import key_of
from scalewatch.services.commit_reports.changes import SeriesChange
from scalewatch.services.commit_reports.comparison import (
    Comparison,
    Versions,
    compared,
)
from scalewatch.services.commit_reports.pairs import SeriesKey, SeriesOutcome
from scalewatch.services.commit_reports.report import CommitReport, limited, report_of
from scalewatch.services.commits.find import Commit, commit_of, find_commit
from scalewatch.services.common_mode.newest_commit import NOTHING
from scalewatch.services.confirmations.next_steps import NextStep, cheapest
from scalewatch.services.confirmations.requests import (
    Confirmation,
    ask,
    confirmations_in,
)
from scalewatch.services.gates.circumstances import (
    NO_OTHERS,
    OtherMachines,
    circumstances_of,
    is_pending,
)
from scalewatch.services.gates.decision import Decision, GateOutcome, decide
from scalewatch.services.gates.declared_rules import GateRules, rules_in_force
from scalewatch.services.gates.findings import GateFinding, key_at
from scalewatch.services.gates.next_steps import next_step
from scalewatch.services.gates.wording import sentence_of
from scalewatch.services.guidelines import rules_of
from scalewatch.services.regressions.regressions import regressions_at
from scalewatch.services.selection.view import View
from scalewatch.settings import ALARMING_SHARE
from scalewatch.storage import machines
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.database.session import forget
from scalewatch.storage.histories import locations

PATIENCE: Final = 6.0
"""Seconds after which the gate of a wide commit answers what it knows so far."""

MOST_FINDINGS: Final = 5_000
"""Findings that a gate lists, the sure ones first; its counts are of all series."""

RECENT: Final = 20
"""Commits up to the judged one whose values a finding shows."""

DRAWN: Final = 50
"""Findings that show them: what a comment lists."""

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
    project = projects.existing(session, project_name)
    versions = Versions.find(session, project, reference, baseline)
    snapshots = versions.snapshots(session)
    if any(each.is_wide for each in snapshots if each is not None):
        gate = _machine_by_machine(session, versions, alarming_share)
    else:
        rules = rules_in_force(session, project.id)
        part, _ = _judged(session, versions, None, rules, alarming_share)
        gate = _gate(session, versions, rules, [part])
    return replace(gate, findings=_with_recent(session, versions, gate.findings))


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
    project = projects.existing(session, view.project)
    versions = Versions.find(session, project, view.commit, baseline)
    rules = rules_in_force(session, project.id)
    part, comparison = _judged(session, versions, view.machine, rules, alarming_share)
    gate = _gate(session, versions, rules, [part])
    decision, whole = part.decision, report_of(session, comparison)
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


@dataclass(frozen=True, slots=True)
class _Part:
    """Series that were judged together: all, or those of one machine of a wide commit.

    Parameters
    ----------
    shared
        Knowledge that other machines need of them.
    older
        The commits before the baseline that series were compared with, of each one.
    waiting
        Ids of regressions that began with the commit and wait for somebody.
    """

    decision: Decision
    shared: OtherMachines
    older: tuple[str, ...]
    waiting: tuple[int, ...]
    next_step: NextStep | None

    @property
    def kilobytes(self) -> float:
        """Memory that it takes."""
        return 0.3 * len(self.decision.outcomes) + len(self.decision.findings)


def _judged(  # noqa: PLR0913, PLR0917 - what is compared, how surely, beside what
    session: Session,
    versions: Versions,
    machine: str | None,
    rules: GateRules,
    alarming_share: float,
    others: OtherMachines = NO_OTHERS,
) -> tuple[_Part, Comparison]:
    """Return what becomes of series and why; of a wide commit, of one machine's."""
    comparison = compared(session, versions, machine, alarming_share)
    known = circumstances_of(session, comparison, rules, others)
    commit, base = commit_of(comparison.row), comparison.baseline
    decision = decide(
        comparison.changes,
        rules,
        known,
        commits=f"{base.commit.label}..{commit.label}" if base else None,
    )
    since = {each.key: each.since for each in comparison.changes if each.since}
    findings = (
        _beside_older(each, since.get(each.series), commit)
        for each in decision.findings
    )
    decision = replace(decision, findings=tuple(findings))
    is_open = decision.outcome is GateOutcome.UNDECIDED
    nights = comparison.levels.nights if comparison.levels else NOTHING
    part = _Part(
        decision,
        OtherMachines(nights.moves, nights.compared, known.has_only_failures),
        tuple(since.values()),
        known.waiting,
        next_step(session, comparison, decision) if is_open else None,
    )
    return part, comparison


def _machine_by_machine(
    session: Session, versions: Versions, alarming_share: float
) -> Gate:
    """Return the gate of a wide commit, for which one machine is read at a time.

    What was found of a machine is kept, so that who asks again goes on where the time
    was over. A machine is judged again if what others measured matters to it.
    """
    project, until = versions.project, monotonic() + PATIENCE
    rules = rules_in_force(session, project.id)
    after, before = versions.snapshots(session)
    depends_on = key_of(
        rules,
        alarming_share,
        rules_of(session, project).guidelines,
        regressions_at(session, project.id, versions.row.id),
    )

    beside = [] if before is None else [before]
    is_kept = all(each.edition is not None for each in (*beside, after))

    read: list[str] = []

    def judged(machine: str, others: OtherMachines = NO_OTHERS) -> _Part:
        def judge() -> _Part:
            read.append(machine)
            forget(session)
            return _judged(session, versions, machine, rules, alarming_share, others)[0]

        question = ("gate", machine, depends_on, others)
        return after.kept(question, judge, lambda e: e.kilobytes, beside=beside)

    parts: dict[str, _Part] = {}
    names = [each.name for each in machines.of_project(session, project.id)]
    for name in names if not is_pending(session, versions) else ():
        if is_kept and read and monotonic() > until:
            break
        parts[name] = judged(name)
    else:
        whole = reduce(and_, (each.shared for each in parts.values()), NO_OTHERS)
        for name, part in parts.items():
            is_failed = part.shared.has_only_failures and not whole.has_only_failures
            if part.shared.moves or is_failed:
                parts[name] = judged(name, whole)
    gate = _gate(
        session, versions, rules, [*parts.values()], is_pending=len(parts) < len(names)
    )
    if 0 < len(parts) < len(names):
        compared = f"{len(parts):,} of {len(names):,} machines are compared so far"
        gate = replace(gate, sentence=f"{compared}: ask again")
    return gate


def _gate(
    session: Session,
    versions: Versions,
    rules: GateRules,
    parts: Sequence[_Part],
    *,
    is_pending: bool = False,
) -> Gate:
    """Return whether a commit may pass, by all of its parts."""
    is_pending |= any(e.decision.outcome is GateOutcome.PENDING for e in parts)
    decision = Decision.together([e.decision for e in parts], is_pending=is_pending)
    baseline = versions.baseline.commit if versions.baseline else None
    older = [each for part in parts for each in part.older]
    listed = decision.findings[:MOST_FINDINGS]
    left = len(decision.findings) - len(listed)
    cut = f"; {left:,} more findings are not listed" if left else ""
    said = sentence_of(decision, baseline.named if baseline else None)
    steps = [each for each in parts if each.decision.findings or not listed]
    is_open = decision.outcome is GateOutcome.UNDECIDED
    row = versions.row
    return Gate(
        project=versions.project.name,
        commit=commit_of(row),
        baseline=baseline,
        relation=str(versions.baseline.relation) if versions.baseline else None,
        outcome=decision.outcome,
        sentence=f"{said}{_of_older(older)}{cut}",
        findings=listed,
        next_step=cheapest(each.next_step for each in steps) if is_open else None,
        regressions=tuple(dict.fromkeys(e for part in parts for e in part.waiting)),
        confirmations=confirmations_in(session, versions.project.id, [row.id]),
        counts={str(each): number for each, number in decision.counts.items()},
        rules_version=rules.version,
    )


def _with_recent(
    session: Session, versions: Versions, findings: Sequence[GateFinding]
) -> tuple[GateFinding, ...]:
    """Return findings, the first ones with the values that led to the commit."""
    row, shown = versions.row, {each.series for each in findings[:DRAWN]}
    if not shown:
        return ()
    regions = {each.region for each in findings[:DRAWN]}
    series = {
        each.id: key
        for each in locations.series_of(
            session, versions.project.id, regions=[*regions]
        )
        if (key := key_at(each)) in shown
    }
    older = commits.of_project(session, row.project_id, before=row, limit=RECENT - 1)
    place = {commit.id: at for at, commit in enumerate(reversed((row, *older)))}
    located = locations.of_series(session, [*series], [*place])
    last = {
        each.series_id: (each.parameters, each.settings[-1])
        for each in located
        if row.id in each.commit_ids
    }
    lines: dict[SeriesKey, dict[int, float]] = defaultdict(dict)
    for alike in located:
        parameters, setting = last.get(alike.series_id, ((), ()))
        if alike.parameters == parameters and setting in alike.settings:
            logs = alike.log[:, alike.settings.index(setting)].tolist()
            lines[series[alike.series_id]] |= {
                place[commit_id]: exp(log)
                for commit_id, log in zip(alike.commit_ids, logs, strict=True)
                if isfinite(log)
            }
    recent = {
        key: tuple(value for _, value in sorted(line.items()))
        for key, line in lines.items()
    }
    return tuple(replace(each, recent=recent.get(each.series, ())) for each in findings)


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

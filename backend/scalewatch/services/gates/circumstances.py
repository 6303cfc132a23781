"""Circumstances of a commit that only a server knows, read before the gate decides.

Beside the pairs of series these are runs of a second job, the nights of a machine,
regressions in histories, guidelines, forecasts at the target scale, and jobs that are
still to be done.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.figures.notation import places_words
from scalewatch.services.commit_reports.changes import SeriesChange
from scalewatch.services.commit_reports.comparison import (
    Comparison,
    Levels,
    Versions,
    changed_constants,
)
from scalewatch.services.commit_reports.pairs import SeriesKey
from scalewatch.services.common_mode.newest_commit import MachineMove, NewestNights
from scalewatch.services.gates.decision import Circumstances
from scalewatch.services.gates.declared_rules import GateRules
from scalewatch.services.gates.effects import effects_of
from scalewatch.services.gates.findings import (
    ANOTHER_NIGHT,
    MEASURE_BASELINE,
    NEXT_COMMIT,
    GateFinding,
    SeriesRef,
    absent,
    failed,
    incomparable,
    of_everything,
    worse_findings,
)
from scalewatch.services.gates.guidelines import broken_since, guideline_finding
from scalewatch.services.gates.next_steps import steps_of
from scalewatch.services.gates.rules import GateRule, Rules
from scalewatch.services.jobs import AnalysedCommit, JobKind
from scalewatch.services.machines.machine import difference
from scalewatch.services.regressions.regressions import (
    Member,
    Regression,
    RegressionState,
    regressions_at,
)
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.services.series.standing import growth_or_none
from scalewatch.storage import machines
from scalewatch.storage.commits.coverage import Place
from scalewatch.storage.histories.locations import facts_of
from scalewatch.storage.work import jobs

WAITING: Final = frozenset({RegressionState.OPEN, RegressionState.ACKNOWLEDGED})


@dataclass(frozen=True, slots=True)
class OtherMachines:
    """Knowledge of the other machines of a commit that the gate of one of them needs.

    Parameters
    ----------
    moves, compared
        Machines all of whose regions moved, and those of which that could be decided.
    has_only_failures
        Whether nothing at all succeeded.
    """

    moves: tuple[MachineMove, ...] = ()
    compared: frozenset[tuple[str, str]] = frozenset()
    has_only_failures: bool = True

    def __and__(self, other: "OtherMachines") -> "OtherMachines":
        return OtherMachines(
            self.moves + other.moves,
            self.compared | other.compared,
            has_only_failures=self.has_only_failures and other.has_only_failures,
        )


NO_OTHERS: Final = OtherMachines()


def circumstances_of(
    session: Session,
    commit: Comparison,
    rules: GateRules,
    others: OtherMachines = NO_OTHERS,
) -> Circumstances:
    """Read what is known of a commit beside the pairs of its series."""
    here = commit.after.judged(commit.metrics)
    at = regressions_at(session, commit.project.id, commit.row.id)
    worse = [_on(commit.after.only, each) for each in at if each.is_worse]
    began = [each for each in worse if each.state in WAITING]
    known = Circumstances(
        failed=[
            finding
            for each in here
            for finding in failed(each, each.standing, each.failures)
        ],
        has_only_failures=others.has_only_failures
        and all(each.standing.is_failed for each in here),
        regressions=[
            finding for each in began for finding in _of_regression(each, rules)
        ],
        waiting=tuple(each.id for each in began),
        began=[member for each in began for member in each.members],
        accepted=[
            member
            for each in worse
            if each.state is RegressionState.EXPECTED
            for member in each.members
        ],
        is_pending=is_pending(session, commit),
    )
    if commit.levels is None:
        return known
    return _beside(commit, commit.levels, rules, known, others)


def _on(machine: str | None, regression: Regression) -> Regression:
    """Return a regression with its members on a machine alone; None: on all."""
    if machine is None:
        return regression
    members = tuple(each for each in regression.members if each.machine == machine)
    return replace(regression, members=members)


def _beside(
    commit: Comparison,
    levels: Levels,
    rules: GateRules,
    known: Circumstances,
    others: OtherMachines,
) -> Circumstances:
    """Return circumstances with what is known beside the baseline."""
    before, after, changes = levels.before, levels.after, commit.changes
    nights, gone = levels.nights, commit.absent
    least = cache(rules.least_constant)
    by_id = changed_constants(levels, changes, lambda change: least(change.region))
    for old in commit.older:
        by_id |= changed_constants(old.levels, old.changes, lambda e: least(e.region))
    constants = {e.key: by_id[e.series_id] for e in changes if e.series_id in by_id}
    broken = broken_since(commit.project, before, after, changes, rules.target)
    worse = worse_findings(changes, rules, constants, known.confirmation)
    by_key = {each.key: each for each in changes}
    dearer = [by_key[finding.series] for _, finding in worse]
    steps = steps_of(after.session, commit, [*dearer, *broken])
    guidelines = [guideline_finding(each, rules, steps.words) for each in broken]
    begun = sorted({state for both in nights.begun.values() for state in both})
    states = facts_of(after.session, begun)
    return replace(
        known,
        constants=constants,
        incomparable=[*_of_new_states(states, changes, nights)],
        lacking=_lacking(before, after, changes),
        absent=[
            absent(each)
            for each in (before.judged(commit.metrics) if gone else ())
            if each.machine in gone
        ],
        confirmation=steps.words,
        within_nights={
            each.key
            for each in changes
            if each.series_id in nights.known
            and each.series_id not in nights.outstanding
            and not each.is_exact
        },
        machines=[*_of_machines(nights, others)],
        guidelines=[each for each in guidelines if each is not None],
        effects=effects_of(
            before, after, [e for e in dearer if e.since is None], rules.target
        ),
    )


def _of_new_states(
    facts: Mapping[int, Mapping[str, object]],
    changes: Sequence[SeriesChange],
    nights: NewestNights,
) -> Iterator[GateFinding]:
    """Yield the series whose level moved with a new state of their machine."""
    for change in changes:
        if change.series_id in nights.begun and change.is_comparable:
            former, state = nights.begun[change.series_id]
            yield incomparable(
                change,
                f"{change.machine} is in a new state since the baseline "
                f"({difference(facts[former], facts[state])}), and the level moved "
                "with it: there is nothing to compare with",
                MEASURE_BASELINE.format(change.machine),
            )


def _lacking(
    before: CommitSnapshot, after: CommitSnapshot, changes: Sequence[SeriesChange]
) -> dict[SeriesKey, str]:
    """Return settings that the baseline measured and nobody tried, by series."""
    compared = [e for e in changes if e.is_comparable and e.since is None]
    if not compared:
        return {}
    ids = sorted(change.series_id for change in compared)
    early, here = before.places(ids), after.places(ids)
    difference = cache(frozenset[Place].difference)  # most series have the same places
    return {
        change.key: places_words(untried)
        for change in compared
        if (
            untried := difference(
                early[change.series_id].measured, here[change.series_id].tried
            )
        )
    }


def is_pending(session: Session, commit: Versions | Comparison) -> bool:
    """Tell whether something about a commit or its baseline is still to be analysed."""
    project_id = commit.project.id
    baseline = [commit.baseline.id] if commit.baseline else []
    about_project = (JobKind.WATCH, JobKind.REANALYSE, JobKind.REJUDGE)
    if any(jobs.is_open(session, kind, str(project_id)) for kind in about_project):
        return True
    everywhere = [
        str(AnalysedCommit(commit_id, machine.id))
        for machine in machines.of_project(session, project_id)
        for commit_id in (*baseline, commit.row.id)
    ]
    return jobs.is_any_open(session, JobKind.ANALYSE, everywhere)


def _of_machines(nights: NewestNights, others: OtherMachines) -> Iterator[GateFinding]:
    """Yield what is worse of all regions, unless the machine alone is slow."""
    for move in nights.moves:
        agreeing = {
            other.machine
            for other in (*nights.moves, *others.moves)
            if (other.metric, other.is_worse) == (move.metric, move.is_worse)
        }
        measuring = {
            machine
            for machine, metric in nights.compared | others.compared
            if metric == move.metric
        }
        is_machines = len(agreeing) == 1 and len(measuring) > 1
        if move.is_worse and not is_machines:
            yield _of_machine(move, is_shared=len(agreeing) > 1)


def _of_machine(move: MachineMove, *, is_shared: bool) -> GateFinding:
    """Return what is worse of all regions: sure if two machines say so."""
    whose = (
        ", and on other machines as well"
        if is_shared
        else ": either this commit, or only this night of the machine"
    )
    usual = f" (as far out as on {move.as_far} of them)" if move.as_far else ""
    return of_everything(
        move.metric,
        f"{move.factor:.3g}× the {move.nights} nights before{usual}, all "
        f"{move.regions} regions alike{whose}",
        None if is_shared else ANOTHER_NIGHT.format(move.machine),
        machine=move.machine,
        is_sure=is_shared,
    )


def _of_regression(regression: Regression, rules: Rules) -> list[GateFinding]:
    """Return what a regression that began with the commit means for the gate."""
    step = regression.next_step
    todo = NEXT_COMMIT if step is None else step.sentence
    return [
        GateFinding(
            *SeriesRef.of(member),
            kind=f"regression of {regression.kind}",
            is_sure=regression.is_sure,
            sentence=_since_history(regression, member),
            todo=None if regression.is_sure else todo,
            commits=f"{regression.first.label}^..{regression.last.label}",
            probability=member.details.kind_probability,
            target=member.details.target,
            at_target=member.details.at_target,
        )
        for member in regression.members
        if _is_minded(regression, member, rules.about(member.region))
    ]


def _since_history(regression: Regression, member: Member) -> str:
    details, metric = member.details, member.metric
    before, after = details.growth_before, details.growth_after
    is_growth = regression.kind == "growth" and None not in {before, after}
    known = growth_or_none(after)
    verb = "falls" if known is not None and known.falls else "grows"
    grows = f"{verb} like {after} instead of {before}, " if is_growth else ""
    largest = ", ".join(f"{name} = {x:g}" for name, x in details.largest.items())
    at = f" at {largest}" if largest else ""
    return (
        f"{grows}{details.largest_factor:.3g}× its usual {metric}{at}; "
        f"regression {regression.id}"
    )


def _is_minded(regression: Regression, member: Member, rule: GateRule) -> bool:
    if regression.kind == "growth":
        return rule.growth
    size = abs(member.details.largest_factor - 1)
    return rule.constant is not None and size >= rule.constant

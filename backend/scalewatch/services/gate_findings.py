"""Findings of the gate: series that are worse, or that may be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scalewatch.modelling import Direction, Verdict
from scalewatch.services.changes import ChangeKind, SeriesChange
from scalewatch.services.gate_rules import GateRules, Rule
from scalewatch.services.guidelines import CheckedGuideline
from scalewatch.services.next_steps import NextStep
from scalewatch.services.regressions import Member, Regression


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


Steps = Callable[[str], NextStep | None]
"""Returns the runs of a machine, by its name, that lack a second job."""


def of_change(change: SeriesChange, rules: GateRules, steps: Steps) -> Finding | None:
    """Return what a change means for the gate, None for nothing."""
    if change.kind is ChangeKind.FAILED:
        reason = change.after.reason or "no repetition succeeded"
        return _finding(change, f"failed: {reason}", None)
    said = _said(change, rules.about(change.region))
    if said is None:
        return None
    step = steps(change.machine)
    if step is None:
        return _finding(change, said, None)
    return _finding(change, f"{said}, says one job alone", step.sentence)


def of_regression(
    regression: Regression, rules: GateRules, steps: Steps
) -> list[Finding]:
    """Return what a regression that began with the commit means for the gate."""
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
            todo=None if regression.is_sure else _todo(steps(member.machine)),
        )
        for member in regression.members
        if _is_minded(regression, member, rules.about(member.region))
    ]


def of_guideline(
    metric: str, broken: CheckedGuideline, rules: GateRules, steps: Steps
) -> Finding | None:
    """Return what a guideline that held before means for the gate."""
    region = broken.guideline.region
    if not rules.about(region).guideline:
        return None
    step = steps(broken.machine)
    said = f"breaks the guideline {broken.guideline}, which held before"
    return Finding(
        region=region,
        metric=metric,
        machine=broken.machine,
        configuration=broken.configuration,
        kind="guideline",
        is_sure=step is None,
        sentence=said if step is None else f"{said}, says one job alone",
        todo=None if step is None else step.sentence,
    )


def _said(change: SeriesChange, rule: Rule) -> str | None:
    """Return what is wrong with a series by its rule, if anything is."""
    before, after = change.before.growth, change.after.growth
    faster = f"grows like {after} instead of {before}"
    if change.kind is ChangeKind.MISMATCH and (rule.new_mismatch or rule.mismatch):
        return f"{faster}: no longer as expected"
    if change.kind is ChangeKind.WORSE and rule.growth:
        return faster
    is_mismatch = change.after.verdict is Verdict.MISMATCH
    if rule.mismatch and is_mismatch and change.after.direction is not Direction.BETTER:
        return f"grows like {after}: not as expected"
    return None


def _is_minded(regression: Regression, member: Member, rule: Rule) -> bool:
    if regression.kind == "growth":
        return rule.growth
    size = abs(member.details["largest_factor"] - 1)
    return rule.constant is not None and bool(size >= rule.constant)


def _todo(step: NextStep | None) -> str:
    return "measure the next commit, too" if step is None else step.sentence


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

"""Findings of the gate: series that are worse, or that may be."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

from scalewatch.modelling import Direction, Verdict
from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.services.commit_reports.changes import SeriesChange
from scalewatch.services.commit_reports.factors import SURE, ConstantChange
from scalewatch.services.commit_reports.pairs import ChangeKind, SeriesKey, series_key
from scalewatch.services.confirmations.next_steps import NextStep
from scalewatch.services.confirmations.requests import JOBS
from scalewatch.services.gates.declared_rules import GateRules
from scalewatch.services.gates.guidelines import BrokenGuideline
from scalewatch.services.gates.rules import GateRule
from scalewatch.services.regressions.regressions import Member, Regression


@dataclass(frozen=True, slots=True)
class GateFinding:
    """A series that is worse or may be.

    Parameters
    ----------
    is_sure
        Whether it stops the commit.
    sentence
        What happened to it, in words.
    todo
        The cheapest step that would settle it; None where it is settled.
    commits
        Those that hold the cause, as git names a range: `after..last`.
    probability
        That it happened; None where nothing can tell.
    target, at_target
        A larger scale, and how many times as much as before it costs there; of a
        guideline, how many times as much as what the shortcut stands for.
    """

    region: str
    metric: str
    machine: str
    configuration: Mapping[str, Any]
    kind: str
    is_sure: bool
    sentence: str
    todo: str | None
    commits: str | None = None
    probability: float | None = None
    target: Mapping[str, float] = field(default_factory=dict)
    at_target: Bounds | None = None

    @property
    def is_suspicion(self) -> bool:
        """Whether it may be worse, as far as was measured."""
        return not self.is_sure and self.kind not in UNMEASURED

    @property
    def series(self) -> SeriesKey:
        """What tells it from findings about other series."""
        return series_of(self)


GUIDELINE: Final = "guideline"
CONSTANT: Final = "constant"
NIGHT: Final = "night"
FAILED: Final = str(ChangeKind.FAILED)
MISSING: Final = str(ChangeKind.MISSING)
PARTLY: Final = "partly missing"
UNMEASURED: Final = frozenset({FAILED, MISSING, PARTLY})
"""Kinds of findings that tell what was not measured."""

ANOTHER_NIGHT: Final = "rerun on {} on another night"

LIKELY: Final = 0.5
"""Probability from which something may have happened."""

StepFor = Callable[["SeriesRef"], NextStep | None]
"""Returns the runs that lack a second job."""


@dataclass(frozen=True, slots=True)
class SeriesRef:
    """Where a series was measured; settings that are not named do not matter."""

    region: str
    metric: str
    machine: str
    configuration: Mapping[str, Any]

    @classmethod
    def of(cls, about: "SeriesChange | GateFinding") -> Self:
        """Return the place of a series."""
        return cls(about.region, about.metric, about.machine, about.configuration)


def of_change(
    change: SeriesChange, rules: GateRules, steps: StepFor
) -> GateFinding | None:
    """Return what a change means for the gate, None for nothing."""
    said = _said(change, rules.about(change.region))
    if said is None:
        return None
    step = steps(SeriesRef.of(change))
    if step is None:
        return _finding(change, said, None)
    return _finding(change, f"{said}, seen in a single job only", step.sentence)


def of_constant(
    change: SeriesChange, worse: ConstantChange, steps: StepFor
) -> GateFinding:
    """Return what a worse constant means for the gate."""
    step = steps(SeriesRef.of(change))
    jobs = JOBS if worse.jobs is None else worse.jobs
    is_settled = step is None and (worse.exactly is not None or jobs >= JOBS)
    said = worse.sentence
    is_one_night = step is None and worse.nights is not None
    alone = "on a single night" if is_one_night else "in a single job"
    todo = ANOTHER_NIGHT.format(change.machine) if is_one_night else _todo(step)
    return GateFinding(
        region=change.region,
        metric=change.metric,
        machine=change.machine,
        configuration=change.configuration,
        kind=CONSTANT,
        is_sure=is_settled,
        sentence=said if is_settled else f"{said}, seen {alone} only",
        todo=None if is_settled else todo,
        probability=worse.probability,
        # Two commits alone would add to it what the night did to all regions.
        at_target=Bounds(worse.factor, worse.low, worse.high)
        if worse.is_throughout or worse.nights is not None
        else None,
    )


def of_regression(regression: Regression, rules: GateRules) -> list[GateFinding]:
    """Return what a regression that began with the commit means for the gate."""
    return [
        GateFinding(
            region=member.region,
            metric=member.metric,
            machine=member.machine,
            configuration=member.configuration,
            kind=f"regression of {regression.kind}",
            is_sure=regression.is_sure,
            sentence=_since_history(regression, member),
            todo=None if regression.is_sure else _todo(regression.next_step),
            commits=f"{regression.first.label}^..{regression.last.label}",
            probability=member.details.kind_probability,
            target=member.details.target,
            at_target=member.details.at_target,
        )
        for member in regression.members
        if _is_minded(regression, member, rules.about(member.region))
    ]


def without_settled(
    findings: Sequence[GateFinding], accepted: Sequence[Regression]
) -> list[GateFinding]:
    """Return findings but for suspicions about series that are surely worse.

    Nor is there anything to be said of changes that somebody has accepted; a guideline
    that they break stays broken.
    """
    expected = {series_of(member) for each in accepted for member in each.members}
    sure = {each.series for each in findings if each.is_sure}
    return [
        each
        for each in findings
        if each.kind == GUIDELINE
        or (each.series not in expected and (each.is_sure or each.series not in sure))
    ]


def of_guideline(
    broken: BrokenGuideline, rules: GateRules, steps: StepFor
) -> GateFinding | None:
    """Return what a guideline that held before means for the gate.

    What more probably did not happen is nothing.
    """
    region = broken.guideline.region
    odds = broken.probability
    if not rules.about(region).guideline or (odds is not None and odds < LIKELY):
        return None
    place = SeriesRef(region, broken.metric, broken.machine, broken.configuration)
    step = steps(place)
    said = f"breaks the guideline {broken.guideline}, which held before"
    is_clear = odds is None or odds >= SURE
    return GateFinding(
        region=region,
        metric=broken.metric,
        machine=broken.machine,
        configuration=broken.configuration,
        kind=GUIDELINE,
        is_sure=step is None and is_clear,
        sentence=said if step is None else f"{said}, seen in a single job only",
        todo=None if step is None and is_clear else _todo(step),
        probability=odds,
        target=broken.target if broken.after else {},
        at_target=broken.after,
    )


def series_of(about: GateFinding | Member) -> SeriesKey:
    """Return what tells a series from others of a project."""
    place = (about.region, about.metric, about.machine)
    return series_key(*place, about.configuration)


def _said(change: SeriesChange, rule: GateRule) -> str | None:
    """Return what is wrong with a series by its rule, if anything is."""
    if change.is_composed:
        return _said_of_quotient(change, rule)
    if change.kind is ChangeKind.MISMATCH and (rule.new_mismatch or rule.mismatch):
        return f"{_faster(change)}: no longer as expected"
    if change.kind is ChangeKind.WORSE and rule.growth:
        return _faster(change)
    is_mismatch = change.after.verdict is Verdict.MISMATCH
    if rule.mismatch and is_mismatch and change.after.direction is not Direction.BETTER:
        return f"grows like {change.after.growth}: not as expected"
    return None


def _faster(change: SeriesChange) -> str:
    said = f"grows like {change.after.growth} instead of {change.before.growth}"
    return f"{said}, {change.formulas}" if change.formulas else said


def _said_of_quotient(change: SeriesChange, rule: GateRule) -> str | None:
    """Return what is wrong with a series of which a composed model is expected."""
    grows = f"measured/composed grows like {change.after.divergence}"
    if change.kind is ChangeKind.MISMATCH and (rule.new_mismatch or rule.mismatch):
        before = change.before.divergence
        return f"{grows} instead of {before}: no longer as composed"
    if change.kind is ChangeKind.WORSE and rule.growth:
        return f"grows like {change.after.growth} instead of {change.before.growth}"
    is_mismatch = change.after.verdict is Verdict.MISMATCH
    if rule.mismatch and is_mismatch and change.after.direction is not Direction.BETTER:
        return f"{grows}: not as composed"
    return None


def _since_history(regression: Regression, member: Member) -> str:
    details, metric = member.details, member.metric
    before, after = details.growth_before, details.growth_after
    is_growth = regression.kind == "growth" and None not in {before, after}
    grows = f"grows like {after} instead of {before}, " if is_growth else ""
    largest = ", ".join(f"{name} = {x:g}" for name, x in details.largest.items())
    return (
        f"{grows}{details.largest_factor:.3g}× its usual {metric} at {largest}; "
        f"regression {regression.id}"
    )


def _is_minded(regression: Regression, member: Member, rule: GateRule) -> bool:
    if regression.kind == "growth":
        return rule.growth
    size = abs(member.details.largest_factor - 1)
    return rule.constant is not None and size >= rule.constant


def _todo(step: NextStep | None) -> str:
    return "measure the next commit as well" if step is None else step.sentence


def _finding(change: SeriesChange, sentence: str, todo: str | None) -> GateFinding:
    return GateFinding(
        region=change.region,
        metric=change.metric,
        machine=change.machine,
        configuration=change.configuration,
        kind=str(change.kind),
        is_sure=todo is None,
        sentence=sentence,
        todo=todo,
        probability=_probability(change),
    )


def _probability(change: SeriesChange) -> float | None:
    """Return how probably a series changed as its kind says."""
    before, after = change.before.verdict_probability, change.after.verdict_probability
    if change.kind is ChangeKind.WORSE:
        return change.odds.faster if change.odds else None
    if change.kind is ChangeKind.MISMATCH:
        was_fine = 1 - before.get(Verdict.MISMATCH, 0.0)
        return was_fine * after.get(Verdict.MISMATCH, 0.0)
    return after.get(Verdict.MISMATCH)

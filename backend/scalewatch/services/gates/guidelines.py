"""Guidelines that held at a baseline and are broken at a commit.

A break that is less probable than not is no finding, one that is not sure a suspicion.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from scalewatch.modelling import Guideline
from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.modelling.guidelines import (
    RegionRepetitions,
    newly_broken,
    violation_odds,
)
from scalewatch.services.commit_reports.changes import SeriesChange
from scalewatch.services.commit_reports.factors import SURE
from scalewatch.services.gates.effects import BothSides, GateSide, Target, both_sides
from scalewatch.services.gates.findings import (
    GUIDELINE,
    NEXT_COMMIT,
    SINGLE_JOB,
    Confirmation,
    GateFinding,
    SeriesRef,
)
from scalewatch.services.gates.rules import Rules
from scalewatch.services.guidelines import (
    Instance,
    instances_of,
    is_broken,
    rules_of,
    series_of,
)
from scalewatch.services.regressions.effects import bounds_of
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.services.series.standing import State
from scalewatch.storage import tables

LIKELY: Final = 0.5
"""Probability from which something may have happened."""


@dataclass(frozen=True, slots=True)
class BrokenGuideline:
    """A guideline that held before, on one machine in one configuration.

    Parameters
    ----------
    configuration
        What tells it from others on this machine.
    probability
        That it is broken at a setting where it was not.
    target
        Where both ratios are told.
    before, after
        How many times as much as its parts together the shortcut needs there.
    """

    guideline: Guideline
    metric: str
    machine: str
    configuration: Mapping[str, Any]
    probability: float | None
    target: Target
    before: Bounds | None
    after: Bounds | None

    @property
    def region(self) -> str:
        """The shortcut."""
        return self.guideline.region


def broken_since(
    project: tables.Project,
    before: CommitSnapshot,
    after: CommitSnapshot,
    changes: Sequence[SeriesChange],
    targets: Target,
) -> list[BrokenGuideline]:
    """Return what a commit has broken since a baseline.

    The guidelines in force now are checked at both, so that to declare another one
    changes nothing.

    Parameters
    ----------
    changes
        How the series of the two commits differ.
    """
    rules = rules_of(after.session, project).guidelines
    newly = _newly_broken(before, after, rules, changes)
    concerned = series_of(newly)
    by_id = {each.series_id: each for each in changes if each.series_id in concerned}
    standings = {key: (each.before, each.after) for key, each in by_id.items()}
    sides = both_sides(before, after, standings, targets)
    return [
        _broken(each, by_id[each.shortcut.series_id].metric, sides) for each in newly
    ]


def guideline_finding(
    broken: BrokenGuideline, rules: Rules, confirmation: Confirmation
) -> GateFinding | None:
    """Return what a guideline that held before means for the gate, None for nothing."""
    odds = broken.probability
    is_minded = rules.about(broken.region).guideline
    if not is_minded or (odds is not None and odds < LIKELY):
        return None
    step = confirmation(SeriesRef.of(broken))
    said = f"breaks the guideline {broken.guideline}, which held before"
    is_sure = step is None and (odds is None or odds >= SURE)
    return GateFinding(
        *SeriesRef.of(broken),
        kind=GUIDELINE,
        is_sure=is_sure,
        sentence=said if step is None else f"{said}, {SINGLE_JOB}",
        todo=None if is_sure else step or NEXT_COMMIT,
        probability=odds,
        target=broken.target if broken.after else {},
        at_target=broken.after,
    )


def _newly_broken(
    before: CommitSnapshot,
    after: CommitSnapshot,
    rules: Sequence[Guideline],
    changes: Sequence[SeriesChange],
) -> list[Instance]:
    """Return what is broken now and held before."""
    named = {name for rule in rules for name in (rule.region, *rule.parts)}
    concerned = [each for each in changes if each.region in named]
    now = _instances(rules, concerned)
    middles = after.medians(series_of(now)) if now else {}
    broken = {_key(each): each for each in now if is_broken(each, middles)}
    earlier = [replace(each, after=each.before) for each in concerned]
    then = [each for each in _instances(rules, earlier) if _key(each) in broken]
    middles = before.medians(series_of(then)) if then else {}
    return [broken[_key(each)] for each in then if is_broken(each, middles) is False]


def _instances(
    rules: Sequence[Guideline], changes: Sequence[SeriesChange]
) -> list[Instance]:
    """Return guidelines where their later commit can be checked, metric by metric."""
    by_metric: dict[str, list[SeriesChange]] = {}
    for change in changes:
        if change.standing.state is not State.UNMEASURED:
            by_metric.setdefault(change.metric, []).append(change)
    return [
        instance
        for metric in sorted(by_metric)
        for instance in instances_of(by_metric[metric], rules)
    ]


def _key(instance: Instance) -> tuple[Guideline, int]:
    return instance.guideline, instance.shortcut.series_id


def _broken(
    instance: Instance, metric: str, sides: Mapping[int, BothSides]
) -> BrokenGuideline:
    rule = instance.guideline
    named = {name: sides[each.series_id] for name, each in instance.sides.items()}
    before = {name: each.before for name, each in named.items() if each.before}
    after = {name: each.after for name, each in named.items() if each.after}
    return BrokenGuideline(
        guideline=rule,
        metric=metric,
        machine=instance.shortcut.machine,
        configuration=instance.configuration,
        probability=newly_broken(_odds(rule, before), _odds(rule, after)),
        target=after[rule.region].target if rule.region in after else {},
        before=_ratio(rule, before),
        after=_ratio(rule, after),
    )


def _odds(
    rule: Guideline, sides: Mapping[str, GateSide]
) -> dict[tuple[float, ...], float]:
    if not {rule.region, *rule.parts} <= sides.keys():
        return {}
    if len({each.pool.parameters for each in sides.values()}) > 1:
        return {}
    measured = {
        name: RegionRepetitions(each.pool.settings, each.pool.values)
        for name, each in sides.items()
    }
    return violation_odds(rule, measured, sides[rule.region].noise)


def _ratio(rule: Guideline, sides: Mapping[str, GateSide]) -> Bounds | None:
    """Return the shortcut over its parts at the target, with an interval from all."""
    forecasts = [
        sides[name].finding.forecasts[0]
        for name in (rule.region, *rule.parts)
        if name in sides and sides[name].finding.forecasts
    ]
    known = [bounds_of(each) for each in forecasts]
    shortcut, *parts = known if len(known) > len(rule.parts) else [None]
    summed = _together([each for each in parts if each is not None])
    if shortcut is None or len(parts) != len(rule.parts) or summed is None:
        return None
    return shortcut.over(summed)


def _together(parts: Sequence[Bounds]) -> Bounds | None:
    """Return a sum; its parts are wrong independently of each other."""
    if not parts:
        return None
    value = sum(each.value for each in parts)
    down = np.hypot.reduce([each.value - each.low for each in parts])
    up = np.hypot.reduce([each.high - each.value for each in parts])
    low = max(value - float(down), min(each.low for each in parts))
    return Bounds(value, low, value + float(up))

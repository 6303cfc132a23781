"""Guidelines that held at a baseline and are broken at a commit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.modelling import Guideline
from scalewatch.modelling.guideline_odds import (
    Repeated,
    newly_broken,
    violation_odds,
)
from scalewatch.services.both_sides import BothSides, Side, Target, both_sides
from scalewatch.services.changes import SeriesChange
from scalewatch.services.configurations import key_of
from scalewatch.services.effects import Bounds, bounds_of
from scalewatch.services.guidelines import (
    CheckedGuideline,
    GuidelineState,
    checks_at,
    possible_rules,
)
from scalewatch.services.standings import UNMEASURED, Standing, State
from scalewatch.storage import tables

HELD: Final = frozenset({GuidelineState.HOLDS, GuidelineState.THREATENED})


@dataclass(frozen=True, slots=True)
class BrokenGuideline:
    """A guideline that held before.

    Parameters
    ----------
    probability
        That it is broken at a setting where it was not.
    target
        Where both ratios are told.
    before, after
        How many times as much as its parts together the shortcut needs there.
    """

    metric: str
    check: CheckedGuideline
    probability: float | None
    target: Target
    before: Bounds | None
    after: Bounds | None


@dataclass(frozen=True, slots=True)
class _Side:
    """A series at one of two commits, as `checks_at` takes it."""

    series_id: int
    region: str
    machine: str
    slot: int
    configuration: Mapping[str, Any]
    standing: Standing


@dataclass(frozen=True, slots=True)
class _At:
    """What is known at a commit: series, and checks by rule and shortcut."""

    sides: Mapping[int, _Side]
    checks: Mapping[tuple[str, int], CheckedGuideline]


@dataclass(frozen=True, slots=True)
class _NewlyBroken:
    """A guideline that held before.

    Parameters
    ----------
    regions
        Series that it is about, by region.
    pairs
        What is known of each series before and after, by its id.
    """

    metric: str
    check: CheckedGuideline
    regions: Mapping[str, _Side]
    pairs: Mapping[int, tuple[Standing, Standing]]


def broken_since(
    session: Session,
    project: tables.Project,
    commits: tuple[int, int],
    changes: Sequence[SeriesChange],
    targets: Target,
) -> list[BrokenGuideline]:
    """Return what a commit has broken since a baseline.

    The guidelines in force now are checked at both, so that to declare another one
    changes nothing.

    Parameters
    ----------
    commits
        Ids of the baseline and of the commit.
    changes
        How the series of the two differ.
    """
    rules = possible_rules(session, project)
    newly: list[_NewlyBroken] = []
    for metric in sorted({change.metric for change in changes}):
        own = [change for change in changes if change.metric == metric]
        newly += _newly_broken(session, commits, rules, own)
    standings = {number: pair for each in newly for number, pair in each.pairs.items()}
    sides = both_sides(session, commits, standings, targets)
    return [_broken(each, sides) for each in newly]


def _newly_broken(
    session: Session,
    commits: tuple[int, int],
    rules: Sequence[Guideline],
    changes: Sequence[SeriesChange],
) -> list[_NewlyBroken]:
    """Return what is broken now and held before, of one metric."""
    now = _at(session, commits[1], rules, [_side(each, each.after) for each in changes])
    broken = {
        key: check
        for key, check in now.checks.items()
        if check.state is GuidelineState.BROKEN
    }
    if not broken:
        return []
    then = [_side(each, each.before) for each in changes]
    before = _at(session, commits[0], rules, then)
    return [
        _NewlyBroken(changes[0].metric, check, regions, _pairs(before.sides, regions))
        for key, check in broken.items()
        if key in before.checks and before.checks[key].state in HELD
        for regions in [_regions(now.sides, check)]
    ]


def _side(change: SeriesChange, standing: Standing) -> _Side:
    return _Side(
        series_id=change.series_id,
        region=change.region,
        machine=change.machine,
        slot=change.slot,
        configuration=change.configuration,
        standing=standing,
    )


def _at(
    session: Session,
    commit_id: int,
    rules: Sequence[Guideline],
    sides: Sequence[_Side],
) -> _At:
    known = [each for each in sides if each.standing.state is not State.UNMEASURED]
    checks = checks_at(session, commit_id, known, rules)
    return _At(
        {each.series_id: each for each in known},
        {(str(each.guideline), each.series): each for each in checks},
    )


def _regions(sides: Mapping[int, _Side], check: CheckedGuideline) -> dict[str, _Side]:
    """Return the series that a check is about, by region."""
    shortcut = sides[check.series]
    names = {check.guideline.region, *check.guideline.parts}
    return {
        each.region: each
        for each in sides.values()
        if each.region in names and _place(each) == _place(shortcut)
    }


def _place(each: _Side) -> tuple[object, ...]:
    return (each.machine, key_of(each.configuration, sorted(each.configuration)))


def _pairs(
    before: Mapping[int, _Side], regions: Mapping[str, _Side]
) -> dict[int, tuple[Standing, Standing]]:
    return {
        each.series_id: (
            before[each.series_id].standing if each.series_id in before else UNMEASURED,
            each.standing,
        )
        for each in regions.values()
    }


def _broken(newly: _NewlyBroken, sides: Mapping[int, BothSides]) -> BrokenGuideline:
    rule = newly.check.guideline
    named = {name: sides[each.series_id] for name, each in newly.regions.items()}
    before = {name: each.before for name, each in named.items() if each.before}
    after = {name: each.after for name, each in named.items() if each.after}
    return BrokenGuideline(
        metric=newly.metric,
        check=newly.check,
        probability=newly_broken(_odds(rule, before), _odds(rule, after)),
        target=after[rule.region].target if rule.region in after else {},
        before=_ratio(rule, before),
        after=_ratio(rule, after),
    )


def _odds(rule: Guideline, sides: Mapping[str, Side]) -> dict[tuple[float, ...], float]:
    if not {rule.region, *rule.parts} <= sides.keys():
        return {}
    if len({each.pool.parameters for each in sides.values()}) > 1:
        return {}
    measured = {
        name: Repeated(each.pool.settings, each.pool.values)
        for name, each in sides.items()
    }
    return violation_odds(rule, measured, sides[rule.region].noise)


def _ratio(rule: Guideline, sides: Mapping[str, Side]) -> Bounds | None:
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

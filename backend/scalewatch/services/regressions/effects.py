"""Effects of changes at the target scale, and on the verdict.

Both segments are modelled from the locations of all their commits, so that the
scatter between commits is their noise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from scalewatch.modelling import Finding, Forecast, Growth, Verdict
from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.modelling.histories.explanation import ShiftKind
from scalewatch.services.analysis.pools import SeriesPool
from scalewatch.services.analysis.questions import SeriesQuestion, find_all
from scalewatch.services.commits.lineage import Lineage
from scalewatch.services.common_mode.project_history import ProjectHistory
from scalewatch.services.expectations.in_force import Expectation
from scalewatch.services.regressions.changes import HistoryChange

FARTHER: Final = 16.0
"""The target over the largest setting, where nobody named a target."""

MOST_COMMITS: Final = 60
"""Commits of a segment that its model is of."""


@dataclass(frozen=True, slots=True)
class TargetEffect:
    """The effect of a change at the target scale, and on the verdict.

    Parameters
    ----------
    target, at_target
        The scale, and after over before there; None where nothing can tell.
    growth_before, growth_after, verdict_before, verdict_after
        Of the segments; None where they cannot be told.
    expectation, expectation_version
        The growth that the verdicts are about.
    """

    target: Mapping[str, float]
    at_target: Bounds | None
    growth_before: str | None
    growth_after: str | None
    verdict_before: Verdict | None
    verdict_after: Verdict | None
    expectation: str | None
    expectation_version: int | None


PostedCounts = Mapping[tuple[int, int], SeriesPool]
"""Counts as they were posted, by commit and series."""


def effects(
    history: ProjectHistory, changes: Sequence[HistoryChange], posted: PostedCounts
) -> list[TargetEffect]:
    """Return for each change its effect at the target scale, and both verdicts.

    Parameters
    ----------
    posted
        Counts at the commits of `beside`.
    """
    expectations = [
        history.expectations.get((each.history.region, each.history.series.metric))
        for each in changes
    ]
    targets = [_target(each, history.targets) for each in changes]
    questions = [
        SeriesQuestion.of(
            pool,
            expectation,
            targets=[target],
            exact=change.history.series.is_exact or None,
        )
        for change, expectation, target in zip(
            changes, expectations, targets, strict=True
        )
        for pool in _pools(history.line, change, posted)
    ]
    findings = find_all(questions, {"rule": "evidence"})
    return [
        _effect(*parts)
        for parts in zip(
            changes, findings[::2], findings[1::2], targets, expectations, strict=True
        )
    ]


def beside(line: Lineage, change: HistoryChange) -> tuple[int, int]:
    """Return the commits before and at a change of counts, by their ids.

    Locations are rounded, and a formula needs each digit: counts are read as they were
    posted, at the commits on both sides of the change.
    """
    segments, positions = change.shift.segments, change.history.positions
    before, at = positions[segments.first - 1], positions[segments.last]
    return line.commits[before].id, line.commits[at].id


def told_exactly(change: HistoryChange, effect: TargetEffect) -> HistoryChange:
    """Return a change of counts with the kind that follows from both growths.

    One factor at all settings is a level whatever the growths are, and the ratios
    decide where a growth is not known.
    """
    before, after = effect.growth_before, effect.growth_after
    if change.shift.kind is ShiftKind.LEVEL or before is None or after is None:
        return change
    kind = ShiftKind.GROWTH if before != after else ShiftKind.COEFFICIENT
    probability = {each: float(each is kind) for each in ShiftKind}
    shift = replace(change.shift, kind=kind, probability=probability)
    return replace(change, shift=shift)


def ratio_of(before: Finding, after: Finding) -> Bounds | None:
    """Return after over before at the first target, with an interval from both."""
    if not before.forecasts or not after.forecasts:
        return None
    old, new = bounds_of(before.forecasts[0]), bounds_of(after.forecasts[0])
    return None if old is None or new is None else new.over(old)


def bounds_of(forecast: Forecast) -> Bounds | None:
    """Return a forecast as bounds, if it has any."""
    if forecast.low is None or forecast.high is None:
        return None
    if not 0 < forecast.low <= forecast.high < np.inf or not forecast.value > 0:
        return None
    return Bounds(forecast.value, forecast.low, forecast.high)


def _pools(
    line: Lineage, change: HistoryChange, posted: PostedCounts
) -> tuple[SeriesPool, SeriesPool]:
    """Return the measurements before and after a change."""
    segments = change.shift.segments
    most = min(segments.before_commits, MOST_COMMITS)
    before = slice(max(0, segments.first - most), max(segments.first, 1))
    end = segments.last + max(segments.after_commits, 1)
    after = slice(segments.last, min(end, segments.last + MOST_COMMITS))
    pools = change.history.pool(before), change.history.pool(after)
    if not change.history.series.is_exact:
        return pools
    first, last = (
        posted.get((commit_id, change.history.series.id), located)
        for commit_id, located in zip(beside(line, change), pools, strict=True)
    )
    return first, last


def _target(change: HistoryChange, targets: Mapping[str, float]) -> dict[str, float]:
    largest = np.array(change.history.settings).max(axis=0).tolist()
    return {
        name: float(targets.get(name, FARTHER * most))
        for name, most in zip(change.history.parameters, largest, strict=True)
    }


def _effect(
    change: HistoryChange,
    before: Finding,
    after: Finding,
    target: Mapping[str, float],
    expectation: Expectation | None,
) -> TargetEffect:
    shift, is_exact = change.shift, change.history.series.is_exact
    return TargetEffect(
        target=target,
        # A level, without nights, is the same at all scales: both sides were measured
        # on nights that the models of them cannot know.
        at_target=Bounds(shift.factor, shift.low, shift.high)
        if not is_exact and shift.kind in {ShiftKind.LEVEL, ShiftKind.MODES}
        else ratio_of(before, after),
        growth_before=_growth(shift.growth_before, before, is_exact=is_exact),
        growth_after=_growth(shift.growth_after, after, is_exact=is_exact),
        verdict_before=before.verdict if before.expectation else None,
        verdict_after=after.verdict if after.expectation else None,
        expectation=str(expectation.growth) if expectation else None,
        expectation_version=expectation.version if expectation else None,
    )


def _growth(
    likeliest: Growth | None, finding: Finding, *, is_exact: bool
) -> str | None:
    """Return the growth of a segment: of counts by its own values alone."""
    growth = finding.told_growth
    if is_exact or finding.misfit:
        return None if growth is None else str(growth)
    return str(likeliest or growth or "") or None

"""What a change means: at the target scale, and for the verdict.

Both segments are modelled from the locations of all their commits, so that the
scatter between commits is their noise.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.modelling import Finding, Forecast, Growth, Verdict
from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.modelling.histories.explanation import Shift, ShiftKind
from scalewatch.services.analysis.pooling import SeriesPool
from scalewatch.services.analysis.pools import pools_of
from scalewatch.services.analysis.questions import SeriesQuestion, find_all
from scalewatch.services.commits.lineage import Lineage
from scalewatch.services.expectations.in_force import Expectation, Expectations
from scalewatch.services.regressions.changes import HistoryChange

FARTHER: Final = 16.0
"""The target, where nobody named one, is so many times the largest setting."""

MOST_COMMITS: Final = 60


@dataclass(frozen=True, slots=True)
class TargetEffect:
    """What a change does at the target scale, and for the verdict.

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


def effects(
    session: Session,
    line: Lineage,
    changes: Sequence[HistoryChange],
    expectations: Expectations,
    targets: Mapping[str, float],
) -> list[TargetEffect]:
    """Return for each change its effect at the target scale, and both verdicts.

    Parameters
    ----------
    line
        The commits of the histories.
    expectations
        Those in force.
    targets
        The target scale by parameter, where somebody named it.
    """
    questions = [
        SeriesQuestion.of(
            pool,
            _expectation(each, expectations),
            targets=[_target(each, targets)],
            exact=each.history.series.is_exact or None,
        )
        for each, pools in zip(changes, _pools(session, line, changes), strict=True)
        for pool in pools
    ]
    findings = find_all(questions, {"rule": "evidence"})
    return [
        _effect(
            each,
            before,
            after,
            _target(each, targets),
            _expectation(each, expectations),
        )
        for each, before, after in zip(
            changes, findings[::2], findings[1::2], strict=True
        )
    ]


def _pools(
    session: Session, line: Lineage, changes: Sequence[HistoryChange]
) -> list[list[SeriesPool]]:
    """Return what was measured before and after each change.

    Locations are rounded, and a formula needs each digit: counts are read as they were
    posted, at the commits on both sides of the change.
    """
    counted: dict[int, set[int]] = {}
    for change, commit_id in _beside(line, changes):
        counted.setdefault(commit_id, set()).add(change.history.series.id)
    posted = {
        (commit_id, series_id): pool
        for commit_id, series in counted.items()
        for series_id, pool in pools_of(session, commit_id, series).items()
    }
    exact = iter(
        posted.get((commit_id, change.history.series.id))
        for change, commit_id in _beside(line, changes)
    )
    return [
        [
            (next(exact) if change.history.series.is_exact else None)
            or change.history.pool(commits)
            for commits in _sides(change)
        ]
        for change in changes
    ]


def _beside(
    line: Lineage, changes: Sequence[HistoryChange]
) -> Iterator[tuple[HistoryChange, int]]:
    """Yield the commits before and at each change of counts, by their ids."""
    for change in changes:
        if change.history.series.is_exact:
            own = change.shift.segments
            for row in (own.first - 1, own.last):
                yield change, line.commits[change.history.positions[row]].id


def _sides(change: HistoryChange) -> tuple[slice, slice]:
    """Return the commits before and after, as rows of the history."""
    own = change.shift.segments
    of = min(own.before_commits, MOST_COMMITS)
    before = slice(max(0, own.first - of), max(own.first, 1))
    end = own.last + max(own.after_commits, 1)
    return before, slice(own.last, min(end, own.last + MOST_COMMITS))


def _expectation(
    change: HistoryChange, expectations: Expectations
) -> Expectation | None:
    return expectations.get((change.history.region, change.history.series.metric))


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
        at_target=_at_target(shift, before, after, is_exact=is_exact),
        growth_before=_growth(shift.growth_before, before, is_exact=is_exact),
        growth_after=_growth(shift.growth_after, after, is_exact=is_exact),
        verdict_before=before.verdict if before.expectation else None,
        verdict_after=after.verdict if after.expectation else None,
        expectation=str(expectation.growth) if expectation else None,
        expectation_version=expectation.version if expectation else None,
    )


def _at_target(
    shift: Shift, before: Finding, after: Finding, *, is_exact: bool
) -> Bounds | None:
    """Return after over before; levels, without nights, are the same everywhere.

    Both sides were measured on nights that the models of them cannot know.
    """
    if is_exact or shift.kind not in {ShiftKind.LEVEL, ShiftKind.MODES}:
        return ratio_of(before, after)
    return Bounds(shift.factor, shift.low, shift.high)


def _growth(likeliest: Growth | None, own: Finding, *, is_exact: bool) -> str | None:
    """Return the growth of a segment: of counts by its own values alone."""
    if is_exact:
        return str(own.growth) if own.growth is not None and not own.misfit else None
    return str(likeliest or own.growth or "") or None


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

"""Exact counts that changed without changing their growth.

No repetition, job or machine changes a count, so that one job of each commit tells it.
"""

from collections.abc import Collection, Mapping
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.modelling import Direction
from scalewatch.services.commit_reports.changes import ConstantChange, SeriesChange
from scalewatch.services.series.medians import Middles, middles_at
from scalewatch.storage.runs.measurements import series_by_id

WORK: Final = "count"
"""The metric of what functions are called and loops run."""

TIMES: Final = 2.0
"""From this factor on it is told as one."""


def exact_constants(
    session: Session,
    commits: tuple[int, int],
    changes: Mapping[int, tuple[SeriesChange, float]],
) -> dict[int, ConstantChange]:
    """Return how counts changed by more than a share at the largest common setting.

    Parameters
    ----------
    commits
        Ids of the baseline and of the commit.
    changes
        Of exact series that grow as before, with the share that matters, by series.
    """
    if not changes:
        return {}
    before, after = (middles_at(session, each, changes) for each in commits)
    is_cost = costs_among(session, changes)
    found = {}
    for key, (change, least) in changes.items():
        if key not in before or key not in after:
            continue
        factors = _factors(before[key], after[key])
        if not factors or 1 / (1 + least) <= factors[max(factors)] <= 1 + least:
            continue
        largest = factors[max(factors)]
        is_worse = (largest > 1) == is_cost[key]
        found[key] = ConstantChange(
            direction=Direction.WORSE if is_worse else Direction.BETTER,
            factor=largest,
            low=min(factors.values()),
            high=max(factors.values()),
            probability=1.0,
            is_throughout=min(factors.values()) == max(factors.values()),
            jobs=1,
            exactly=_sentence(change, largest),
        )
    return found


def costs_among(session: Session, series: Collection[int]) -> dict[int, bool]:
    """Tell of series, by id, whether less of each is better."""
    return {row.id: row.better == "lower" for row in series_by_id(session, series)}


def _factors(before: Middles, after: Middles) -> dict[float, float]:
    """Return how many times as much is counted as before, by common setting."""
    return {
        at: value / before.values[at]
        for at, value in after.values.items()
        if value > 0 and before.values.get(at, 0) > 0
    }


def _sentence(change: SeriesChange, factor: float) -> str:
    counted = "work" if change.metric == WORK else change.metric
    if factor >= TIMES:
        size = f"{factor:.3g} times the {counted}"
    elif factor > 1:
        size = f"{100 * (factor - 1):.2g} % more {counted}"
    else:
        size = f"{100 * (1 - factor):.2g} % less {counted}"
    is_told = change.after.growth is not None and not change.after.fit["misfit"]
    growth = " at the same growth" if is_told and change.after.formula else ""
    return f"{size}{growth}{f', {change.formulas}' if change.formulas else ''}"

"""Changes of how frequent two modes are, beside the changes of levels and growths."""

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np
from scipy.special import chdtrc

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.spreads import filled
from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.modelling.histories.explanation import TESTS, Shift, ShiftKind
from scalewatch.modelling.histories.histories import Histories, middle
from scalewatch.modelling.histories.modes import WINDOW, ShareChange, TwoModes
from scalewatch.modelling.histories.segments import Segments

STEP: Final = 4.0
"""Standard errors by which both modes move together, where a level changed."""

TILTED: Final = 0.99
"""Probability from which on a change is one over the settings, and no mode."""


def with_mode_shifts(
    histories: Histories, shifts: Iterable[Shift], found: Mapping[int, TwoModes]
) -> list[Shift]:
    """Return all changes by series and commit, but for jumps between two modes.

    Parameters
    ----------
    shifts
        Changes of levels and growths.
    found
        The series with two modes.
    """
    changes = [own.change for own in found.values() if own.change is not None]
    kept = [
        shift
        for shift in shifts
        if shift.segments.series not in found
        or not _is_jump(shift, found[shift.segments.series])
    ]
    kept += [_shift(histories, change) for change in changes]
    return sorted(kept, key=lambda each: (each.segments.series, each.segments.first))


def _is_jump(shift: Shift, own: TwoModes) -> bool:
    """Tell whether a change is explained by how modes came one after the other."""
    is_old = shift.segments.last < own.first
    is_tilted = max(shift.faster_probability, 1 - shift.faster_probability) > TILTED
    step = own.step(shift.segments.first, shift.segments.last)
    return not is_old and not is_tilted and abs(step) < STEP


def _shift(histories: Histories, change: ShareChange) -> Shift:
    length = int(histories.length[change.series])
    log = histories.log[change.series, max(0, length - WINDOW) : length]
    centre = middle(log)
    beyond = filled(log - centre)
    tau = change.commit - max(0, length - WINDOW)
    before, after = beyond[:tau], beyond[tau:]
    size, error = _level(before, after)
    factor = Bounds.of_logarithm(size, error)
    return Shift(
        segments=_segments(change, centre, before, after),
        kind=ShiftKind.MODES,
        probability={kind: float(kind is ShiftKind.MODES) for kind in ShiftKind},
        growth_before=None,
        growth_after=None,
        factor=factor.value,
        low=factor.low,
        high=factor.high,
        largest_factor=factor.value,
        tilt=0.0,
        faster_probability=0.5,
        p_value=min(1.0, TESTS * float(chdtrc(1, change.statistic))),
        shares=(change.before, change.after),
    )


def _level(before: Reals, after: Reals) -> tuple[float, float]:
    """Return by how much the mean level moved, and the standard error of that."""
    levels = [side.mean(axis=1) for side in (before, after)]
    error = np.sqrt(sum(level.var(ddof=1) / len(level) for level in levels))
    return float(levels[1].mean() - levels[0].mean()), float(error)


def _segments(
    change: ShareChange, centre: Reals, before: Reals, after: Reals
) -> Segments:
    sides = (before, after)
    levels = np.concatenate([side.mean(axis=1) - side.mean() for side in sides])
    apart = np.concatenate([side - side.mean(axis=0) for side in sides])
    return Segments(
        series=change.series,
        at=change.at,
        first=change.first,
        last=change.last,
        statistic=change.statistic,
        is_gradual=False,
        before=centre + before.mean(axis=0),
        after=centre + after.mean(axis=0),
        before_commits=len(before),
        after_commits=len(after),
        variance=float((apart - apart.mean(axis=1, keepdims=True)).var()),
        common=float(levels.var()),
    )

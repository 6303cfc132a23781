"""What a change of exact counts is: told by both growths, and by no noise."""

from dataclasses import replace
from typing import Final

import numpy as np

from scalewatch.modelling.histories.explanation import ShiftKind
from scalewatch.services.regressions.effects import TargetEffect
from scalewatch.services.regressions.nights import HistoryChange

SAME: Final = 1e-8
"""Ratios that differ by less are one ratio: locations are rounded."""


def told_exactly(change: HistoryChange, effect: TargetEffect) -> HistoryChange:
    """Return a change of counts with the kind that both growths make it.

    Where a growth is not known, what the likelihoods say stays, unless all settings
    changed by one factor.
    """
    shift = change.shift
    kind = _by_growths(effect) or shift.kind
    if np.ptp(shift.segments.difference) <= SAME:
        kind = ShiftKind.LEVEL
    return replace(
        change,
        shift=replace(
            shift,
            kind=kind,
            probability={each: float(each is kind) for each in ShiftKind},
            low=shift.factor,
            high=shift.factor,
        ),
    )


def _by_growths(effect: TargetEffect) -> ShiftKind | None:
    before, after = effect.growth_before, effect.growth_after
    if before is None or after is None:
        return None
    return ShiftKind.GROWTH if before != after else ShiftKind.COEFFICIENT

"""What a change of exact counts is: told by both growths, and by no noise."""

from dataclasses import replace

from scalewatch.modelling.histories.explanation import ShiftKind
from scalewatch.services.regressions.changes import HistoryChange
from scalewatch.services.regressions.effects import TargetEffect


def told_exactly(change: HistoryChange, effect: TargetEffect) -> HistoryChange:
    """Return a change of counts with the kind that both growths make it.

    One factor at all settings is a level whatever the growths are, and what the ratios
    say stays where a growth is not known.
    """
    before, after = effect.growth_before, effect.growth_after
    if change.shift.kind is ShiftKind.LEVEL or before is None or after is None:
        return change
    kind = ShiftKind.GROWTH if before != after else ShiftKind.COEFFICIENT
    probability = {each: float(each is kind) for each in ShiftKind}
    shift = replace(change.shift, kind=kind, probability=probability)
    return replace(change, shift=shift)

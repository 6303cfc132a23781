"""Constants that differ from the nights before by more than nights do."""

from collections.abc import Mapping

from scalewatch.modelling import Direction
from scalewatch.services.commit_reports.changes import ConstantChange
from scalewatch.services.common_mode.newest_commit import NewestNights


def night_constants(
    nights: NewestNights, least: Mapping[int, float]
) -> dict[int, ConstantChange]:
    """Return how constants changed by what nights tell.

    Parameters
    ----------
    least
        The share that matters, by series.
    """
    return {
        key: ConstantChange(
            direction=Direction.WORSE if move.is_worse else Direction.BETTER,
            factor=move.factor.value,
            low=move.factor.low,
            high=move.factor.high,
            probability=None,
            is_throughout=False,
            jobs=move.jobs,
            nights=move.nights,
        )
        for key, share in least.items()
        if (move := nights.outstanding.get(key)) is not None
        and not 1 / (1 + share) <= move.factor.value <= 1 + share
    }

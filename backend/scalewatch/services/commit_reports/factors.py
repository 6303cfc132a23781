"""From where on a change between two versions is sure, for servers and for files."""

from typing import Final

from scalewatch.modelling import Comparison, Direction, VersionChange
from scalewatch.services.analysis.versions import Compared

SURE: Final = 0.9
"""Probability from which something is said to have changed."""

LEAST_CONSTANT: Final = 0.05
"""By so much jobs may differ as a whole, which their repetitions do not show."""

FALSE: Final = 0.05
"""Probability that any series of a report is called worse, or better, for no reason."""


def level_of(series: int) -> float:
    """Return how surely an interval of each holds if those of all series hold."""
    return 1 - 2 * FALSE / series


def direction_of(
    compared: Compared, least: float, *, is_cost: bool
) -> Direction | None:
    """Tell whether a series surely became worse or better by more than a share.

    Parameters
    ----------
    is_cost
        Whether less of it is better.
    """
    if not isinstance(compared, Comparison):
        return None
    if 1 - compared.probability[VersionChange.NONE] < SURE:
        return None
    if compared.low > 1 + least:
        return Direction.WORSE if is_cost else Direction.BETTER
    if compared.high < 1 / (1 + least):
        return Direction.BETTER if is_cost else Direction.WORSE
    return None

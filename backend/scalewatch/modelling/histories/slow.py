"""Slow drifts: series that become slower over months, by no commit that one could name.

Each commit adds less than noise hides, and together they cost more than many a step.
The commits of a history, the steps told in it taken out, are divided into `BLOCKS`
parts; medians of these that rise nearly all the way are a drift, of Kendall's rank
correlation with time, which asks for no shape. Its rate is the median of the slopes
between all pairs of parts.

References
----------
M. Kendall, "A new measure of rank correlation", Biometrika 30, 1938.
P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau", JASA 63,
1968.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.scan import LEAST_EFFECT, SPREADS
from scalewatch.modelling.common_mode.spreads import NORMAL

BLOCKS: Final = 12
"""Parts of a history."""

LEAST_COMMITS: Final = 8 * BLOCKS
LEAST_DAYS: Final = 60.0
YEAR: Final = 365.25

CONCORDANT: Final = 0.85
"""Least rank correlation of the parts with time: of parts without a drift, one in
100,000 has it."""


@dataclass(frozen=True, slots=True)
class SlowDrift:
    """A drift of a history.

    Parameters
    ----------
    total
        Logarithm of the level at its end over that at its beginning.
    per_year
        The same in a year.
    """

    total: float
    per_year: float


def slow_drift(
    log: Reals, days: Reals, steps: Sequence[tuple[int, float]] = ()
) -> SlowDrift | None:
    """Return the drift of a history, None if it has none.

    Parameters
    ----------
    log, days
        Logarithm of the level of each commit, and when it was made, shape (T,).
    steps
        Changes that are told, with the commit that made each and its logarithm; they
        are no drift.
    """
    level = log.copy()
    for at, size in steps:
        level[at:] -= size
    known = ~np.isnan(level)
    level, moments = level[known], days[known]
    if len(level) < LEAST_COMMITS or np.ptp(moments) < LEAST_DAYS:
        return None
    middles = np.array([np.median(part) for part in np.array_split(level, BLOCKS)])
    when = np.array([part.mean() for part in np.array_split(moments, BLOCKS)])
    pairs = [*combinations(range(BLOCKS), 2)]
    rises = np.array([middles[late] - middles[early] for early, late in pairs])
    spans = np.array([max(when[late] - when[early], 1e-9) for early, late in pairs])
    slope = float(np.median(rises / spans))
    total = slope * float(when[-1] - when[0])
    spread = NORMAL * float(np.median(np.abs(np.diff(level)))) / np.sqrt(2)
    if abs(np.sign(rises).mean()) < CONCORDANT:
        return None
    if abs(total) < max(LEAST_EFFECT, SPREADS * spread):
        return None
    return SlowDrift(total, slope * YEAR)

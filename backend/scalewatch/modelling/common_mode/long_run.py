"""How far means of many commits scatter where the nights are correlated.

With C the correlation of n + m commits in a row, and w = (-1/n, …, 1/m, …), the mean of
the last m less that of the first n has the variance w'Cw: of what wanders, commits
nearby say the same, so that many of them tell less than as many independent ones.

References
----------
J. Beran, *Statistics for Long-Memory Processes*, 1994, section 1.1 (variance of means).
"""

from functools import lru_cache
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.machine import Learned

KEPT: Final = 4_096


def difference_covariance(
    learned: Learned, series: int, before: int, after: int
) -> Reals:
    """Return the covariance of what level and tilts differ by, shape (k, k).

    Parameters
    ----------
    learned
        Of the machine of the series.
    series
        Its number there.
    before, after
        Commits in a row whose means are compared.
    """
    white = [
        of.variance * scale * _difference(of.phi, of.share, before, after)
        for of, scale in zip(learned.correlations, learned.scale[series], strict=True)
    ]
    return np.asarray(learned.colouring * white @ learned.colouring.T)


@lru_cache(KEPT)
def _difference(phi: float, share: float, before: int, after: int) -> float:
    """Return w'Cw for commits of variance 1."""
    weight = np.concatenate([np.full(before, -1 / before), np.full(after, 1 / after)])
    place = np.arange(before + after)
    wandering = phi ** np.abs(place[:, np.newaxis] - place)
    return float(share * weight @ wandering @ weight + (1 - share) * weight @ weight)

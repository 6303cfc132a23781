"""Probabilities corrected for the number of comparisons that were made.

References
----------
S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian
Journal of Statistics 6, 1979. Y. Benjamini and Y. Hochberg, "Controlling the False
Discovery Rate", Journal of the Royal Statistical Society B 57, 1995.
"""

from enum import StrEnum

import numpy as np

from scalewatch.modelling.arrays import Reals


class Correction(StrEnum):
    """Error rate kept below the level when many comparisons are made."""

    HOLM = "holm"  # the probability of one false alarm or more, however they depend
    BENJAMINI_HOCHBERG = "benjamini-hochberg"  # the share of false ones among alarms


def corrected(p_values: Reals, correction: Correction) -> Reals:
    """Return adjusted p-values: below a level, they are significant at that level.

    Parameters
    ----------
    p_values
        Of all comparisons, shape (m,).
    correction
        How.
    """
    order = np.argsort(p_values, kind="stable")
    rising = p_values[order]
    rank = np.arange(1, rising.size + 1)
    adjusted = np.empty(rising.size)
    if correction is Correction.HOLM:
        adjusted[order] = np.maximum.accumulate(rising * (rising.size - rank + 1))
    else:
        falling = (rising * (rising.size / rank))[::-1]
        adjusted[order] = np.minimum.accumulate(falling)[::-1]
    return np.minimum(adjusted, 1.0)

"""How clear a step has to be on a machine, learned from its histories without changes.

The largest statistics of stretches of `STRETCH` commits tell how far the noise of a
machine is from the one that is assumed: nine of ten are below `USUAL` where it is as
assumed, and higher where nights wander on several time scales, or noise grows. Both
numbers come from simulated machines of ten kinds of noise.
"""

from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals

TARGET: Final = 0.04
"""Share of histories of 200 commits without a change that may alarm, at most."""

LEAST: Final = 16.0
"""Threshold for that target where the noise is as assumed."""

ONE_LOOK: Final = 1.5
"""By so much less has the newest commit to differ, which is looked at once."""

STRETCH: Final = 20
QUANTILE: Final = 0.9
USUAL: Final = 9.3
BEFORE: Final = 10.2
"""That quantile where nothing is known; weighs as much as `PRIOR` stretches."""

PRIOR: Final = 40
RISE: Final = 2.2
"""By how much a threshold rises with the quantile."""


def threshold(statistic: Reals, target: float) -> float:
    """Return what fewer than `target` of the histories of a machine exceed by chance.

    Parameters
    ----------
    statistic
        Of steps, of each series at each commit so far, shape (S, t); NaN where a change
        was noticed.
    """
    begin = STRETCH + statistic.shape[1] % STRETCH
    largest = statistic[:, begin:].reshape(-1, STRETCH).max(axis=1)
    known = largest[~np.isnan(largest)]
    own = float(np.quantile(known, QUANTILE)) if known.size else BEFORE
    quantile = (known.size * own + PRIOR * BEFORE) / (known.size + PRIOR)
    least = LEAST + RISE * max(quantile - USUAL, 0.0)
    return float(least + 2 * np.log(TARGET / target))

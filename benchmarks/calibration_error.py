"""How far stated probabilities are from how often they come true.

The expected calibration error is the mean distance of stated probability and frequency
over ten equal bins, each by its share of the statements. Being a distance it is never
zero: `chance_error` is what perfect probabilities show in as many statements.

References
----------
M. P. Naeini et al., "Obtaining Well Calibrated Probabilities Using Bayesian Binning",
AAAI 2015.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

BINS: Final = 10
REDRAWS: Final = 200
SEED: Final = 20261126


def calibration_error(
    probability: Sequence[float] | Reals, is_true: Sequence[bool] | NDArray[np.bool_]
) -> float:
    """Return the mean distance of probability and frequency over equal bins."""
    stated, came_true = np.asarray(probability), np.asarray(is_true)
    bins = np.minimum((BINS * stated).astype(int), BINS - 1)
    distance = np.abs(
        np.bincount(bins, stated, BINS)
        - np.bincount(bins, came_true.astype(float), BINS)
    )
    return float(distance.sum() / len(stated))


def chance_error(probability: Reals) -> float:
    """Return the calibration error that perfect probabilities show on average.

    Outcomes are redrawn `REDRAWS` times, each true with its probability, shape (S,).
    """
    rng = np.random.default_rng(SEED)
    errors = [
        calibration_error(probability, rng.random(len(probability)) < probability)
        for _ in range(REDRAWS)
    ]
    return float(np.mean(errors))

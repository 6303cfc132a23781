"""A factor by which the series of two versions changed alike.

One run of each version cannot tell a commit from what the machine did that day: a busy
network, a lower clock or another compiler moves all regions by one factor. Each region
follows it by a loading of its own, exp N(0, `LOADING_SPREAD`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.common_mode.common_mode import LOADING_SPREAD
from scalewatch.modelling.forecasts.bounds import Bounds


@dataclass(frozen=True, slots=True, eq=False)
class SharedFactor:
    """A factor that most series have in common.

    Parameters
    ----------
    factor
        Median of the series that follow it.
    follows
        Whether each of the series does, shape (S,).
    """

    factor: float
    follows: NDArray[np.bool_]


def shared_factor(factors: Sequence[Bounds], compared: int) -> SharedFactor | None:
    """Return the factor by which most series changed; None where they do not.

    Parameters
    ----------
    factors
        Of the series that changed, after over before.
    compared
        Number of series that both versions measured, unchanged ones among them.
    """
    least = max(ASSUMED.least_regions, ASSUMED.all_regions * compared)
    if len(factors) < least:
        return None
    low, size, high = np.log([(of.low, of.value, of.high) for of in factors]).T
    common = float(np.median(size))
    margin = np.maximum((high - low) / 2, LOADING_SPREAD * abs(common))
    follows = (np.abs(size - common) <= margin) & (size * common > 0)
    if np.count_nonzero(follows) < least:
        return None
    return SharedFactor(float(np.exp(np.median(size[follows]))), follows)

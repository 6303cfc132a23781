"""Forecasts of many series as one array, those that were not told among them."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from scalewatch.modelling import Finding
from scalewatch.modelling.arrays import Reals

NOTHING: Final = (np.nan,) * 3


def forecast_bounds(
    findings: Sequence[Finding], targets: Sequence[Mapping[str, float] | float]
) -> Reals:
    """Return value, low and high at each target, shape (S, T, 3), NaN for none.

    Parameters
    ----------
    targets
        Settings of all parameters, or of the one there is.
    """
    places = [
        tuple(each.values()) if isinstance(each, Mapping) else (float(each),)
        for each in targets
    ]
    found = [
        {
            tuple(each.at.values()): (each.value, each.low, each.high)
            for each in f.forecasts
        }
        for f in findings
    ]
    told = [[each.get(place, NOTHING) for place in places] for each in found]
    return np.array(told, dtype=np.float64)

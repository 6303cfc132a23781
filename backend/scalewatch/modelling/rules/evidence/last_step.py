"""Where a curve goes at its last settings, whatever its growth is.

A verdict speaks of the growth, its reader of the curve, growth times e^D. Where D
explains that a curve bends away from its expectation, the growth may match while the
curve does not. The local exponent d log y / d log x tells: between settings it is the
slope of the logarithms, and at the largest it lies between the last slope, the mean of
the last two, and the last one going on as it changed, within `REACH` standard
deviations of what scatters between measurements.

So a match with what falls is stated only where these bounds allow the exponent that is
expected. A constant beside what grows hides it, so that there they have to allow the
last step of the model; beside what falls it is what remains, as in Amdahl's law.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.misfit.misfit import local_exponent

REACH: Final = 2.0
"""Standard deviations."""

LAST: Final = 3
"""Settings that bound an exponent."""


def last_exponents(
    settings: Mapping[str, Reals], location: Location, variance: Reals
) -> Reals | None:
    """Return bounds of the exponent at the last settings, low and high, shape (S, 2).

    Parameters
    ----------
    settings
        Of one parameter, positive and rising, shape (n,); of others there is none.
    location
        Of S series; bounds are infinite where one of the last settings is missing.
    variance
        Of a measurement about its curve, shape (S,).
    """
    (x, *others) = settings.values()
    if others or x[0] <= 0 or len(x) < LAST:
        return None
    steps = np.diff(np.log(x[-LAST:]))
    before, after = np.diff(location.log[-LAST:], axis=0) / steps[:, np.newaxis]
    reach = REACH * np.sqrt(2 * variance) / steps[-1]
    ends = np.stack([after, (before + after) / 2, 2 * after - before], axis=1)
    bounds = np.stack([ends.min(axis=1) - reach, ends.max(axis=1) + reach], axis=1)
    bounds[(location.weight[-LAST:] == 0).any(axis=0)] = -np.inf, np.inf
    return bounds


def allows_match(
    bounds: tuple[float, float], expectation: Growth, between: tuple[float, float]
) -> bool:
    """Tell whether exponents at the last settings allow that an expectation is met."""
    low, high = bounds
    expected = local_exponent(expectation, between)
    return expected >= 0 or low <= expected <= high

"""Where a curve goes at its last settings, whatever its growth is.

A verdict speaks of the growth, its reader of the curve, growth times e^D. Where D
explains that a curve bends away from its expectation, the growth may match while the
curve does not. The local exponent d log y / d log x tells: between settings, each at
least twice as large as the one before where the range allows it, it is the slope of the
logarithms, and at the largest it lies between the last slope, the mean of the last two,
and the last one going on as it changed, within `exponent_reach` standard deviations of
what scatters between measurements.

So a match with what falls is stated only where these bounds allow the exponent that is
expected. A constant beside what grows hides it, so that there they have to allow the
last step of the model; beside what falls it is what remains, as in Amdahl's law.

Where they lie beyond the tolerance altogether, on the other hand, a growth that
would be acceptable has a curve that is not, so that a mismatch may leave `doubt` times
the usual doubt.
"""

from collections.abc import Mapping

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.misfit import local_exponent
from scalewatch.modelling.rules.evidence.assumptions import ASSUMED
from scalewatch.modelling.rules.rule import Sample


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
    if others or x[0] <= 0 or len(x) < ASSUMED.last_settings:
        return None
    last = last_settings(x)
    steps = np.diff(np.log(x[last]))
    before, after = np.diff(location.log[last], axis=0) / steps[:, np.newaxis]
    reach = ASSUMED.exponent_reach * np.sqrt(2 * variance) / steps[-1]
    ends = np.stack([after, (before + after) / 2, 2 * after - before], axis=1)
    bounds = np.stack([ends.min(axis=1) - reach, ends.max(axis=1) + reach], axis=1)
    bounds[(location.weight[last] == 0).any(axis=0)] = -np.inf, np.inf
    return bounds


def last_settings(x: Reals) -> list[int]:
    """Return the places of the settings, positive and rising, that bound an exponent.

    Of a range of less than two steps they are half of it apart.
    """
    log = np.log(x)
    step = min(np.log(ASSUMED.step), np.ptp(log) / 2) * (1 - ASSUMED.rounding)
    end = len(x) - 1
    middle = max(int(np.searchsorted(log, log[end] - step, side="right")) - 1, 1)
    start = max(int(np.searchsorted(log, log[middle] - step, side="right")) - 1, 0)
    return [start, middle, end]


def allows_match(
    bounds: tuple[float, float], expectation: Growth, between: tuple[float, float]
) -> bool:
    """Tell whether exponents at the last settings allow that an expectation is met."""
    low, high = bounds
    expected = local_exponent(expectation, between)
    return expected >= 0 or low <= expected <= high


def level_of_mismatch(exponents: Reals | None, sample: Sample) -> Reals:
    """Return the probability at which a mismatch is settled, shape (S,) or ().

    Parameters
    ----------
    exponents
        Bounds at the last settings, shape (S, 2); None where there are none.
    sample
        Its level, expectation and deviation limit.
    """
    level = sample.level
    if exponents is None or not sample.expectation or not sample.deviation_limit:
        return np.asarray(level)
    (x,) = sample.settings.values()
    _, start, end = x[last_settings(x)].tolist()
    lowest, highest = (
        local_exponent(growth, (start, end))
        for growth in (
            sample.expectation / sample.deviation_limit,
            sample.expectation * sample.deviation_limit,
        )
    )
    low, high = exponents.T
    is_beyond = (high < lowest) | (low > highest)
    return np.where(is_beyond, max(1 - ASSUMED.doubt * (1 - level), 1 - level), level)

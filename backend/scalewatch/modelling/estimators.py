"""Locations by a summary of the user's or the batch's choice, with their variance.

That of the least of R repetitions follows from the gap to the next: for exponential
and for uniform noise it is (R - 1)/2R times the mean square of the gap within 10 %.
The square of an exponential number varies by √5 times its mean, that of a normal one by
√2, so n gaps tell a variance as 2n/5 degrees of freedom do.
That of another quantile is taken from the robust location.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.location import FLOOR, Location, locate, locate_mean
from scalewatch.modelling.noise import Noise
from scalewatch.modelling.rows import total
from scalewatch.modelling.summary import Summary, summarise

Reals = NDArray[np.float64]

FREEDOM = 0.4
"""Degrees of freedom that a gap tells: squares of exponential numbers scatter much."""


def located(values: Reals, noise: Noise) -> Location:
    """Return the location of each measurement and its variance.

    Parameters
    ----------
    values
        Repetitions, shape (S, n, R), positive; NaN where one is missing.
    noise
        Says how repetitions become one value.
    """
    location = _located(values, noise.summary)
    if noise.level is None:
        return location
    weight, mass = location.weight, total(location.weight)
    other = _located(values, noise.level)
    shift = total(weight * (other.log - location.log)) / mass
    return replace(
        location,
        log=np.where(weight > 0, location.log + shift, 0.0),
        level_variance=other.variance / mass,
    )


def _located(values: Reals, summary: Summary) -> Location:
    if summary == "mean":
        return locate_mean(values)
    location = locate(values)
    if summary == "robust":
        return location
    logs = np.log(summarise(values, summary)).T
    if summary == "min" and values.shape[2] > 1:
        variance, freedom = _variance_of_least(values)
        return replace(location, log=logs, variance=variance, freedom=freedom)
    return replace(location, log=logs)


def _variance_of_least(values: Reals) -> tuple[Reals, Reals]:
    """Return the variance of the logarithm of the least repetition, and its freedom."""
    least, next_least = np.log(np.partition(values, 1, axis=2)[..., :2]).T
    gap = np.nan_to_num(next_least - least)
    count = np.maximum((~np.isnan(values)).sum(axis=2).T, 1)
    squares = total(gap**2 * (count - 1) / (2 * count))
    points = np.maximum((count > 1).sum(axis=0), 1)
    variance: Reals = squares / points + FLOOR**2
    return variance, np.maximum(points * FREEDOM, 1.0)

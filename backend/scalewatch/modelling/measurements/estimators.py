"""Locations by a summary of the user's or the batch's choice, with their variance.

That of the least of R repetitions follows from the gap to the next: for exponential
and for uniform noise it is (R - 1)/2R times the mean square of the gap within 10 %.
The square of an exponential number varies by √5 times its mean, that of a normal one by
√2, so n gaps tell a variance as 2n/5 degrees of freedom do.
That of another quantile is taken from the robust location.

Few repetitions tell a variance badly. Where many series have told what is typical, it
counts like further degrees of freedom.

References
----------
G. K. Smyth, "Linear Models and Empirical Bayes Methods for Assessing Differential
Expression in Microarray Experiments", Statistical Applications in Genetics and
Molecular Biology 3, 2004, sections 4 and 6.2 (moderated variances).
"""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, polygamma

from scalewatch.modelling.arrays import Reals, total
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.location import (
    FLOOR,
    Location,
    locate,
    locate_mean,
)
from scalewatch.modelling.measurements.summary import Summary, summarise

FREEDOM = 0.4
"""Degrees of freedom that a gap tells: squares of exponential numbers scatter much."""

LEAST_TYPICAL, MOST_TYPICAL = 0.1, 20.0
"""Bounds of the degrees of freedom of a typical variance; single precision has no room
for more."""

TAILED = 5.0
"""The most of them for the least repetition: it lies as far out as an exponential
number, whose kurtosis Student's t has with five degrees of freedom."""

HALVINGS = 20

MEASURED = 2.0
"""Degrees of freedom that a variance has which repetitions have shown."""

LEAST_MEASURED = 10
"""Fewer such series have nothing typical."""


def located(values: Reals, noise: Noise) -> Location:
    """Return the location of each measurement and its variance.

    Parameters
    ----------
    values
        Repetitions, shape (S, n, R), positive; NaN where one is missing.
    noise
        Says how repetitions become one value.
    """
    location = _moderated(values, noise.summary, noise.typical)
    if noise.level is None:
        return location
    weight, mass = location.weight, total(location.weight)
    other = _moderated(values, noise.level, noise.level_typical)
    shift = total(weight * (other.log - location.log)) / mass
    return replace(
        location,
        log=np.where(weight > 0, location.log + shift, 0.0),
        level_variance=other.variance / mass,
    )


def typical_variance(values: Reals, summary: Summary) -> tuple[float, float]:
    """Return what variances of one repetition have in common, and how surely.

    With s² of ν degrees of freedom per series, log s² scatters by ψ'(ν/2). What it
    scatters beyond tells the degrees of freedom of the typical variance: few where the
    noise of each series is its own.

    Parameters
    ----------
    values
        Repetitions, shape (S, n, R), positive; NaN where one is missing.
    summary
        How repetitions become one value.
    """
    location = _located(values, summary)
    is_measured = location.freedom >= MEASURED
    if np.count_nonzero(is_measured) < LEAST_MEASURED:
        return 0.0, 0.0
    half = location.freedom[is_measured] / 2
    log = np.log(location.variance * _most_repetitions(values))[is_measured]
    log -= digamma(half) - np.log(half)
    beyond = float(log.var() - polygamma(1, half).mean())
    freedom = MOST_TYPICAL
    if beyond > polygamma(1, MOST_TYPICAL / 2):
        low, high = LEAST_TYPICAL, MOST_TYPICAL
        for _ in range(HALVINGS):
            freedom = math.sqrt(low * high)
            is_more = polygamma(1, freedom / 2) < beyond
            low, high = (low, freedom) if is_more else (freedom, high)
    middle = float(log.mean() + digamma(freedom / 2) - math.log(freedom / 2))
    return math.exp(middle), min(freedom, TAILED) if summary == "min" else freedom


def _moderated(
    values: Reals, summary: Summary, typical: tuple[float, float]
) -> Location:
    """Return locations whose variance is known from other series, too."""
    location = _located(values, summary)
    variance, freedom = typical
    if not freedom:
        return location
    usual = variance / _most_repetitions(values)
    whole = location.freedom + freedom
    both = (location.freedom * location.variance + freedom * usual) / whole
    return replace(location, variance=both, freedom=whole)


def _most_repetitions(values: Reals) -> NDArray[np.intp]:
    """Return the most repetitions of a point of each series, shape (S,)."""
    return np.asarray(np.count_nonzero(~np.isnan(values), axis=2).max(axis=1))


def _located(values: Reals, summary: Summary) -> Location:
    if summary == "mean":
        return locate_mean(values)
    location = locate(values)
    if summary == "robust":
        return location
    logs = np.log(summarise(values, summary)).T
    if summary == "min" and values.shape[2] > 1:
        least, next_least = np.log(np.partition(values, 1, axis=2)[..., :2]).T
        gap = np.nan_to_num(next_least - least)
        count = np.maximum((~np.isnan(values)).sum(axis=2).T, 1)
        squares = total(gap**2 * (count - 1) / (2 * count))
        points = np.maximum((count > 1).sum(axis=0), 1)
        return replace(
            location,
            log=logs,
            variance=squares / points + FLOOR**2,
            freedom=np.maximum(points * FREEDOM, 1.0),
        )
    return replace(location, log=logs)

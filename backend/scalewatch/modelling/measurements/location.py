"""Where the repetitions of a measurement lie, robustly, and how sure that is.

Noise on run times is multiplicative, skewed to the right and full of outliers, so a
location is taken of the logarithms. It is Tukey's bisquare M-estimate,

    m ← Σ w(u)·l / Σ w(u),   w(u) = (1 - u²)₊²,   u = (l - m) / (c·s),

with c = 6 and three steps from the first quartile. That start matters: from the
median, two slow repetitions out of five win. The scale s is one per series, the
median over its points of the interquartile range, divided by 1.349 - 1.7/R, which is
its expectation for normal noise. The variance of m is Huber's, pooled over the
points of the series,

    v = s² · Σ ψ(u)² / Σ (R - 1) / (mean ψ')² / R,   ψ(u) = c·u·w(u).

A measured variance has ν₀ = min(0.7 Σ(R - 1), 12) degrees of freedom. To it comes
`FLOOR`², the misfit that no repetition shows (rounding, timer resolution, a
deterministic counter), with one degree of freedom; the sum has those of Satterthwaite.
So repetitions that are all equal, or one alone, say little about the noise, and the
scatter of the points about the model decides.

All the choices were compared on generated noise, see benchmarks/README.md.

Users and batches may choose another summary. The first quartile is the choice of the
reference (section 3.3): it shifts the focus from the average case toward the best case
where noise is high; its variance is taken from the robust location. That of the least
of R repetitions follows from the gap to the next: for exponential and for uniform noise
it is (R - 1)/2R times the mean square of the gap within 10 %. The square of an
exponential number varies by √5 times its mean, that of a normal one by √2, so n gaps
tell a variance as 2n/5 degrees of freedom do.

Few repetitions tell a variance badly. Where many series have told what is typical, it
counts like further degrees of freedom.

References
----------
F. Mosteller and J. W. Tukey, "Data Analysis and Regression", 1977, chapter 10.
P. J. Huber, "Robust Statistics", 1981, section 6.5.
S. Shudler et al., "Exascaling Your Library: Will Your Implementation Meet Your
Expectations?", ICS 2015.
G. K. Smyth, "Linear Models and Empirical Bayes Methods for Assessing Differential
Expression in Microarray Experiments", Statistical Applications in Genetics and
Molecular Biology 3, 2004, sections 4 and 6.2 (moderated variances).
"""

import math
from dataclasses import dataclass, fields, replace
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, polygamma

from scalewatch.modelling.arrays import (
    Reals,
    quantile,
    ragged_quantile,
    sorted_rows,
    total,
)
from scalewatch.modelling.measurements.assumptions import ASSUMED, Noise, Summary

Counts = NDArray[np.intp]


FLOOR: Final = ASSUMED.floor


MOST_FREEDOM: Final = ASSUMED.most_freedom


@dataclass(frozen=True, slots=True)
class Location:
    """Locations of a batch of series; series last, because loops run over them.

    Parameters
    ----------
    log
        m, natural logarithm of the location, shape (n, S).
    weight
        Repetitions relative to the most of the series, shape (n, S); 0 where a point
        is missing, then `log` is 0.
    variance
        Of a `log` of weight 1, shape (S,).
    freedom
        Degrees of freedom of `variance`, ν₀, shape (S,).
    repeated_freedom
        Those which repetitions alone tell, 0 without any, shape (S,).
    level_variance
        What the mean of all `log` is uncertain by besides, shape (S,).
    """

    log: Reals
    weight: Reals
    variance: Reals
    freedom: Reals
    repeated_freedom: Reals
    level_variance: Reals

    def only(self, series: slice | NDArray[np.intp]) -> Self:
        """Return some of the series, which are the last axis of all arrays."""
        parts = {
            each.name: value[..., series]
            for each in fields(self)
            if isinstance(value := getattr(self, each.name), np.ndarray)
        }
        return replace(self, **parts)

    def over(self, log_base: Reals) -> "Location":
        """Return locations divided by a base whose logarithms are given, shape (n,)."""
        if not log_base.any():
            return self
        divided = self.log - log_base[:, np.newaxis]
        return replace(self, log=np.where(self.weight > 0, divided, 0.0))


def locate(values: Reals) -> Location:
    """Return the robust location of each measurement and its variance.

    What is found about a series does not depend on the series beside it.

    Parameters
    ----------
    values
        Repetitions, shape (S, n, R), positive; NaN where one is missing.
    """
    logs, count = _logarithms(values)
    is_complete = bool((count == len(logs)).all())
    start, scale = _start(logs) if is_complete else _ragged_start(logs, count)
    m = _bisquare(logs, start, scale)
    variance = _variance(logs, m, scale, count) / _most(count)
    return _location(m, variance, count)


def locate_mean(values: Reals) -> Location:
    """Return the arithmetic mean of each measurement and its variance."""
    logs, count = _logarithms(values)
    there = np.maximum(count, 1)
    is_there = logs < ASSUMED.absent
    centre = total(np.where(is_there, logs, 0.0)) / there
    squares = total(total(np.where(is_there, (logs - centre) ** 2, 0.0)))
    variance = squares / np.maximum(total(there - 1), 1) / _most(count)
    excess = total(np.exp(np.where(is_there, logs - centre, -ASSUMED.absent))) / there
    return _location(centre + np.log(np.maximum(excess, FLOOR)), variance, count)


def _location(log: Reals, variance: Reals, count: Counts) -> Location:
    """Return locations of a measured variance; freedom is that of Satterthwaite."""
    known = _repeated_freedom(count)
    whole = variance + FLOOR**2
    return Location(
        log=np.where(count > 0, log, 0.0),
        weight=count / _most(count),
        variance=whole,
        freedom=whole**2 / (variance**2 / np.maximum(known, 1.0) + FLOOR**4),
        repeated_freedom=known,
        level_variance=np.zeros_like(variance),
    )


def _logarithms(values: Reals) -> tuple[Reals, Counts]:
    """Return logarithms, (R, n, S), and how many of them there are, (n, S)."""
    logs = np.log(np.ascontiguousarray(values.transpose(2, 1, 0)))
    is_missing = np.isnan(logs)
    if not is_missing.any():
        return logs, np.full(logs.shape[1:], len(logs))
    logs[is_missing] = ASSUMED.absent
    return logs, len(logs) - np.count_nonzero(is_missing, axis=0)


def _most(count: Counts) -> Counts:
    """Return the most repetitions of a series, at least one."""
    most: Counts = np.maximum(count.max(axis=0), 1)
    return most


def _start(logs: Reals) -> tuple[Reals, Reals]:
    """Return the first quartile of each point, (n, S), and the scale, (S,)."""
    ordered = sorted_rows(list(logs))
    low = quantile(ordered, 0.25)
    spread = (quantile(ordered, 0.75) - low) / _normal_spread(len(logs))
    return low, np.maximum(quantile(sorted_rows(list(spread)), 0.5), FLOOR)


def _ragged_start(logs: Reals, count: Counts) -> tuple[Reals, Reals]:
    """Return the same where repetitions are missing."""
    ordered = sorted_rows(list(logs))
    there = np.maximum(count, 1)
    low = ragged_quantile(ordered, there, 0.25)
    spread = (ragged_quantile(ordered, there, 0.75) - low) / _normal_spread(there)
    is_repeated = count > 1
    points = np.maximum(is_repeated.sum(axis=0), 1)
    widest_last = sorted_rows(list(np.where(is_repeated, spread, ASSUMED.absent)))
    middle = ragged_quantile(widest_last[: int(points.max())], points, 0.5)
    return low, np.where(is_repeated.any(axis=0), np.maximum(middle, FLOOR), FLOOR)


def _normal_spread(repetitions: Counts | int) -> Reals:
    """Interquartile range to expect of standard normal repetitions."""
    return np.asarray(1.349 - 1.7 / np.maximum(repetitions, 2))


def _bisquare(logs: Reals, start: Reals, scale: Reals) -> Reals:
    """Improve the location of each point, (n, S)."""
    m, reach = start, 1 / (ASSUMED.location_reach * scale)
    u = np.empty_like(logs)
    for _ in range(ASSUMED.location_steps):
        np.subtract(logs, m, out=u)
        np.multiply(u, reach, out=u)
        weight = _kept(u)
        np.multiply(weight, weight, out=weight)
        everything = total(weight)
        np.multiply(weight, logs, out=weight)
        m = np.divide(total(weight), everything, out=m.copy(), where=everything > 0)
    return m


def _kept(u: Reals) -> Reals:
    """Return (1 - u²)₊, overwriting u."""
    np.multiply(u, u, out=u)
    np.subtract(1, u, out=u)
    return np.maximum(u, 0, out=u)


def _variance(logs: Reals, m: Reals, scale: Reals, count: Counts) -> Reals:
    """Return v·R."""
    u = logs - m
    u /= ASSUMED.location_reach * scale
    kept = _kept(u.copy())
    for factor in (kept, kept, u):
        u *= factor
    influence = total(total(u)) * ASSUMED.location_reach**2
    # ψ' = (1 - u²)(1 - 5u²) where a repetition is kept, and 1 - 5u² = 5(1 - u²) - 4.
    np.multiply(kept, 5, out=u)
    u -= 4
    u *= kept
    slope = total(total(u)) / total(count)
    freedom = np.maximum(total(count - 1), 1)
    variance: Reals = scale**2 * influence / freedom
    variance /= np.maximum(slope, ASSUMED.least_slope) ** 2
    return variance


def _repeated_freedom(count: Counts) -> Reals:
    """Return the degrees of freedom of a variance that repetitions tell."""
    return np.minimum(0.7 * total(np.maximum(count - 1, 0)), MOST_FREEDOM)


_QUANTILES: Final[dict[Summary, float]] = {"q1": 0.25, "median": 0.5, "min": 0.0}


def summarise(values: NDArray[np.float64], summary: Summary) -> NDArray[np.float64]:
    """Return one value per measurement.

    Parameters
    ----------
    values
        Repetitions along the last axis; NaN where one is missing, never all.
    summary
        `q1`, `median` or `min`, interpolated linearly between repetitions, `mean`, or
        `robust`, which is the median for a series with a value that is not positive.
    """
    if summary == "mean":
        return _mean(values)
    if summary == "robust":
        summarised = _quantile(values, 0.5)
        is_positive = np.fmin.reduce(values, axis=(1, 2)) > 0
        summarised[is_positive] = np.exp(locate(values[is_positive]).log.T)
        return summarised
    return _quantile(values, _QUANTILES[summary])


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    # Dividing first keeps a sum of values near the largest number finite. Repetitions
    # are few and measurements many: adding them up row by row is the fast way.
    mean = total(np.moveaxis(values / values.shape[-1], -1, 0))
    has_gaps = np.isnan(mean)
    if has_gaps.any():
        gappy = values[has_gaps]
        count = (~np.isnan(gappy)).sum(axis=-1, keepdims=True)
        mean[has_gaps] = np.nansum(gappy / count, axis=-1)
    return mean


def _quantile(values: NDArray[np.float64], q: float) -> NDArray[np.float64]:
    """Interpolate between order statistics; NaN sorts last."""
    ordered = np.moveaxis(np.sort(values, axis=-1), -1, 0)
    if not np.isnan(ordered[-1]).any():
        return quantile(list(ordered), q)
    return ragged_quantile(list(ordered), np.sum(~np.isnan(values), axis=-1), q)


MEASURED: Final = ASSUMED.measured


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
    if np.count_nonzero(is_measured) < ASSUMED.least_measured:
        return 0.0, 0.0
    half = location.freedom[is_measured] / 2
    log = np.log(location.variance * _most_repetitions(values))[is_measured]
    log -= digamma(half) - np.log(half)
    beyond = float(log.var() - polygamma(1, half).mean())
    freedom = ASSUMED.most_typical
    if beyond > polygamma(1, ASSUMED.most_typical / 2):
        low, high = ASSUMED.least_typical, ASSUMED.most_typical
        for _ in range(ASSUMED.halvings):
            freedom = math.sqrt(low * high)
            is_more = polygamma(1, freedom / 2) < beyond
            low, high = (low, freedom) if is_more else (freedom, high)
    middle = float(log.mean() + digamma(freedom / 2) - math.log(freedom / 2))
    return math.exp(middle), min(
        freedom, ASSUMED.most_tailed
    ) if summary == "min" else freedom


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
            freedom=np.maximum(points * ASSUMED.gap_freedom, 1.0),
        )
    return replace(location, log=logs)

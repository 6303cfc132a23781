"""Correlation of commits in a row, and generalised least squares of steps under it.

The long-run variance is learned from many series of a machine. Half the mean squared
difference between commits k apart, the variogram, needs no mean, so that short
histories do not bias it. Of a white part and one that wanders it is

    V(k) = s_w² + s_a² (1 - φᵏ).

One of a machine is the mean over its series without the largest and smallest fifth. Of
few series and commits φ cannot be told; they are taken for correlated by `USUAL_PHI`.

With C the correlation of the commits of a window, M = C⁻¹ - C⁻¹11'C⁻¹ / 1'C⁻¹1 knows
their mean no more. A step h of the last w commits then has the size h'Mu / h'Mh with
variance 1 / h'Mh, and the last commit is foretold by the others from the last row of M.

References
----------
N. Cressie, *Statistics for Spatial Data*, 1993, section 2.4 (variograms).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals

PHIS: Final = np.array([0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.94, 0.97])
SHARES: Final = 20
"""Steps of the share of what wanders: so few contrasts are needed."""

LAGS: Final = 25
TRIMMED: Final = 0.2
LEAST_TRIMMED: Final = 5
"""Series of which the largest and smallest are left out, at least."""

USUAL_PHI: Final = 0.8
PRIOR: Final = 40.0
"""Commits of a machine with `ENOUGH` series that weigh as much as what is usual."""

FADING: Final = 1.5
"""Power of that weight. What is usual lies many standard errors from white noise; at a
first power it would still outweigh what a thousand commits of forty series tell."""

ENOUGH: Final = 4.0
WHITE: Final = 1.002
"""A correlation must fit the variogram so much better than none."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """Correlation `share` φᵏ of commits k apart; of a commit with itself, 1.

    Parameters
    ----------
    phi
        From one commit to the next, of what wanders.
    share
        Of the variance that wanders.
    variance
        Of a commit.
    """

    phi: float
    share: float
    variance: float

    @property
    def between_neighbours(self) -> float:
        """Correlation of a commit with the next."""
        return self.share * self.phi

    @property
    def step_variance(self) -> float:
        """Half the mean square of what a commit differs by from the one before."""
        return self.variance * (1 - self.between_neighbours)


def variograms(values: Reals) -> Reals:
    """Return half the mean squared differences of lags 1 to K, (S, T), shape (K, S)."""
    lags = min(LAGS, max(values.shape[1] // 3, 1))
    return np.stack(
        [
            ((values[:, lag:] - values[:, :-lag]) ** 2).mean(axis=1) / 2
            for lag in range(1, lags + 1)
        ]
    )


def pooled(variogram: Reals) -> Reals:
    """Return one variogram of all series, shape (K,): of those that changed without."""
    count = variogram.shape[1]
    cut = max(1, int(TRIMMED * count)) if count >= LEAST_TRIMMED else 0
    return np.asarray(np.sort(variogram, axis=1)[:, cut : count - cut].mean(axis=1))


def correlation(variogram: Reals, series: int, commits: int) -> Correlation:
    """Return what a variogram, of so many series and commits, tells."""
    lag = np.arange(1.0, len(variogram) + 1)
    weight = (PRIOR / (PRIOR + commits * series / ENOUGH)) ** FADING
    usual = variogram[0] * (1 - USUAL_PHI**lag) / (1 - USUAL_PHI)
    mixed = (1 - weight) * variogram + weight * np.maximum(usual, variogram)
    return _fitted(np.maximum(mixed, 1e-12), lag)


def _fitted(variogram: Reals, lag: Reals) -> Correlation:
    """Fit both variances, none negative, for each φ by weighted least squares."""
    weight = 1 / (variogram**4 * lag)
    shape = 1 - PHIS[:, np.newaxis] ** lag
    s11, y1 = weight.sum(), (weight * variogram).sum()
    s12, s22 = shape @ weight, shape**2 @ weight
    y2 = shape @ (weight * variogram)
    determinant = np.maximum(s11 * s22 - s12**2, 1e-9 * s11 * s22)
    white = (s22 * y1 - s12 * y2) / determinant
    wander = (s11 * y2 - s12 * y1) / determinant
    only_wander, only_white = white < 0, (wander < 0) | (PHIS == 0)
    wander = np.where(only_wander, y2 / np.maximum(s22, 1e-300), wander)
    white = np.where(only_wander, 0.0, white)
    white = np.where(only_white, y1 / s11, white)
    wander = np.where(only_white, 0.0, wander)
    left = variogram - white[:, np.newaxis] - wander[:, np.newaxis] * shape
    misfit = (left**2 @ weight) * np.where(PHIS > 0, WHITE, 1.0)
    best = int(misfit.argmin())
    variance = float(white[best] + wander[best])
    share = np.round(SHARES * wander[best] / variance) / SHARES
    return Correlation(float(PHIS[best]) if share else 0.0, float(share), variance)


LENGTHS: Final = np.array([5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 28, 34, 40, 48, 56, 80])
"""Commits of windows: of those between, the newest count."""

MOST_WIDTH: Final = 20
LEAST_BASE: Final = 3
RIDGE: Final = 1e-4
KEPT: Final = 1_024


@dataclass(frozen=True, slots=True, eq=False)
class Contrasts:
    """For windows of L commits whose variance is 1.

    Parameters
    ----------
    steps
        Give the steps of the last 1, 2, … commits in standard errors, shape (W, L).
    sizes
        Give their sizes, shape (W, L).
    slope
        Gives the slope through the window in standard errors, shape (L,).
    rise
        Gives how far it rises from end to end, shape (L,).
    forecast
        Foretells the last commit from those before it, shape (L - 1,).
    error
        Standard error of that.
    """

    steps: Reals
    sizes: Reals
    slope: Reals
    rise: Reals
    forecast: Reals
    error: float


def contrasts(of: Correlation, length: int) -> Contrasts:
    """Return the contrasts for windows of so many commits."""
    return _contrasts(of.phi, of.share, length)


@lru_cache(KEPT)
def _contrasts(phi: float, share: float, length: int) -> Contrasts:
    place = np.arange(length)
    inverse = np.linalg.inv(
        share * phi ** np.abs(place[:, np.newaxis] - place)
        + (1 - share + RIDGE) * np.eye(length)
    )
    ones = inverse.sum(axis=1)
    without_mean = inverse - np.outer(ones, ones) / ones.sum()
    width = np.arange(1, min(MOST_WIDTH, length - LEAST_BASE) + 1)
    is_late = place >= length - width[:, np.newaxis]
    steps, sizes = _tests(is_late.astype(float), without_mean)
    ramp = place[np.newaxis] / (length - 1)
    (slope,), (rise,) = _tests(ramp, without_mean)
    last = without_mean[-1]
    return Contrasts(
        steps, sizes, slope, rise, -last[:-1] / last[-1], float(last[-1] ** -0.5)
    )


def _tests(shapes: Reals, without_mean: Reals) -> tuple[Reals, Reals]:
    seen = shapes @ without_mean
    known = (seen * shapes).sum(axis=1, keepdims=True)
    return seen / np.sqrt(known), seen / known

"""Covariance of the series of one machine, learned from commits up to one of them.

Means of many commits in a row scatter by their correlation. With C the correlation of n
+ m commits in a row, and w = (-1/n, …, 1/m, …), the mean of the last m less that of the
first n has the variance w'Cw: of what wanders, commits nearby say the same, so that
many of them tell less than as many independent ones.

References
----------
J. Beran, *Statistics for Long-Memory Processes*, 1994, section 1.1 (variance of means).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.correlation import (
    Correlation,
    correlation,
    pooled,
    variograms,
)
from scalewatch.modelling.common_mode.spreads import FLOOR, medians, spreads

LAGS: Final = (1, 2, 3, 5)
FAR: Final = 4.0
"""Standard deviations beyond which a difference says nothing about the usual ones."""

OWN_LAGS: Final = 10
POOL: Final = 8.0
"""Commits' worth of the machine's spread in the spread of one of its series."""

LONG: Final = 0.5
"""From this φ on it takes six instead of three commits to tell as much."""


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """Covariance of the features of series, level and tilts, learned from a machine.

    Parameters
    ----------
    whitening
        Makes features uncorrelated, shape (k, k).
    colouring
        Its inverse.
    correlations
        Of each whitened feature.
    scale
        Variance of a series relative to the machine's, shape (S, k).
    freedom
        Of the variances.
    """

    whitening: Reals
    colouring: Reals
    correlations: tuple[Correlation, ...]
    scale: Reals
    freedom: float

    @property
    def spread(self) -> float:
        """Usual standard deviation of a level from one commit to the next."""
        return self._spread(np.ones(len(self.correlations)))

    def spread_of(self, series: int) -> float:
        """Return the same of one series."""
        return self._spread(self.scale[series])

    def _spread(self, scale: Reals) -> float:
        steps = np.array([each.step_variance for each in self.correlations])
        return float(np.sqrt((self.colouring[0] ** 2 * steps * scale).sum()))


def learn(features: Reals, is_whole: np.ndarray) -> Learned:
    """Learn from the features of all commits so far, shape (S, t, k).

    Parameters
    ----------
    is_whole
        Whether a series was measured at all of them, shape (S,).
    """
    whole = features[is_whole]
    whitening, colouring = _whitening(whole)
    white = features @ whitening.T
    scale = np.ones((len(features), features.shape[2]))
    correlations = []
    for number in range(features.shape[2]):
        feature = white[:, :, number]
        centre = medians(feature, 1)
        reach = FAR * (spreads(feature, centre, 1) + 1e-4)[:, np.newaxis]
        middle = centre[:, np.newaxis]
        bounded = np.clip(feature, middle - reach, middle + reach)
        variogram = variograms(bounded)
        together = np.maximum(pooled(variogram[:, is_whole]), 1e-6)
        of = correlation(together, int(is_whole.sum()), feature.shape[1])
        lags = min(OWN_LAGS, len(variogram))
        ratio = (variogram[:lags] / together[:lags, np.newaxis]).mean(axis=0)
        weight = feature.shape[1] / (6 if of.phi >= LONG else 3)
        scale[:, number] = (POOL + weight * ratio) / (POOL + weight)
        correlations.append(of)
    return Learned(
        whitening, colouring, tuple(correlations), scale, 8 + features.shape[1] / 2
    )


def _whitening(features: Reals) -> tuple[Reals, Reals]:
    """Return what makes features uncorrelated, and its inverse."""
    lags = [lag for lag in LAGS if lag < features.shape[1]]
    steps = np.concatenate(
        [features[:, lag:] - features[:, :-lag] for lag in lags], axis=1
    ).reshape(-1, features.shape[2])
    reach = FAR * spreads(steps, np.zeros(steps.shape[1]), 0) + 1e-5
    bounded = np.clip(steps, -reach, reach)
    covariance = bounded.T @ bounded / (2 * len(steps))
    floor = FLOOR**2 / 6 * np.eye(len(covariance))
    colouring = np.linalg.cholesky(covariance + floor)
    return np.asarray(np.linalg.inv(colouring)), np.asarray(colouring)


KEPT: Final = 4_096


def difference_covariance(
    learned: Learned, series: int, before: int, after: int
) -> Reals:
    """Return the covariance of what level and tilts differ by, shape (k, k).

    Parameters
    ----------
    learned
        Of the machine of the series.
    series
        Its number there.
    before, after
        Commits in a row whose means are compared.
    """
    white = [
        of.variance * scale * _difference(of.phi, of.share, before, after)
        for of, scale in zip(learned.correlations, learned.scale[series], strict=True)
    ]
    return np.asarray(learned.colouring * white @ learned.colouring.T)


@lru_cache(KEPT)
def _difference(phi: float, share: float, before: int, after: int) -> float:
    """Return w'Cw for commits of variance 1."""
    weight = np.concatenate([np.full(before, -1 / before), np.full(after, 1 / after)])
    place = np.arange(before + after)
    wandering = phi ** np.abs(place[:, np.newaxis] - place)
    return float(share * weight @ wandering @ weight + (1 - share) * weight @ weight)

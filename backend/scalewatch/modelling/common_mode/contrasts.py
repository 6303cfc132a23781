"""What tells a step from nights that are correlated: generalised least squares.

With C the correlation of the commits of a window, M = C⁻¹ - C⁻¹11'C⁻¹ / 1'C⁻¹1 knows
their mean no more. A step h of the last w commits then has the size h'Mu / h'Mh with
variance 1 / h'Mh, and the last commit is foretold by the others from the last row of M.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.correlation import Correlation

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

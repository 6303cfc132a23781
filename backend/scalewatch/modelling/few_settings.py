"""Factors between the settings of a series that has too few for a growth.

From setting a to b the factor is exp(m_b - m_a), m the robust logarithm of the
repetitions, with the interval of Student's distribution.

Repetitions do not show all of the noise. Five settings scatter about a model by all
that differs between jobs. Two do not, and the repetitions of one job show only what
happens within it. So to the variance v that they tell with ν degrees of freedom comes
`unseen_deviation`² with `unseen_freedom` of them,

    v' = (ν v + FREEDOM · UNSEEN²) / (ν + FREEDOM),   ν' = ν + FREEDOM.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.measurements.batch import LEAST
from scalewatch.modelling.measurements.location import Location, locate

Noisy = TypeVar("Noisy", float, Reals)


def with_unseen(location: Location) -> Location:
    """Return locations that are as uncertain as single jobs are."""
    variance, freedom = unseen_too(location.variance, location.freedom)
    return replace(location, variance=variance, freedom=freedom)


def unseen_too(variance: Noisy, freedom: Noisy) -> tuple[Noisy, Noisy]:
    """Return v' and ν' of a variance that repetitions tell, alone or of many series."""
    whole = freedom + ASSUMED.unseen_freedom
    weighted = freedom * variance + ASSUMED.unseen_freedom * ASSUMED.unseen_deviation**2
    return weighted / whole, whole


@dataclass(frozen=True, slots=True)
class Step:
    """How many times as much a series takes, or yields, at a larger setting.

    Parameters
    ----------
    start, end
        The settings.
    factor, low, high
        The ratio, and its interval.
    """

    start: float
    end: float
    factor: float
    low: float
    high: float


def steps_of(x: ArrayLike, values: ArrayLike, level: float = 0.9) -> tuple[Step, ...]:
    """Return the factors between neighbouring settings, and then between the ends.

    Parameters
    ----------
    x
        Settings of one parameter, shape (n,).
    values
        Repetitions, shape (n, R); NaN where missing. Where one is not positive, or
        there are fewer than two settings, there is no factor.
    """
    settings, taken = np.asarray(x, np.float64), np.asarray(values, np.float64)
    is_there = ~np.isnan(taken).all(axis=1)
    settings, taken = settings[is_there], taken[is_there]
    order = np.argsort(settings)
    settings, taken = settings[order], taken[order]
    if len(settings) < LEAST or not np.isfinite(settings).all():
        return ()
    if np.nanmin(taken) <= 0 or np.isinf(taken).any():
        return ()
    location = with_unseen(locate(taken[np.newaxis]))
    reach = float(stdtrit(location.freedom[0], (1 + level) / 2))
    deviation = np.sqrt(location.variance[0] / location.weight[:, 0])
    pairs = [(at, at + 1) for at in range(len(settings) - 1)]
    if len(pairs) > 1:
        pairs.append((0, len(settings) - 1))
    middles, reaches = location.log[:, 0], reach * deviation
    return tuple(_step(settings, middles, reaches, *pair) for pair in pairs)


def _step(settings: Reals, log: Reals, reach: Reals, start: int, end: int) -> Step:
    middle = log[end] - log[start]
    width = np.hypot(reach[start], reach[end])
    bounds: Sequence[float] = np.exp([middle, middle - width, middle + width]).tolist()
    return Step(float(settings[start]), float(settings[end]), *bounds)

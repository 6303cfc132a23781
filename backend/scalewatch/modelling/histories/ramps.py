"""Changes that come little by little: one ramp instead of a step or of many.

A drift sets off one alarm after the other, each for a small step in the same sense.
A ramp explains such steps together if it leaves hardly more than they do, where each
further step has to pay `PRICE` for its place and its size.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals

LENGTHS: Final = (15, 25, 40, 60, 100, 150, 250)
"""Commits through which a change may come."""

EVERY: Final = 5
"""Commits between the beginnings that are tried."""

PRICE: Final = 12.0
"""Of a step, as twice a logarithm; what an unneeded one gains is hardly ever more."""

GRADUAL: Final = 6.0
"""A ramp must be so much likelier than a single step."""


@dataclass(frozen=True, slots=True)
class Ramp:
    """Numbers of the first and last commit that are on the way, and what is left."""

    first: int
    last: int
    misfit: float


def whitened(log: Reals, covariance: Reals, directions: Reals) -> Reals:
    """Return level and tilt of each commit, uncorrelated and of variance 1.

    Parameters
    ----------
    log
        Locations, shape (T, n).
    covariance
        Of them, shape (n, n).
    directions
        Shape (k, n); so the result has shape (T, k).
    """
    weighed = np.asarray(np.linalg.solve(covariance, directions.T))
    root = np.asarray(np.linalg.cholesky(directions @ weighed))
    found = np.linalg.solve(root, (log @ weighed).T).T
    return np.asarray(found, np.float64)


def misfit_of_steps(features: Reals, places: Sequence[int]) -> float:
    """Return what steps before these commits leave of features, shape (T, k)."""
    pieces = np.split(features, places)
    return float(sum(((p - p.mean(axis=0)) ** 2).sum() for p in pieces if len(p)))


def best_ramp(features: Reals) -> Ramp | None:
    """Return the ramp that leaves least, None if there are too few commits."""
    count = len(features)
    spans = np.array(
        [
            (first, min(first + length, count - 1))
            for length in LENGTHS
            for first in range(0, max(count - length // 2, 0), EVERY)
            if count >= length // 2 + 2 * EVERY
        ]
    )
    if not spans.size:
        return None
    place = np.arange(count) - spans[:, :1]
    shape: Reals = np.clip(place / (spans[:, 1:] - spans[:, :1]), 0, 1)
    shape -= shape.mean(axis=1, keepdims=True)
    explained = ((shape @ features) ** 2).sum(axis=1) / (shape**2).sum(axis=1)
    best = int(explained.argmax())
    whole = misfit_of_steps(features, [])
    first, last = spans[best].tolist()
    return Ramp(first, last, whole - float(explained[best]))


def is_gradual(ramp: Ramp, features: Reals, places: Sequence[int]) -> bool:
    """Tell whether a ramp explains what was taken for steps before these commits."""
    price = PRICE * (len(places) - 1) if len(places) > 1 else -GRADUAL
    return ramp.misfit < misfit_of_steps(features, places) + price

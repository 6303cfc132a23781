"""Medians and robust spreads where something may be missing."""

from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals

NORMAL: Final = 1.4826
"""Standard deviation of a normal distribution over its median absolute deviation."""


def medians(values: Reals, axis: int) -> Reals:
    """Return medians along an axis of what is not NaN; NaN where everything is."""
    # NaN sorts last; numpy's nanmedian takes ten times as long for so few numbers.
    ordered = np.sort(np.moveaxis(values, axis, 0), axis=0)
    if not np.isnan(ordered[-1]).any():
        middle = len(ordered) // 2
        return np.asarray((ordered[(len(ordered) - 1) // 2] + ordered[middle]) / 2)
    present = np.count_nonzero(~np.isnan(ordered), axis=0)[np.newaxis]
    low, high = np.maximum(present - 1, 0) // 2, present // 2
    below = np.take_along_axis(ordered, low, 0)
    above = np.take_along_axis(ordered, np.minimum(high, len(ordered) - 1), 0)
    found: Reals = (below[0] + above[0]) / 2
    return found


def spreads(values: Reals, centre: Reals, axis: int) -> Reals:
    """Return the robust standard deviation along an axis about a centre."""
    distance = np.abs(values - np.expand_dims(centre, axis))
    return NORMAL * medians(distance, axis)


def filled(residual: Reals) -> Reals:
    """Replace settings that were not measured by the mean of those that were.

    Parameters
    ----------
    residual
        Shape (…, n), NaN where missing; 0 where nothing was measured.
    """
    is_missing = np.isnan(residual)
    if not is_missing.any():
        return residual
    present = np.maximum((~is_missing).sum(axis=-1, keepdims=True), 1)
    mean = np.where(is_missing, 0, residual).sum(axis=-1, keepdims=True) / present
    return np.where(is_missing, mean, residual)


def projection(directions: Reals) -> Reals:
    """Return what takes vectors to their parts along directions, shape (k, n)."""
    return np.asarray(np.linalg.solve(directions @ directions.T, directions))

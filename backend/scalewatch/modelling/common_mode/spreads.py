"""Medians and robust spreads where values are missing, and locations held near them.

A job that was disturbed moves one setting and no others; it is held within `REACH`
standard deviations of the median of the commits before.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

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
    middles: Reals = (below[0] + above[0]) / 2
    return middles


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


BASE: Final = 40
REACH: Final = 3.0
EVERY: Final = 5
"""Commits after which the median is taken anew."""

FLOOR: Final = 1e-3
"""Least standard deviation of a location: counters that never vary, still do."""


class Cells:
    """Locations of a batch of histories, held, one commit after the other.

    Attributes
    ----------
    log
        Shape (S, T, n), NaN where missing.
    beyond
        How far each lies from the centre of the commits before, filled.
    held
        The same, held and filled, up to the commit that was taken last.
    """

    def __init__(self, log: Reals) -> None:
        self.log = log
        self.held = np.zeros_like(log)
        self.beyond = np.zeros_like(log)
        first = medians(log[:, :EVERY], 1)
        centre = medians(first, 1)[:, np.newaxis]
        self._centre = np.nan_to_num(np.where(np.isnan(first), centre, first))
        self._reach = np.full(self._centre.shape, np.inf)

    def take(self, t: int, start: np.ndarray) -> Reals:
        """Hold commit t, of bases that begin at `start`; return it unheld, filled."""
        if t and t % EVERY == 0:
            begin = max(0, t - BASE)
            before = self.held[:, begin:t]
            if (start > begin).any():
                is_former = np.arange(begin, t) < start[:, np.newaxis]
                before = np.where(is_former[:, :, np.newaxis], np.nan, before)
            rows = np.flatnonzero(t - start >= EVERY)
            centre = medians(before[rows], 1)
            spread = spreads(before[rows], centre, 1)
            usual = np.sqrt((spread**2).mean(axis=1, keepdims=True))
            margin = 1 + 2 / np.minimum(t - start[rows], BASE)[:, np.newaxis]
            self._centre[rows] = centre
            self._reach[rows] = REACH * ((spread + usual) / 2 * margin + FLOOR)
        beyond = filled(self.log[:, t] - self._centre)
        self.beyond[:, t] = beyond
        self.held[:, t] = self._centre + np.clip(beyond, -self._reach, self._reach)
        return np.asarray(self._centre + beyond)

    def far(self, t: int) -> NDArray[np.intp]:
        """Return which series have a setting at commit t that had to be held."""
        return np.flatnonzero((np.abs(self.beyond[:, t]) > self._reach).any(axis=1))

    def restart(self, series: int, first: int, t: int) -> None:
        """Hold commits `first` to t of a series near each other instead."""
        log = self.log[series, first : t + 1]
        middle = medians(log, 0)
        centre = np.where(np.isnan(middle), self._centre[series], middle)
        reach = self._reach[series]
        self.held[series, first : t + 1] = centre + filled(
            np.clip(log - centre, -reach, reach)
        )
        self._centre[series] = centre

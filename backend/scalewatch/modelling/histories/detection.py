"""When a series changed: a likelihood ratio, commit after commit.

With c the winsorised vectors of log-locations, Σ their covariance and D the
directions level and tilt, the commits τ … t are compared with up to `BASE` before τ,

    d = mean c[τ … t] - mean c[τ - n₀ … τ - 1],
    q = (n₀ w / (n₀ + w)) · d'Σ⁻¹D' (D Σ⁻¹ D')⁻¹ D Σ⁻¹ d,

for every τ within `WINDOW`, w = t - τ + 1. Σ is an estimate with ν degrees of freedom,
so that what is compared with the threshold is ν log(1 + q/ν), the likelihood ratio of
Student's distribution: short histories do not cry wolf. Winsorised is what lies
further than `REACH` standard deviations from the mean of the base; without, two slow
repetitions of one job look like a change. After an alarm a new base begins at the
likeliest τ.

A drift is too slow for that: every `DRIFT_EVERY` commits the slope of a straight line
through the base is tested in the same way, with a threshold of its own.

References
----------
T. L. Lai, "Information bounds and quick detection of parameter changes in stochastic
systems", IEEE Transactions on Information Theory 44, 1998 (window-limited GLR).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays.types import Reals
from scalewatch.modelling.histories.covariances import FLOOR, shrunk
from scalewatch.modelling.histories.histories import Histories, filled, middle

Counts = NDArray[np.intp]

WINDOW: Final = 20
BASE: Final = 100
"""Commits of the base; 60 delay a small change by another commit."""

REACH: Final = 3.0
LEAST_HISTORY: Final = 8
"""Commits before the first that can be told to differ."""

LEAST_BASE: Final = 3
"""Commits between two changes."""

FREEDOM: Final = 2.1
"""ν per difference: they overlap, but every setting contributes."""

DRIFT_EVERY: Final = 5
LEAST_DRIFT: Final = 40
"""Commits through which a slope is drawn, at least."""

DRIFT_THRESHOLD: Final = 20.0

THRESHOLD: Final = 22.0
"""Exceeded by fewer than 4 % of histories of 200 commits without a change."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """A change that was noticed.

    Parameters
    ----------
    series
        Its number.
    at
        Number of the commit at which it was noticed.
    first
        Number of the commit that is likeliest to have made it.
    statistic
        Likelihood ratio, twice its logarithm.
    is_drift
        Whether a slope was noticed and no step; `first` is where the base begins.
    """

    series: int
    at: int
    first: int
    statistic: float
    is_drift: bool = False


def detect(histories: Histories, threshold: float = THRESHOLD) -> list[Alarm]:
    """Return the changes of each series, in the order in which they are noticed."""
    sums = RunningSums(histories)
    found = []
    for t in range(histories.log.shape[1]):
        sums.take(t)
        statistic, first = sums.compare(t)
        for series in np.flatnonzero(statistic > threshold).tolist():
            begin = int(first[series])
            found.append(Alarm(series, t, begin, float(statistic[series])))
            sums.restart(series, begin, t)
        for series, slope in sums.drifts(t):
            found.append(
                Alarm(series, t, int(sums.start[series]), slope, is_drift=True)
            )
            sums.restart(series, t - DRIFT_EVERY, t)
    return found


class RunningSums:
    """Running sums over the commits of a batch of histories.

    Attributes
    ----------
    winsorised
        Shape (S, T, n).
    start
        Where the present base begins, shape (S,).
    """

    def __init__(self, histories: Histories) -> None:
        series, commits, settings = histories.log.shape
        self.log = histories.log
        self.length = histories.length
        self.directions = histories.directions
        self.winsorised = np.zeros_like(self.log)
        self.start = np.zeros(series, np.intp)
        self._every = np.arange(series)
        self._sums = np.zeros((series, commits + 1, settings))
        self._products = np.zeros((series, commits + 1, settings, settings))
        self._differences = np.zeros((series, commits + 1), np.intp)

    def take(self, t: int) -> None:
        """Winsorise commit t and add it to the sums."""
        centre, reach, is_known = self._base(t)
        residual = self.log[:, t] - centre
        bounded = np.where(
            is_known[:, np.newaxis], np.clip(residual, -reach, reach), residual
        )
        taken = centre + filled(bounded)
        self.winsorised[:, t] = taken
        self._sums[:, t + 1] = self._sums[:, t] + taken
        is_next = (t > self.start) & (t < self.length)
        step = (taken - self.winsorised[:, t - 1]) * is_next[:, np.newaxis]
        self._products[:, t + 1] = self._products[:, t] + _outer(step)
        self._differences[:, t + 1] = self._differences[:, t] + is_next

    def covariance(self, t: int) -> tuple[Reals, Counts]:
        """Return Σ after commit t, and of how many differences it was taken."""
        begin = max(0, t + 1 - BASE - WINDOW)
        differences = self._differences[:, t + 1] - self._differences[:, begin]
        products = self._products[:, t + 1] - self._products[:, begin]
        return shrunk(products, np.maximum(differences, 1)), differences

    def compare(self, t: int) -> tuple[Reals, Counts]:
        """Return the statistic at commit t, and the likeliest τ, shape (S,)."""
        covariance, differences = self.covariance(t)
        width = np.arange(1, min(WINDOW, t) + 1)
        is_ready = (differences >= LEAST_HISTORY) & (t < self.length)
        if not width.size or not is_ready.any():
            return np.zeros(len(self.start)), self.start.copy()
        tau = t + 1 - width
        statistic = self.statistics(t, tau, covariance, differences)
        statistic[~is_ready] = 0
        likeliest = statistic.argmax(axis=1)
        return statistic[self._every, likeliest], tau[likeliest]

    def statistics(
        self, t: int, tau: Counts, covariance: Reals, differences: Counts
    ) -> Reals:
        """Return the statistic of each τ against all up to t, shape (S, τ)."""
        width = t + 1 - tau
        begin = np.maximum(tau - BASE, self.start[:, np.newaxis])
        base = np.maximum(tau - begin, 0)
        later = self._sums[:, t + 1, np.newaxis] - self._sums[:, tau]
        sooner = self._sums[:, tau] - np.take_along_axis(
            self._sums, np.minimum(begin, tau)[:, :, np.newaxis], axis=1
        )
        change = later / width[:, np.newaxis]
        change -= sooner / np.maximum(base, 1)[:, :, np.newaxis]
        q = projected(change, covariance, self.directions)
        q *= base * width / np.maximum(base + width, 1)
        freedom = FREEDOM * np.maximum(differences, 1)[:, np.newaxis]
        statistic: Reals = freedom * np.log1p(q / freedom)
        least = np.where(self.start > 0, LEAST_BASE, LEAST_HISTORY)[:, np.newaxis]
        return np.where(base >= least, statistic, 0.0)

    def drifts(self, t: int) -> list[tuple[int, float]]:
        """Return the series that drift, with the statistic of the slope."""
        length = np.minimum(t + 1 - self.start, BASE)
        is_ready = (length >= LEAST_DRIFT) & (t < self.length)
        if (t + 1) % DRIFT_EVERY or not is_ready.any():
            return []
        rows = np.flatnonzero(is_ready)
        covariance, differences = self.covariance(t)
        age = np.arange(min(BASE, t + 1))[::-1]
        place = np.where(age < length[rows, np.newaxis], -age, np.nan)
        place -= np.nanmean(place, axis=1, keepdims=True)
        place = np.nan_to_num(place)
        spread = (place**2).sum(axis=1)
        recent = self.winsorised[rows, t + 1 - age.size : t + 1]
        slope = (place[:, np.newaxis] @ recent) / spread[:, np.newaxis, np.newaxis]
        q = projected(slope, covariance[rows], self.directions)[:, 0] * spread
        freedom = FREEDOM * np.maximum(differences[rows], 1)
        statistic = freedom * np.log1p(q / freedom)
        drifting = np.flatnonzero(statistic > DRIFT_THRESHOLD)
        return [(int(rows[each]), float(statistic[each])) for each in drifting]

    def restart(self, series: int, first: int, t: int) -> None:
        """Begin a new base of one series at commit `first`, up to t."""
        self.start[series] = first
        # Bounds of the former base do not apply to what comes after it.
        own = self.log[series, first : t + 1]
        level = middle(own)
        reach = self._reach(t)[series]
        taken = level + filled(np.clip(own - level, -reach, reach))
        self.winsorised[series, first : t + 1] = taken
        self._sums[series, first + 1 : t + 2] = self._sums[series, first] + np.cumsum(
            taken, axis=0
        )
        # Neither does the step to it say anything about the scatter.
        steps = np.diff(taken, axis=0, prepend=taken[:1])
        self._products[series, first + 1 : t + 2] = self._products[
            series, first
        ] + np.cumsum(_outer(steps), axis=0)
        self._differences[series, first + 1 : t + 2] = self._differences[
            series, first
        ] + np.arange(t + 1 - first)

    def _base(self, t: int) -> tuple[Reals, Reals, NDArray[np.bool_]]:
        """Return the middle of the base before t, what is far, and if it is known."""
        begin = np.maximum(self.start, t - BASE)
        count = t - begin
        sums = self._sums[:, t] - self._sums[self._every, begin]
        centre = sums / np.maximum(count, 1)[:, np.newaxis]
        first = np.where(np.isnan(self.log[:, t]), 0.0, self.log[:, t])
        is_known = (count >= LEAST_BASE) & (self._differences[:, t] >= LEAST_BASE)
        centre = np.where((count > 0)[:, np.newaxis], centre, first)
        return centre, self._reach(t - 1) if t else np.ones_like(centre), is_known

    def _reach(self, t: int) -> Reals:
        """Return how far from the middle is too far, shape (S, n)."""
        begin = max(0, t + 1 - BASE - WINDOW)
        count = self._differences[:, t + 1] - self._differences[:, begin]
        squares = np.einsum(
            "sii->si", self._products[:, t + 1] - self._products[:, begin]
        )
        variance = squares / (2 * np.maximum(count, 1))[:, np.newaxis]
        reach: Reals = REACH * np.sqrt(variance + FLOOR**2)
        return reach


def projected(change: Reals, covariance: Reals, directions: Reals) -> Reals:
    """Return q/(n₀ w / (n₀ + w)) of changes, (S, τ, n), shape (S, τ)."""
    weighed = np.linalg.solve(
        covariance,
        np.broadcast_to(directions.T, (*covariance.shape[:1], *directions.T.shape)),
    )
    inner = directions @ weighed
    seen = change @ weighed
    q: Reals = np.einsum("stk,skl,stl->st", seen, np.linalg.inv(inner), seen)
    return q


def _outer(steps: Reals) -> Reals:
    products: Reals = np.einsum("...i,...j->...ij", steps, steps)
    return products

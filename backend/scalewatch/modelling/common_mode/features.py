"""Levels and tilts of series, commit after commit, held near their forecasts."""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.correlation import LENGTHS, Correlation, contrasts
from scalewatch.modelling.common_mode.machine import Learned, learn
from scalewatch.modelling.common_mode.spreads import (
    FLOOR,
    NORMAL,
    Cells,
    medians,
    projection,
)

Counts = NDArray[np.intp]
Rows = NDArray[np.intp] | slice

REACH: Final = 2.5
"""Errors of the forecast within which a commit is held."""

UNREST: Final = 5
"""Newest commits that tell whether the noise of a machine has grown."""

LEAST_SERIES: Final = 8
MARGIN: Final = 1.1

LEAST_HISTORY: Final = 8
"""Commits before the first that can be told to differ."""


def largest_effect(features: Reals, directions: Reals) -> Reals:
    """Return the largest effect of steps of features, (…, k), on level and settings."""
    seen_at = np.column_stack([np.eye(len(directions))[0], directions])
    return np.asarray(np.abs(features @ seen_at).max(axis=-1))


class Features:
    """Features of the series of one machine, whose noise is learned together.

    Parameters
    ----------
    log
        Log-locations, shape (S, T, n); NaN where missing.
    length
        Commits of each series, shape (S,).
    directions
        Level and tilts, shape (k, n).
    is_exact
        Whether the series have no noise.

    Attributes
    ----------
    start
        Where the present base of each series begins, shape (S,).
    variance
        Of a commit of each series, shape (S, k).
    raw, taken
        Features as measured and as held, shape (S, T, k).
    white
        Those held, made uncorrelated, shape (k, S, T).
    learned
        What is known of the machine, last.
    """

    def __init__(
        self, log: Reals, length: Counts, directions: Reals, *, is_exact: bool
    ) -> None:
        shape = (*log.shape[:2], len(directions))
        self.start = np.zeros(len(log), np.intp)
        self.raw = np.zeros(shape)
        self.taken = np.zeros(shape)
        self.white = np.zeros((shape[2], *shape[:2]))
        self.learned: Learned | None = None
        self.variance = np.ones((shape[0], shape[2]))
        self._errors = np.full((shape[2], *shape[:2]), np.nan)
        self._usual = self.variance
        self._length = length
        self._is_exact = is_exact
        self._cells = Cells(log)
        self._projection = projection(directions)

    def near(self, t: int) -> Reals:
        """Return the features of commit t with each setting held, shape (S, k)."""
        return np.asarray(self._cells.held[:, t] @ self._projection.T)

    def learn(self, t: int) -> None:
        """Learn from the commits before t."""
        is_whole = self._length >= t
        if not is_whole.any():
            return
        is_first = self.learned is None
        if self._is_exact:
            series, _, features = self.taken.shape
            identity = np.eye(features)
            none = Correlation(0.0, 0.0, FLOOR**2)
            known = Learned(
                identity,
                identity,
                (none,) * features,
                np.ones((series, features)),
                40.0,
            )
        else:
            known = learn(self.taken[:, :t], is_whole)
        self.learned = known
        variance = np.array([of.variance for of in known.correlations])
        self._usual = self.variance = variance * known.scale
        white = self.taken[:, :t] @ known.whitening.T
        if is_first and not self._is_exact:
            centre = np.median(white, axis=1, keepdims=True)
            reach = 3 * (
                NORMAL * np.median(np.abs(white - centre), axis=1, keepdims=True) + 0.2
            )
            white = np.asarray(np.clip(white, centre - reach, centre + reach))
            self.taken[:, :t] = white @ known.colouring.T
        self.white[:, :, :t] = np.moveaxis(white, 2, 0)

    def take(self, t: int) -> None:
        """Take a commit, held near its forecast."""
        raw = self._cells.take(t, self.start)
        if len(self.start) >= LEAST_SERIES and not self._is_exact:
            self._notice_unrest(t)
        is_there = (t < self._length)[:, np.newaxis]
        self.raw[:, t] = np.where(is_there, raw @ self._projection.T, 0.0)
        near = raw @ self._projection.T if self._is_exact else self.near(t)
        features = np.where(is_there, near, 0.0)
        known = self.learned
        if known is not None:
            white = features @ known.whitening.T
            if not self._is_exact:
                white = self.bounded(t, white, known, REACH)
            self.white[:, :, t] = white.T
            features = white @ known.colouring.T
        self.taken[:, t] = features

    def lasting(self, t: int, commits: int) -> Reals:
        """Return q of what the newest commits all lie beyond the others by, shape (S,).

        They count as one commit, since what wanders stays away as long. A setting
        counts where all are on one side, and at most twice as much as the next: jobs
        at one setting alone may be bad three times in a row.
        """
        lasting = np.zeros(len(self.start))
        rows = self._cells.far(t)
        if self.learned is None or t + 1 < commits or not rows.size:
            return lasting
        beyond = self._cells.beyond[rows, t + 1 - commits : t + 1]
        least = np.clip(beyond.min(axis=1), 0, None) + np.clip(
            beyond.max(axis=1), None, 0
        )
        if least.shape[1] > 1:
            second = 2 * np.sort(np.abs(least), axis=1)[:, -2:-1]
            least = np.clip(least, -second, second)
        white = least @ self._projection.T @ self.learned.whitening.T
        lasting[rows] = (white**2 / self.variance[rows]).sum(axis=1)
        return lasting

    def _notice_unrest(self, t: int) -> None:
        """Raise variances where all series together lie far from their forecasts."""
        if self.learned is None:
            return
        errors = self._errors[:, :, max(0, t - UNREST) : t]
        # A change of all series is no unrest: it moves them alike.
        apart = np.abs(errors - medians(errors, 1)[:, np.newaxis])
        unrest = NORMAL * np.nan_to_num(medians(apart.reshape(len(apart), -1), 1))
        self.variance = self._usual * np.maximum(unrest / MARGIN, 1) ** 2

    def bounded(self, t: int, white: Reals, known: Learned, reach: float) -> Reals:
        """Return features of commit t held near their forecast, shape (S, k)."""
        bounded = white.copy()
        for length, rows in self.windows(t):
            for number, of in enumerate(known.correlations):
                weights = contrasts(of, length)
                before = self.white[number, rows, t + 1 - length : t]
                forecast = before @ weights.forecast
                usual = weights.error * np.sqrt(self._usual[rows, number])
                self._errors[number, rows, t] = (white[rows, number] - forecast) / usual
                error = weights.error * np.sqrt(self.variance[rows, number])
                bounded[rows, number] = forecast + np.clip(
                    white[rows, number] - forecast, -reach * error, reach * error
                )
        return bounded

    def error(self, series: int, t: int) -> float:
        """Return the standard error of the forecast of a series' level at commit t."""
        known = self.learned
        if known is None:
            return np.inf
        available = t + 1 - self.start[series]
        length = int(LENGTHS[LENGTHS.searchsorted(available, side="right") - 1])
        errors = np.array([contrasts(of, length).error for of in known.correlations])
        variance = errors**2 * self.variance[series]
        return float(np.sqrt((known.colouring[0] ** 2 * variance).sum()))

    def windows(self, t: int) -> Iterator[tuple[int, Rows]]:
        """Yield lengths of windows that end at commit t, and which series have them."""
        available = t + 1 - self.start
        place = LENGTHS.searchsorted(available, side="right") - 1
        place[t >= self._length] = -1
        if place[0] >= 0 and (place == place[0]).all():
            yield int(LENGTHS[place[0]]), slice(None)
            return
        for length in np.unique(place[place >= 0]).tolist():
            yield int(LENGTHS[length]), np.flatnonzero(place == length)

    def restart(self, series: int, first: int, t: int) -> None:
        """Begin a new base of one series at commit `first`, up to t."""
        known = self.learned
        if known is None:
            return
        former = self.taken[
            series, max(first - 2 * LEAST_HISTORY, self.start[series]) : first
        ]
        self._cells.restart(series, first, t)
        features = self._cells.held[series, first : t + 1] @ self._projection.T
        # What came before is brought to the new level: differences know no step.
        if len(former):
            self.taken[series, :first] += features.mean(axis=0) - former.mean(axis=0)
        self.taken[series, first : t + 1] = features
        features = self.taken[series, : t + 1] @ known.whitening.T
        self.white[:, series, : t + 1] = features.T
        self.start[series] = first

"""Detection of steps in the series of a machine, commit after commit.

A commit enters held near its forecast: two outliers in a row alarm as rarely as
chance, three commits always. Its level and tilts, made uncorrelated, are compared with
the commits before for steps of the last w commits; with z the step in standard errors,

    q = Σ z² / κ,    statistic = max over w of ν log(1 + q / ν),

κ the variance of the series relative to the machine's. An alarm needs two commits, and
an effect of `LEAST_EFFECT`: what is less than twice the usual spread is a change, too,
if many commits make it sure, and whoever asks folds it as a drift. The newest commit
alone, and a slope, have to reach that spread.

The threshold is learned from histories without changes. The largest statistics of
stretches of `STRETCH` commits tell how far the noise of a machine is from the one that
is assumed: nine of ten are below `USUAL` where it is as assumed, and higher where
series wander on several time scales, or noise grows. Both numbers come from simulated
machines of ten kinds of noise.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.correlation import contrasts
from scalewatch.modelling.common_mode.features import (
    LEAST_HISTORY,
    Counts,
    Features,
    largest_effect,
)
from scalewatch.modelling.common_mode.machine import Learned

TARGET: Final = 0.04
"""Share of histories of 200 commits without a change that may alarm, at most."""

LEAST: Final = 16.0
"""Threshold for that target where the noise is as assumed."""

ONE_LOOK: Final = 1.5
"""By so much less has the newest commit to differ, which is looked at once."""

STRETCH: Final = 20
QUANTILE: Final = 0.9
USUAL: Final = 9.3
BEFORE: Final = 10.2
"""Quantile assumed before a machine was seen; prior weight `PRIOR` stretches."""

PRIOR: Final = 40
RISE: Final = 2.2
"""By how much a threshold rises with the quantile."""


def threshold(statistic: Reals, target: float) -> float:
    """Return what fewer than `target` of the histories of a machine exceed by chance.

    Parameters
    ----------
    statistic
        Of steps, of each series at each commit so far, shape (S, t); NaN where a change
        was noticed.
    """
    begin = STRETCH + statistic.shape[1] % STRETCH
    largest = statistic[:, begin:].reshape(-1, STRETCH).max(axis=1)
    known = largest[~np.isnan(largest)]
    seen = float(np.quantile(known, QUANTILE)) if known.size else BEFORE
    quantile = (known.size * seen + PRIOR * BEFORE) / (known.size + PRIOR)
    least = LEAST + RISE * max(quantile - USUAL, 0.0)
    return float(least + 2 * np.log(TARGET / target))


DRIFT_THRESHOLD: Final = 24.0
DRIFT_EVERY: Final = 5
LEAST_DRIFT: Final = 40

SUSPECT_REACH: Final = 6.0
"""Errors of the forecast that count, of a commit that only orders a confirming run."""

NOTABLE: Final = 6.0
"""Statistic below which no effect size is computed."""

PERSISTENT: Final = 3
"""Commits in a row that are no outliers any more, however far away they are."""

LEARN_AT: Final = frozenset((8, 12, 20, 30, 40, *range(60, 2_000, 20)))
LEAST_EFFECT: Final = float(np.log(1.03))
SPREADS: Final = 2.0
"""Usual spreads that an effect reaches that stops somebody."""

EXACT_EFFECT: Final = 0.01
"""Least effect that matters in a series without any noise."""


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

    def of_series(self, series: int) -> "Alarm":
        """Return the same under another number of its series."""
        return replace(self, series=series)


class Scan:
    """Histories of the series of one machine, watched from the first commit on.

    Parameters
    ----------
    log
        Log-locations, shape (S, T, n), the common mode taken out; NaN where missing.
    length
        Commits of each series, shape (S,).
    directions
        Level and tilts, shape (k, n).
    is_exact
        Whether the series have no noise: then one commit is enough.
    target
        Share of histories of 200 commits without a change that may alarm.

    Attributes
    ----------
    statistic
        Of each series at each commit, shape (S, T).
    first
        The likeliest commit to have changed it, shape (S, T).
    size
        By how much its level changed there, shape (S, T).
    """

    def __init__(
        self,
        log: Reals,
        length: Counts,
        directions: Reals,
        *,
        is_exact: bool = False,
        target: float = TARGET,
    ) -> None:
        series, commits, _ = log.shape
        self.statistic = np.zeros((series, commits))
        self.first = np.zeros((series, commits), np.intp)
        self.size = np.zeros((series, commits))
        self._length = length
        self._is_exact = is_exact
        self._own = np.arange(series)
        self._least_effect = self._least_sudden = EXACT_EFFECT
        self._target = target
        self._threshold = threshold(self.statistic[:, :0], target)
        self._null = np.zeros((series, commits))
        self._directions = directions
        self._features = Features(log, length, directions, is_exact=is_exact)

    @property
    def learned(self) -> Learned | None:
        """Covariance of the machine, as learned last."""
        return self._features.learned

    def alarms(self) -> Iterator[Alarm]:
        """Yield changes in the order in which they are noticed."""
        for t in range(self.statistic.shape[1]):
            if t in LEARN_AT:
                self._features.learn(t)
                if self.learned is not None and not self._is_exact:
                    self._least_effect = LEAST_EFFECT
                    self._least_sudden = max(
                        LEAST_EFFECT, SPREADS * self.learned.spread
                    )
                    is_whole = self._length >= t
                    self._threshold = threshold(self._null[is_whole, :t], self._target)
            self._features.take(t)
            if self.learned is None:
                continue
            yield from self._changes(t)
        for series, last in self._at_newest(self._features.near, SUSPECT_REACH):
            first = int(self.first[series, last])
            yield Alarm(series, last, first, float(self.statistic[series, last]))

    def _changes(self, t: int) -> Iterator[Alarm]:
        least = 1 if self._is_exact else 2
        matters = self._compare(t, least, self._features.white, self._least_effect)
        self._null[:, t] = self.statistic[:, t]
        is_clear = (self.statistic[:, t] > self._threshold) & matters
        for series in np.flatnonzero(is_clear).tolist():
            first = int(self.first[series, t])
            statistic = float(self.statistic[series, t])
            self._null[series, first : t + 1] = np.nan
            self._features.restart(series, first, t)
            yield Alarm(series, t, first, statistic)
        if (t + 1) % DRIFT_EVERY == 0:
            yield from self._drifts(t)

    def _compare(
        self, t: int, least: int, white: Reals, least_effect: float
    ) -> NDArray[np.bool_]:
        """Compare steps at commit t; return where the effect matters, shape (S,)."""
        known = self.learned
        matters = np.zeros(len(self.statistic), bool)
        if known is None:
            return matters
        lasting = self._features.lasting(t, PERSISTENT)
        for length, rows in self._features.windows(t):
            of = self._own[rows]
            weights = [contrasts(each, length) for each in known.correlations]
            squares = np.zeros((len(of), len(weights[0].steps)))
            for feature, weight, variance in zip(
                white, weights, self._features.variance.T, strict=True
            ):
                steps = feature[rows, t + 1 - length : t + 1] @ weight.steps.T
                squares += steps**2 / variance[rows, np.newaxis]
            if squares.shape[1] >= PERSISTENT:
                few = squares[:, PERSISTENT - 1]
                squares[:, PERSISTENT - 1] = np.maximum(few, lasting[rows])
            best = squares[:, least - 1 :].argmax(axis=1) + least - 1
            largest = squares[np.arange(len(best)), best]
            statistic = known.freedom * np.log1p(largest / known.freedom)
            self.statistic[rows, t] = statistic
            self.first[rows, t] = t - best
            for place in np.flatnonzero(statistic > NOTABLE).tolist():
                series = int(of[place])
                sizes = [each.sizes[best[place]] for each in weights]
                effect = self._effect(series, t, length, sizes)
                matters[series] = effect >= least_effect
        return matters

    def _effect(
        self, series: int, t: int, length: int, sizes: Sequence[Reals]
    ) -> float:
        """Return the effect of a step, by what was measured before it was held."""
        known = self.learned
        if known is None:
            return 0.0
        raw = self._features.raw[series, t + 1 - length : t + 1] @ known.whitening.T
        white = np.array(
            [feature @ each for feature, each in zip(raw.T, sizes, strict=True)]
        )
        size = known.colouring @ white
        self.size[series, t] = size[0]
        return float(largest_effect(size, self._directions))

    def _drifts(self, t: int) -> Iterator[Alarm]:
        known = self.learned
        for length, rows in self._features.windows(t):
            if length < LEAST_DRIFT or known is None:
                continue
            numbers = self._own[rows]
            squares, rises = np.zeros(len(numbers)), []
            for feature, correlation in enumerate(known.correlations):
                weights = contrasts(correlation, length)
                recent = self._features.white[feature, numbers, t + 1 - length : t + 1]
                variance = self._features.variance[numbers, feature]
                squares += (recent @ weights.slope) ** 2 / variance
                rises.append(recent @ weights.rise)
            statistic = known.freedom * np.log1p(squares / known.freedom)
            rise = np.stack(rises, axis=1) @ known.colouring.T
            is_clear = (statistic > DRIFT_THRESHOLD) & (
                largest_effect(rise, self._directions) >= self._least_sudden
            )
            for place in np.flatnonzero(is_clear).tolist():
                series = int(numbers[place])
                begin = int(self._features.start[series])
                self._features.restart(series, t - DRIFT_EVERY, t)
                yield Alarm(series, t, begin, float(statistic[place]), is_drift=True)

    @property
    def has_base(self) -> NDArray[np.bool_]:
        """Whether the newest commit has commits enough before it, shape (S,)."""
        before = self._length - 1 - self._features.start
        return np.asarray(before >= LEAST_HISTORY) & (self.learned is not None)

    def newest(self, commits: int) -> Iterator[tuple[int, int]]:
        """Yield series that differ at their newest commit, and which that is.

        Unlike an alarm this takes the newest commits as measured: what a whole commit
        did is told, too.
        """
        return self._at_newest(lambda t: self._features.raw[:, t], np.inf, commits)

    def error(self, series: int, t: int) -> float:
        """Return the standard error with which the level of a commit is foretold."""
        return self._features.error(series, t)

    def _at_newest(
        self, features_at: Callable[[int], Reals], reach: float, commits: int = 1
    ) -> Iterator[tuple[int, int]]:
        """Yield series that differ at their newest commit, and which that is.

        Parameters
        ----------
        features_at
            Returns those of a commit, shape (S, k).
        reach
            Errors of the forecast that count.
        commits
            How many of the newest are taken so.
        """
        known = self.learned
        if known is None or self._is_exact:
            return
        for last in np.unique(self._length - 1).tolist():
            is_newest = (self._length - 1 == last) & self.has_base
            if not is_newest.any():
                continue
            white = self._features.white.copy()
            for t in range(last + 1 - commits, last + 1):
                features = features_at(t) @ known.whitening.T
                white[:, :, t] = self._features.bounded(t, features, known, reach).T
            matters = self._compare(last, 1, white, self._least_sudden)
            is_beyond = self.statistic[:, last] > self._threshold - ONE_LOOK
            is_clear = is_beyond & matters & is_newest
            for series in np.flatnonzero(is_clear).tolist():
                yield series, last

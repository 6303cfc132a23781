"""The level of the newest commit beside the commits before it, one value each.

Most histories hold one value a benchmark and commit: nothing repeats it. The commits
before it, the common mode taken out, then tell how far such a value scatters, and an
interval about its distance from their median tells what it excludes. A value beyond the
interval need not be a change: values of most machines have tails, and of hundreds of
series some lie far out at any commit. How far the farthest of them lies at a commit
without a change, the earlier commits tell, too.

Where a series has moved evidently among the commits before, those since then alone tell
its level: with the others it would seem to be noisy, and what it gained could be lost
again unnoticed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.features import LEAST_HISTORY
from scalewatch.modelling.common_mode.spreads import filled, medians, spreads

BEFORE: Final = 20
"""Commits before a value that it is compared with."""

REPLAYED: Final = 40
"""Earlier commits that are compared with those before them in turn."""

REACH: Final = 2.33
"""Standard deviations to one end of an interval: 99 % of a normal distribution."""

SHARE_OF_DEVIATION: Final = 0.6
"""Least share of the plain standard deviation: a robust one knows nothing of tails."""

FLOOR: Final = 0.003
"""Least standard deviation of a level: few values may agree by chance."""

NOTICED: Final = 1.05
"""Factor beyond which the near end of an interval has to lie to be noticed."""

FALSE: Final = 0.1
"""Share of commits without a change of which a series may be said to stand out."""

STEP: Final = 8.0
"""Standard errors by which a series has moved evidently among the commits before."""

LEAST_SINCE: Final = 3
"""Commits on either side of such a step."""

TOLERATED: Final = 0.1
"""A series whose one value excludes a change for the worse by so much is unchanged."""

LASTING: Final = 0.5
"""Share of a move that is left at the next commit if it was a change."""


@dataclass(frozen=True, slots=True)
class UsualFactor:
    """One value of a series over the median of the commits before it.

    Parameters
    ----------
    value, low, high
        The factor with the ends of its interval.
    commits
        How many tell it.
    as_far
        Share of earlier commits at which some series of the machine was as far out, and
        back at the next.
    """

    value: float
    low: float
    high: float
    commits: int
    as_far: float

    @property
    def inverse(self) -> "UsualFactor":
        """The factor of the reciprocal of what was measured."""
        return UsualFactor(
            1 / self.value, 1 / self.high, 1 / self.low, self.commits, self.as_far
        )

    def excludes(self, share: float, *, is_cost: bool) -> bool:
        """Tell whether it cannot be worse by more than a share.

        Parameters
        ----------
        is_cost
            Whether less of the metric is better.
        """
        return self.high < 1 + share if is_cost else self.low > 1 / (1 + share)

    def stays(self, *, is_cost: bool) -> bool:
        """Tell whether it is no more than `TOLERATED` worse, and not surely better."""
        is_better = self.high < 1 / NOTICED if is_cost else self.low > NOTICED
        return self.excludes(TOLERATED, is_cost=is_cost) and not is_better


@dataclass(frozen=True, slots=True, eq=False)
class EarlierCommits:
    """The newest commit of some series beside those before.

    Parameters
    ----------
    is_known
        Whether `LEAST_HISTORY` commits came before it, shape (S,).
    size
        Logarithm of its level over the median of the commits before, shape (S,); 0
        where not known.
    reach
        Half the width of the interval about it, shape (S,); infinite where not known.
    slower, faster
        Whether it lies above or below by more than `NOTICED`, and than the farthest
        series does at all but `FALSE` of the earlier commits, shape (S,).
    as_far
        Share of earlier commits at which some series was as far out as this one and
        back at the next, shape (S,).
    commits
        How many tell it of each series, shape (S,).
    """

    is_known: NDArray[np.bool_]
    size: Reals
    reach: Reals
    slower: NDArray[np.bool_]
    faster: NDArray[np.bool_]
    as_far: Reals
    commits: NDArray[np.intp]

    def factor_of(self, series: int) -> UsualFactor | None:
        """Return the factor of a series by its row, None where it is not known."""
        if not self.is_known[series]:
            return None
        size, reach = float(self.size[series]), float(self.reach[series])
        return UsualFactor(
            value=exp(size),
            low=exp(size - reach),
            high=exp(size + reach),
            commits=int(self.commits[series]),
            as_far=float(self.as_far[series]),
        )


def beside_earlier(log: Sequence[Reals], groups: int = 1) -> EarlierCommits:
    """Compare the newest commit of each series with those before it.

    Parameters
    ----------
    log
        Log-locations of each series, the common mode taken out, oldest commit first,
        shape (T, n); NaN where a setting is missing.
    groups
        Groups of series, by machine and metric, that share the rate of `FALSE`.
    """
    level = _levels(log)
    before = sliding_window_view(level[:, :-1], BEFORE, axis=1)
    number = np.count_nonzero(~np.isnan(before), axis=-1)
    is_known = (number >= LEAST_HISTORY) & ~np.isnan(level[:, BEFORE:])
    centre, spread = _since_step(np.where(is_known[..., np.newaxis], before, 0.0))
    size = np.where(is_known, level[:, BEFORE:] - centre, 0.0)
    distance = size / spread
    is_noticed = is_known & (np.abs(size) - REACH * spread > np.log(NOTICED))
    farthest = [
        _farthest(distance * sign, size * sign, is_noticed) for sign in (1.0, -1.0)
    ]
    newest, side = distance[:, -1], (size[:, -1] < 0).astype(int)
    usual = np.array([np.quantile(each, 1 - FALSE / groups) for each in farthest])
    stands_out = is_noticed[:, -1] & (np.abs(newest) > usual[side])
    as_far = np.array(farthest)[side] >= np.abs(newest)[:, np.newaxis]
    return EarlierCommits(
        is_known=is_known[:, -1],
        size=size[:, -1],
        reach=np.where(is_known[:, -1], REACH * spread[:, -1], np.inf),
        slower=stands_out & (side == 0),
        faster=stands_out & (side == 1),
        as_far=as_far.mean(axis=1),
        commits=number[:, -1],
    )


def _levels(log: Sequence[Reals]) -> Reals:
    """Return the newest levels of series, newest last, shape (S, commits), NaN before.

    A level is the mean over the settings of what lies beyond the series' own median.
    """
    levels = np.full((len(log), BEFORE + REPLAYED + 1), np.nan)
    for row, series in enumerate(log):
        newest = series[-levels.shape[1] :]
        beyond = filled(newest - np.nanmedian(newest, axis=0))
        levels[row, -len(newest) :] = beyond.mean(axis=1)
    return levels


def _since_step(before: Reals) -> tuple[Reals, Reals]:
    """Return the same of commits, shape (…, commits), since their last evident step."""
    centre, spread = _centre_and_spread(before)
    is_there = ~np.isnan(before)
    beyond = np.where(is_there, before - centre[..., np.newaxis], 0.0)
    number, until = is_there.sum(axis=-1, keepdims=True), is_there.cumsum(axis=-1)
    since, sums = number - until, beyond.cumsum(axis=-1)
    # A step between two means explains most squares of all steps.
    apart = sums - sums[..., -1:] * until / np.maximum(number, 1)
    explained = apart**2 * number / np.maximum(until * since, 1)
    is_possible = np.minimum(until, since) >= LEAST_SINCE
    at = np.where(is_possible, explained, -1.0).argmax(axis=-1)[..., np.newaxis]
    is_later = np.arange(before.shape[-1]) > at
    later = medians(np.where(is_later, before, np.nan), -1)
    earlier = medians(np.where(is_later, np.nan, before), -1)
    level = np.where(is_later, later[..., np.newaxis], earlier[..., np.newaxis])
    _, within = _centre_and_spread(before - level)
    until, since = (np.take_along_axis(each, at, -1)[..., 0] for each in (until, since))
    error = within * np.sqrt(1 / np.maximum(until, 1) + 1 / np.maximum(since, 1))
    within *= np.sqrt(1 + 1 / np.maximum(since, 1))
    is_evident = np.minimum(until, since) >= LEAST_SINCE
    is_evident &= (np.abs(later - earlier) > STEP * error) & (within < spread)
    return np.where(is_evident, later, centre), np.where(is_evident, within, spread)


def _centre_and_spread(before: Reals) -> tuple[Reals, Reals]:
    """Return medians and standard deviations along the last axis."""
    centre = medians(before, -1)
    deviation = np.nanstd(before, axis=-1, ddof=1)
    spread = np.maximum(spreads(before, centre, -1), SHARE_OF_DEVIATION * deviation)
    return centre, np.maximum(spread, FLOOR)


def _farthest(distance: Reals, size: Reals, is_noticed: NDArray[np.bool_]) -> Reals:
    """Return how far the farthest series lies at each earlier commit, shape (commits,).

    What lasts until the next commit was a change and does not count; 0 where no series
    is noticed.

    Parameters
    ----------
    distance, size
        Shape (S, commits + 1), in standard deviations and in logarithms.
    """
    lasts = size[:, 1:] > LASTING * size[:, :-1]
    is_passing = is_noticed[:, :-1] & (distance[:, :-1] > 0) & ~lasts
    return np.asarray(np.where(is_passing, distance[:, :-1], 0.0).max(axis=0))

"""Two modes: levels between which a series jumps from commit to commit.

A memory layout or a clock frequency that a job happens to get makes a series slow at
some commits and fast at others. With u the level of a commit, both models

    u ~ N(a, s²)      and      u ~ (1 - q) N(a, s²) + q N(b, s²)

are fitted (expectation maximisation), and two modes are told where the second is
likelier by far, both are frequent, and the jumps come as by chance: what stays where it
is for long wanders or changed. That the slow mode becomes more or less frequent is a
change, though no mode moved: the likelihood ratio of two shares against one.

References
----------
G. McLachlan and D. Peel, *Finite Mixture Models*, 2000, chapters 2 and 6.
A. Wald and J. Wolfowitz, *On a test whether two samples are from the same population*,
Annals of Mathematical Statistics 11, 1940 (runs).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, xlog1py, xlogy

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.spreads import medians
from scalewatch.modelling.histories.histories import Histories

STARTS: Final = ((0.2, 0.8), (0.1, 0.6), (0.4, 0.9))
"""Quantiles at which the fits begin."""

ROUNDS: Final = 40


@dataclass(frozen=True, slots=True, eq=False)
class Mixtures:
    """Mixtures of two levels, of S series each.

    Parameters
    ----------
    gain
        Twice the logarithm by which they are likelier than one level, shape (S,).
    apart, share, spread
        Distance of the levels, share of the upper, and scatter about them, (S,).
    upper
        Probability of each commit to be at the upper level, shape (S, T).
    left
        What commits lie beyond their levels by, shape (S, T).
    """

    gain: Reals
    apart: Reals
    share: Reals
    spread: Reals
    upper: Reals
    left: Reals


def two_levels(level: Reals) -> Mixtures:
    """Fit two levels to each series from several starts; the likeliest counts."""
    fits = [_from(level, *start) for start in STARTS]
    best = np.argmax([fit.gain for fit in fits], axis=0)

    def chosen(parts: list[Reals]) -> Reals:
        return np.asarray(np.stack(parts)[best, np.arange(len(level))])

    return Mixtures(
        chosen([fit.gain for fit in fits]),
        chosen([fit.apart for fit in fits]),
        chosen([fit.share for fit in fits]),
        chosen([fit.spread for fit in fits]),
        chosen([fit.upper for fit in fits]),
        chosen([fit.left for fit in fits]),
    )


def _from(level: Reals, low: float, high: float) -> Mixtures:
    commits = level.shape[1]
    lower, upper = np.quantile(level, (low, high), axis=1)[..., np.newaxis]
    single = level.std(axis=1, keepdims=True) + 1e-9
    share, spread = np.full_like(lower, 0.5), single / 2
    for _ in range(ROUNDS):
        odds = np.log(share / (1 - share))
        is_upper = expit(
            odds + ((level - lower) ** 2 - (level - upper) ** 2) / (2 * spread**2)
        )
        total = is_upper.sum(axis=1, keepdims=True)
        upper = (is_upper * level).sum(axis=1, keepdims=True) / (total + 1e-9)
        lower = ((1 - is_upper) * level).sum(axis=1, keepdims=True) / (
            commits - total + 1e-9
        )
        squares = is_upper * (level - upper) ** 2
        squares += (1 - is_upper) * (level - lower) ** 2
        spread = np.sqrt(squares.mean(axis=1, keepdims=True)) + 1e-6
        share = np.clip(total / commits, 1e-3, 1 - 1e-3)
    likelihood = np.logaddexp(
        np.log(share) - (level - upper) ** 2 / (2 * spread**2),
        np.log1p(-share) - (level - lower) ** 2 / (2 * spread**2),
    ).sum(axis=1) - commits * np.log(spread[:, 0])
    alone = -commits * (np.log(single[:, 0]) + 0.5)
    return Mixtures(
        2 * (likelihood - alone),
        (upper - lower)[:, 0],
        share[:, 0],
        spread[:, 0],
        is_upper,
        level - lower - is_upper * (upper - lower),
    )


WINDOW: Final = 100
"""Newest commits that are looked at."""

LEAST_COMMITS: Final = 40
CLEAR: Final = 14.0
"""Twice the logarithm by which two modes are likelier than one, at least."""

APART: Final = 2.4
"""Standard deviations within a mode between the modes, at least."""

RARE: Final = 0.1
"""Least share of a mode; a rarer one is a disturbed commit."""

LASTING: Final = -1.8
"""Standard deviations by which jumps may be fewer than by chance."""

SIDE: Final = 8
"""Commits on either side of a change of shares, at least."""

THRESHOLD: Final = 20.0
"""Likelihood ratio of a change of shares: of histories of 200 commits with two modes,
at most one in a hundred exceeds it without a change."""

HALF: Final = 0.5
HELD: Final = 100.0
"""Commits so many times less likely than the likeliest cannot have made a change."""


@dataclass(frozen=True, slots=True)
class Modes:
    """Two levels of a series.

    Parameters
    ----------
    apart
        Logarithm of the upper over the lower.
    share
        Of the newest commits, those at the upper level.
    """

    apart: float
    share: float


@dataclass(frozen=True, slots=True)
class ShareChange:
    """A change of how often a series is at its upper level.

    Parameters
    ----------
    series, at
        Its number, and that of the commit at which the change was clear.
    commit, first, last
        The likeliest commit to have made it, and those that may have.
    before, after
        Share of commits at the upper level.
    statistic
        Likelihood ratio, twice its logarithm.
    """

    series: int
    at: int
    commit: int
    first: int
    last: int
    before: float
    after: float
    statistic: float


@dataclass(frozen=True, slots=True, eq=False)
class TwoModes:
    """A series with two modes.

    Parameters
    ----------
    change
        The change of their shares, if any.
    first
        Number of the commit that the newest ones begin with.
    left
        What their levels lie beyond their modes by, in standard deviations, shape (T,).
    """

    modes: Modes
    change: ShareChange | None
    first: int
    left: Reals

    def step(self, before: int, after: int) -> float:
        """Return by how many standard errors both modes moved together.

        From the commits up to `before` to those from `after` on; 0 where none of them
        is among the newest.
        """
        sides = (
            self.left[: max(before - self.first, 0)],
            self.left[after - self.first :],
        )
        if after <= self.first or not all(map(len, sides)):
            return 0.0
        error = np.sqrt(sum(1 / len(side) for side in sides))
        return float((sides[1].mean() - sides[0].mean()) / error)


def modes(histories: Histories) -> dict[int, TwoModes]:
    """Return the series with two modes."""
    by_series = {}
    for length in np.unique(histories.length).tolist():
        if length < LEAST_COMMITS:
            continue
        rows = np.flatnonzero(histories.length == length)
        first = max(0, length - WINDOW)
        level = _levels(histories.log[rows, first:length])
        fit = two_levels(level)
        for place in _told(fit, level).tolist():
            series = int(rows[place])
            change = _changed(series, first, fit.upper[place])
            share = float(fit.share[place]) if change is None else change.after
            levels = Modes(float(fit.apart[place]), share)
            left = fit.left[place] / fit.spread[place]
            by_series[series] = TwoModes(levels, change, first, left)
    return by_series


def _levels(log: Reals) -> Reals:
    """Return how far each commit is from the middle, (S, T, n), shape (S, T).

    The largest and the smallest of four settings or more say nothing: one job at one
    setting is no mode of a commit. Commits far beyond all but the rarest are held.
    """
    beyond = np.sort(log - medians(log, 1)[:, np.newaxis], axis=2)
    count = (~np.isnan(beyond)).sum(axis=2, keepdims=True)
    cut = np.where(count >= 4, 1, 0)
    place = np.arange(log.shape[2])
    is_kept = (place >= cut) & (place < count - cut)
    total = np.where(is_kept, np.nan_to_num(beyond), 0.0).sum(axis=2)
    level = total / np.maximum(is_kept.sum(axis=2), 1)
    low, high = np.quantile(level, (RARE / 2, 1 - RARE / 2), axis=1)[..., np.newaxis]
    margin = (high - low) / 2
    return np.asarray(np.clip(level, low - margin, high + margin))


def _told(fit: Mixtures, level: Reals) -> NDArray[np.intp]:
    """Return which series have two modes."""
    is_apart = (fit.gain > CLEAR) & (fit.apart > APART * fit.spread)
    is_mixed = (fit.share > RARE) & (fit.share < 1 - RARE)
    rows = np.flatnonzero(is_apart & is_mixed)
    jumps = np.array([_jumps(fit, row, level[row]) for row in rows.tolist()], bool)
    return np.asarray(rows[jumps])


def _jumps(fit: Mixtures, row: int, level: Reals) -> bool:
    """Tell whether a series jumps as by chance, on both sides of a change of shares.

    A step between two levels that overlap would look like a change from one mode to
    both; two modes must explain the commits better than it does.
    """
    upper = fit.upper[row]
    ratios = _ratios(upper)
    if fit.gain[row] + ratios.max() - _gain_of_step(level) < CLEAR:
        return False
    at = SIDE + int(ratios.argmax()) if ratios.max() > THRESHOLD else len(upper)
    parts = [part > HALF for part in (upper[:at], upper[at:]) if len(part)]
    mixed = [part for part in parts if RARE < part.mean() < 1 - RARE]
    return bool(mixed) and min(map(_runs, mixed)) > LASTING


def _gain_of_step(level: Reals) -> float:
    """Return twice the logarithm by which one step is likelier than one level."""
    count = len(level)
    before = np.arange(1, count)
    sums = np.cumsum(level)[:-1]
    apart = (level.sum() - sums) / (count - before) - sums / before
    explained = apart**2 * before * (count - before) / count
    total = ((level - level.mean()) ** 2).sum()
    return float(
        -count * np.log1p(-min(explained.max() / max(total, 1e-300), 1 - 1e-12))
    )


def _runs(is_upper: NDArray[np.bool_]) -> float:
    """Return by how many standard deviations runs are more than by chance."""
    count, ones = len(is_upper), int(is_upper.sum())
    runs = 1 + np.count_nonzero(is_upper[1:] != is_upper[:-1])
    usual = 1 + 2 * ones * (count - ones) / count
    variance = (usual - 1) * (usual - 2) / (count - 1)
    return float((runs - usual) / np.sqrt(max(variance, 1e-9)))


def _changed(series: int, first: int, upper: Reals) -> ShareChange | None:
    """Return where the share of the upper level changed, if it did."""
    ratios = _ratios(upper)
    if ratios.max() <= THRESHOLD:
        return None
    tau = SIDE + int(ratios.argmax())
    near = SIDE + np.flatnonzero(ratios > ratios.max() - 2 * np.log(HELD))
    return ShareChange(
        series=series,
        at=first + _clear_at(upper, tau),
        commit=first + tau,
        first=first + int(near.min()),
        last=first + int(near.max()),
        before=float(upper[:tau].mean()),
        after=float(upper[tau:].mean()),
        statistic=float(ratios.max()),
    )


def _clear_at(upper: Reals, tau: int) -> int:
    """Return the first commit after a change at which it was clear."""
    for at in range(tau + SIDE - 1, len(upper)):
        if _ratios(upper[: at + 1]).max() > THRESHOLD:
            return at
    return len(upper) - 1


def _ratios(upper: Reals) -> Reals:
    """Return the likelihood ratio of another share from each commit on.

    Of T commits those from `SIDE` to T - `SIDE`.
    """
    count = len(upper)
    tau = np.arange(SIDE, count - SIDE + 1)
    sums = np.cumsum(upper)
    before, after = sums[tau - 1], sums[-1] - sums[tau - 1]
    apart = _likelihood(before, tau) + _likelihood(after, count - tau)
    return np.asarray(2 * (apart - _likelihood(sums[-1:], np.array([count]))))


def _likelihood(ones: Reals, count: NDArray[np.intp]) -> Reals:
    """Return the logarithm of the likelihood of a share, at its best."""
    held = np.clip(ones, 0.0, count)
    return np.asarray(xlogy(held, held / count) + xlog1py(count - held, -held / count))

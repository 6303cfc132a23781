"""Mixtures of two normal distributions with one variance, fitted to many series.

References
----------
G. McLachlan and D. Peel, *Finite Mixture Models*, 2000, chapter 2.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import expit

from scalewatch.modelling.arrays import Reals

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

"""Which part of a curve was multiplied: all of it, or only what grows.

Let a curve c₀ + c₁·τ with ρ = c₁/c₀ differ by d, the logarithm of after over before at
n settings, of mean m. If all of it was multiplied, d is m everywhere. If only what
grows was, by f, it is

    t = log((1 + f·ρ·τ) / (1 + ρ·τ)),    f such that the mean of t is m.

Either has one number to choose, the mean takes it away from both, and what is left is
whether d rises with τ as t does. With s = (d - m)·(t - m) / |t - m|² and the variance v
of a difference, the logarithm of the likelihood ratio is

    log P(d | growing part) - log P(d | everything) = |t - m|² / v · (s - 1/2).

What all settings of a commit share shifts m alone, and is no noise here. Where the
constant vanishes both are the same, and the ratio is 1.
"""

from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals

LARGEST: Final = float(np.log(1e4))
"""Of the logarithms of ρ and of f: beyond, nothing changes any more."""


def log_ratio(tau: Reals, level: Reals, difference: Reals, variance: float) -> float:
    """Return the logarithm of the likelihood of `growing part` over `everything`.

    Parameters
    ----------
    tau
        The growth at the settings, of any scale, shape (n,).
    level
        Log-locations of the curve before, shape (n,).
    difference
        Logarithm of after over before, shape (n,).
    variance
        Of one difference.
    """
    from scipy.optimize import brentq  # noqa: PLC0415 - see `_ratio`

    growing = tau / np.abs(tau).max()
    ratio = _ratio(growing, level)
    mean = float(difference.mean())

    def change(log_factor: float) -> Reals:
        after = np.log1p(np.exp(log_factor) * ratio * growing)
        changed: Reals = after - np.log1p(ratio * growing)
        return changed

    def excess(log_factor: float) -> float:
        return float(change(log_factor).mean()) - mean

    if excess(-LARGEST) * excess(LARGEST) >= 0:
        return -np.inf  # not even without its growing part would it be so fast
    template = change(brentq(excess, -LARGEST, LARGEST)) - mean
    left = difference - mean
    return float((left @ template - template @ template / 2) / variance)


def _ratio(growing: Reals, level: Reals) -> float:
    """Return ρ, by least squares of the logarithms."""
    # A sixth of the time in which a worker starts, who may never come here.
    from scipy.optimize import minimize_scalar  # noqa: PLC0415

    def misfit(log_ratio: float) -> float:
        residual = level - np.log1p(np.exp(log_ratio) * growing)
        return float(residual.var())

    best = minimize_scalar(misfit, bounds=(-LARGEST, LARGEST), method="bounded")
    return float(np.exp(best.x))

"""How the locations of a series scatter from commit to commit.

The covariance is taken of the differences between successive commits, which a change
spoils once and not for good, and shrunk towards compound symmetry: one variance for
all settings (each is a job of its own) and one covariance (the commit is the same).
"""

import numpy as np

from scalewatch.modelling.arrays import Reals

SHRINKAGE = 0.8
"""Share of compound symmetry; a half raises the threshold by one, see benchmarks."""

FLOOR = 1e-3
"""Least standard deviation of a location: counters that never vary, still do."""


def shrunk(products: Reals, differences: Reals) -> Reals:
    """Return covariances of locations, shape (S, n, n).

    Parameters
    ----------
    products
        Sums of the outer products of successive differences, shape (S, n, n).
    differences
        How many were added, shape (S,), at least one.
    """
    settings = products.shape[-1]
    covariance = products / (2 * differences)[:, np.newaxis, np.newaxis]
    variance, common = components(covariance)
    identity = np.eye(settings)
    symmetric = common[:, np.newaxis, np.newaxis] + np.multiply.outer(
        variance - common, identity
    )
    mixed: Reals = (1 - SHRINKAGE) * covariance + SHRINKAGE * symmetric
    return mixed + FLOOR**2 * identity


def components(covariance: Reals) -> tuple[Reals, Reals]:
    """Return the mean variance and the mean covariance of each, shape (S,)."""
    settings = covariance.shape[-1]
    diagonal = np.einsum("sii->s", covariance)
    variance = diagonal / settings
    pairs = max(settings * (settings - 1), 1)
    common = (covariance.sum(axis=(1, 2)) - diagonal) / pairs
    # The matrix stays positive: a common part neither exceeds nor cancels the rest.
    lowest = -0.9 * variance / max(settings - 1, 1)
    return variance, np.clip(common, lowest, 0.99 * variance)

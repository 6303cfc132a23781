"""Mutual information of a further measurement and the verdict.

Of the posterior remain normal densities of log G(p) with weights W_c, each belonging
to a verdict V. A measurement y of variance s² turns them into N(μ_c, σ_c² + s²), and

    I(V; y) = H(V) - E[H(V | y)]

in bits, with the expectation over outcomes drawn evenly from all of them.

References
----------
D. V. Lindley, "On a Measure of the Information Provided by an Experiment", Annals of
Mathematical Statistics 27, 1956.
"""

from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.rules.evidence.prior import RANKS

OUTCOMES: Final = 200
GOLDEN: Final = (5**0.5 - 1) / 2
MISMATCH: Final = len(RANKS) - 1


@dataclass(frozen=True, slots=True)
class BeliefAtSetting:
    """What is believed of log G at one setting.

    Parameters
    ----------
    weight
        W, shape (C,), sums to 1.
    mean, variance
        Of each density, shape (C,).
    rank
        Verdict of each density, index in `RANKS`.
    """

    weight: Reals
    mean: Reals
    variance: Reals
    rank: NDArray[np.intp]

    @property
    def median(self) -> float:
        """Median of the means."""
        order = np.argsort(self.mean)
        below = np.cumsum(self.weight[order])
        return float(self.mean[order[np.searchsorted(below, 0.5)]])

    @property
    def verdicts(self) -> Reals:
        """Posterior of the verdicts, shape (3,)."""
        shares = np.bincount(self.rank, self.weight, len(RANKS))
        return np.asarray(shares, dtype=np.float64)

    def verdicts_after(self, scatter: Reals) -> Reals:
        """Return the posterior of verdicts after each outcome, (OUTCOMES, 3).

        Parameters
        ----------
        scatter
            Variance of the measurement under each density, shape (C,).
        """
        variance = self.variance + scatter
        part, z = _draws(self.weight)
        outcomes = self.mean[part] + np.sqrt(variance[part]) * z
        # In place: these 200 by 400 numbers take most of the time of a proposal.
        density = outcomes[:, np.newaxis] - self.mean
        density *= density
        density /= variance
        density -= density.min(axis=1, keepdims=True)
        density /= -2
        np.exp(density, out=density)
        density *= self.weight / np.sqrt(variance)
        verdicts = np.stack(
            [density[:, self.rank == rank].sum(axis=1) for rank in range(len(RANKS))],
            axis=1,
        )
        verdicts /= verdicts.sum(axis=1, keepdims=True)
        return verdicts


def entropy(probability: Reals) -> Reals:
    """Return the entropy along the last axis, in bits."""
    logs = np.log2(probability, out=np.zeros_like(probability), where=probability > 0)
    bits: Reals = -(probability * logs).sum(axis=-1)
    return bits


def is_settled(verdicts: Reals, level: float) -> NDArray[np.bool_]:
    """Tell where a posterior of verdicts settles one, as `verdict.decide` does."""
    mismatch = verdicts[..., MISMATCH]
    return (mismatch >= level) | (mismatch <= 1 - level)


def _draws(weight: Reals) -> tuple[NDArray[np.intp], Reals]:
    """Return OUTCOMES densities, each as often as it weighs, and normal numbers."""
    even, normal = _points()
    part = np.searchsorted(np.cumsum(weight), even * weight.sum())
    return np.minimum(part, len(weight) - 1), normal


@lru_cache
def _points() -> tuple[Reals, Reals]:
    steps = (np.arange(OUTCOMES) + 0.5) / OUTCOMES
    scattered = (0.5 + GOLDEN * np.arange(OUTCOMES)) % 1
    inverse = np.vectorize(NormalDist().inv_cdf)
    return steps, inverse(np.clip(scattered, 1e-6, 1 - 1e-6))

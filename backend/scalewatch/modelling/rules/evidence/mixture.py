"""Mixtures of normal densities and their quantiles, one mixture per series.

Of a mixture the `KEPT` heaviest parts are enough; a quantile is found by bisection of
the distribution function, with Φ(z) ≈ ½ (1 + tanh(√(2/π) (z + 0.044715 z³))), which
is within 0.0002.

References
----------
D. Hendrycks and K. Gimpel, "Gaussian Error Linear Units", arXiv:1606.08415 (Φ).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scalewatch.modelling.arrays import Reals

KEPT = 1000
STEPS = 20
"""Halvings; the first interval is some tens wide, in units of the natural logarithm."""

NEGLIGIBLE = 1e-7
"""Weight of a part that no quantile depends on."""

AT_ONCE = 2**16
"""Numbers that are worked on together: as many as a processor's cache holds."""

REACH = 6.0
"""Standard deviations beyond which a normal density counts as zero."""


@dataclass(frozen=True, slots=True)
class Mixture:
    """C normal densities for each of T targets and S series, weights in common.

    Parameters
    ----------
    log_weight
        But for a summand per series, shape (C, S).
    mean
        Shape (T, C, S).
    deviation
        Standard deviations, shape (T, C, S).
    """

    log_weight: Reals
    mean: Reals
    deviation: Reals

    @classmethod
    def joined(cls, parts: Sequence["Mixture"]) -> "Mixture":
        """Put mixtures together whose weights are relative to each other."""
        return cls(
            np.concatenate([part.log_weight for part in parts]),
            np.concatenate([part.mean for part in parts], axis=1),
            np.concatenate([part.deviation for part in parts], axis=1),
        )

    def weighted(self, log_factor: Reals | float) -> "Mixture":
        """Return it with other weights, factors of shape (), (C, 1) or (C, S)."""
        return replace(self, log_weight=self.log_weight + log_factor)

    def heaviest(self) -> "Mixture":
        """Return the heaviest parts of each series."""
        if len(self.log_weight) <= KEPT:
            return self
        lightness = -self.log_weight.T
        kept = np.argpartition(lightness, KEPT, axis=1)[:, :KEPT].T
        return Mixture(
            np.take_along_axis(self.log_weight, kept, axis=0),
            np.take_along_axis(self.mean, kept[np.newaxis], axis=1),
            np.take_along_axis(self.deviation, kept[np.newaxis], axis=1),
        )

    def quantiles(self, levels: Sequence[float]) -> Reals:
        """Return quantiles, shape (T, len(levels), S)."""
        # Series first: a sum along the last axis does not depend on other series.
        weight = np.exp(self.log_weight - self.log_weight.max(axis=0)).T.copy()
        weight /= weight.sum(axis=1, keepdims=True)
        at_once = max(1, AT_ONCE // (weight.size * len(levels)))
        starts = range(at_once, len(self.mean), at_once)
        parts = zip(
            np.split(self.mean, starts), np.split(self.deviation, starts), strict=True
        )
        return np.concatenate(
            [
                _quantiles(
                    weight,
                    mean.transpose(0, 2, 1).copy(),
                    deviation.transpose(0, 2, 1).copy(),
                    levels,
                )
                for mean, deviation in parts
            ]
        )


def _quantiles(
    weight: Reals, mean: Reals, deviation: Reals, levels: Sequence[float]
) -> Reals:
    """Return quantiles, shape (T, len(levels), S), of parts of shape (T, S, C)."""
    centre = (weight * mean).sum(axis=2, keepdims=True)
    sharpness = (math.sqrt(2 / math.pi) / deviation).astype(np.float32)
    shares = weight.astype(np.float32)
    place = (mean - centre).astype(np.float32)
    counts = weight > NEGLIGIBLE
    lowest = np.where(counts, place - REACH * deviation, np.inf).min(axis=2)
    highest = np.where(counts, place + REACH * deviation, -np.inf).max(axis=2)
    wanted = np.array(levels, dtype=np.float32)[:, np.newaxis]
    low, high = (
        np.repeat(end[:, np.newaxis], len(levels), axis=1) for end in (lowest, highest)
    )
    for _ in range(STEPS):
        middle = (low + high) / 2
        z = middle[..., np.newaxis].astype(np.float32) - place[:, np.newaxis]
        z *= sharpness[:, np.newaxis]
        z += (0.044715 * math.pi / 2) * z * z * z
        np.tanh(z, out=z)
        z *= shares
        is_above = (z.sum(axis=3) + 1) / 2 < wanted
        low = np.where(is_above, middle, low)
        high = np.where(is_above, high, middle)
    return np.asarray((low + high) / 2 + centre[..., 0][:, np.newaxis])

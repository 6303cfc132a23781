"""How likely a misfit is when the size of the noise is known only by estimate.

Residuals are relative; of n points, R(h) = Σ ω·r² is what a hypothesis h leaves. The
variance of a location is λ·s₀², of which s₀² is measured with ν₀ degrees of freedom
and the excess λ has the prior shares q_λ. Integrated over the variance, over λ and
over the level of the curve, which takes one degree of freedom, the likelihood is a
mixture of Student densities. With z = R / (ν₀ s₀²) and ν = ν₀ + n - 1 it is

    exp φ(z) = Σ_λ q_λ · λ^(ν₀/2) · (λ + z)^(-ν/2)

but for a factor that all hypotheses share. About z it falls like that of a single
variance with E = ν₀ s₀² · Σ u_λ / Σ (u_λ / (λ + z)), u_λ the terms of the sum.

References
----------
A. Gelman et al., "Bayesian Data Analysis", 3rd ed. 2013, section 14.2 (the integral
over the variance).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from scalewatch.modelling.arrays.scratch import Scratch
from scalewatch.modelling.arrays.types import Indices, Reals, Singles
from scalewatch.modelling.measurements.assumptions import EXCESSES, Noise
from scalewatch.modelling.measurements.location import Location

LARGEST = 1e20
"""Largest z, far beyond all that is likely, that single precision can square."""

NEGLIGIBLE = 16.0
"""Fall of φ from the likeliest curve behind which nothing can be told of a curve."""


@dataclass(frozen=True, slots=True)
class Limit:
    """Behind which curves are negligible.

    Parameters
    ----------
    misfit
        Beyond it they are, shape (S,).
    log_evidence
        What is said of them instead, shape (S,).
    """

    misfit: Reals
    log_evidence: Singles


NO_LIMIT: Final = Limit(np.array(np.inf), np.array(-np.inf, dtype=np.float32))


@dataclass(frozen=True, slots=True)
class Likelihood:
    """φ of a batch of series; sums of positive terms, so single precision suffices.

    Parameters
    ----------
    unit
        ν₀ s₀², shape (S,).
    prior_freedom, freedom
        ν₀ and ν, shape (S,).
    shares
        q, one per excess.
    """

    unit: Reals
    prior_freedom: Singles
    freedom: Singles
    shares: tuple[float, ...]

    @classmethod
    def of(cls, location: Location, noise: Noise) -> "Likelihood":
        """Return that of measurements under assumptions about their noise."""
        points = np.count_nonzero(location.weight, axis=0)
        return cls(
            unit=location.freedom * location.variance,
            prior_freedom=location.freedom.astype(np.float32),
            freedom=(location.freedom + points - 1).astype(np.float32),
            shares=noise.shares,
        )

    def at(self, series: Indices) -> "Likelihood":
        """Return that of some series, which may occur repeatedly."""
        return Likelihood(
            self.unit.take(series),
            self.prior_freedom.take(series),
            self.freedom.take(series),
            self.shares,
        )

    def limit(self, least: Reals) -> Limit:
        """Return where curves are negligible beside one of this misfit, shape (S,).

        A sum of four terms is at most four times the largest of them, whose z follows
        from its value.
        """
        phi, _ = self(least, Scratch(least.shape))
        largest = phi - np.float32(NEGLIGIBLE + math.log(len(EXCESSES)))
        power = -2 / self.freedom
        z = np.zeros_like(phi)
        for excess, share in zip(EXCESSES, self.shares, strict=True):
            if share:
                scale = self.prior_freedom * (math.log(excess) / 2) + math.log(share)
                each = np.exp((largest - scale) * power)
                np.maximum(z, each - np.float32(excess), out=z)
        return Limit(np.maximum(z * self.unit, least), phi - 2 * NEGLIGIBLE)

    def __call__(self, misfit: Reals, scratch: Scratch) -> tuple[Singles, Singles]:
        """Return φ and E at misfits R, shape (…, S) as that of `scratch`."""
        larger = self._larger(misfit, scratch)
        smaller = np.divide(1, larger, out=scratch.singles())
        whole, falling = self._sums(smaller, scratch)
        energy = np.divide(whole, falling, out=falling)
        energy *= larger
        energy *= self.unit.astype(np.float32)
        phi = np.log(larger, out=larger)
        phi *= self.freedom / -2
        phi += np.log(whole, out=whole)
        scratch.take_back(smaller, whole)
        return phi, energy

    def variance(self, misfit: Reals) -> Reals:
        """Return what is expected of the variance at misfits R, shape (S,)."""
        larger = 1 + np.minimum(misfit / self.unit, LARGEST)
        smaller = (1 / larger).astype(np.float32)
        whole = np.full_like(smaller, self.shares[0])
        weighted = whole.copy()
        for term, ratio in self._terms(smaller, Scratch(misfit.shape)):
            whole += term
            weighted += term * ratio
        return np.asarray(self.unit * larger * weighted / whole / self.freedom)

    def _larger(self, misfit: Reals, scratch: Scratch) -> Singles:
        """Return 1 + z."""
        z = np.divide(misfit, self.unit, out=scratch.reals())
        np.minimum(z, LARGEST, out=z)
        larger = scratch.singles()
        np.add(z, 1, out=larger, casting="same_kind")
        scratch.take_back(z)
        return larger

    def _sums(self, smaller: Singles, scratch: Scratch) -> tuple[Singles, Singles]:
        """Return Σ u and Σ u/ρ, ρ = (λ + z)/(1 + z); `smaller` is 1/(1 + z)."""
        whole, falling = scratch.singles(), scratch.singles()
        whole[:] = falling[:] = self.shares[0]
        for term, ratio in self._terms(smaller, scratch):
            whole += term
            np.divide(term, ratio, out=ratio)
            falling += ratio
        return whole, falling

    def _terms(
        self, smaller: Singles, scratch: Scratch
    ) -> Iterator[tuple[Singles, Singles]]:
        """Yield u_λ·(1 + z)^(ν/2), which neither overflows nor vanishes, and ρ.

        Those of the least λ, 1, are its share and 1 and are left out. Each pair is
        overwritten by the next.
        """
        ratio, term = scratch.singles(), scratch.singles()
        for excess, share in zip(EXCESSES[1:], self.shares[1:], strict=True):
            if not share:
                continue
            np.multiply(smaller, excess - 1, out=ratio)
            ratio += 1
            np.log(ratio, out=term)
            term *= self.freedom / -2
            term += self.prior_freedom * (math.log(excess) / 2) + math.log(share)
            np.exp(term, out=term)
            yield term, ratio
        scratch.take_back(ratio, term)

"""Likelihood of a misfit where the size of the noise is known only by estimate.

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
from dataclasses import dataclass
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals, Singles
from scalewatch.modelling.measurements.assumptions import EXCESSES, Noise
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.rules.evidence.least_squares import Fit, Places, Sums

LARGEST = 1e20
"""Largest z, far beyond all that is likely, that single precision can square."""

NEGLIGIBLE = 16.0
"""Fall of φ from the likeliest curve behind which nothing can be told of a curve."""


@dataclass(frozen=True, slots=True)
class Limit:
    """Misfit beyond which curves are negligible.

    Parameters
    ----------
    misfit
        Shape (S,).
    log_evidence
        Evidence that negligible curves get, shape (S,).
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
        """Return the likelihood of measurements under assumptions about their noise."""
        points = np.count_nonzero(location.weight, axis=0)
        return cls(
            unit=location.freedom * location.variance,
            prior_freedom=location.freedom.astype(np.float32),
            freedom=(location.freedom + points - 1).astype(np.float32),
            shares=noise.shares,
        )

    def at(self, series: Indices) -> "Likelihood":
        """Return the likelihood of some series, which may occur repeatedly."""
        return Likelihood(
            self.unit.take(series),
            self.prior_freedom.take(series),
            self.freedom.take(series),
            self.shares,
        )

    def limit(self, least: Reals, phi: Singles) -> Limit:
        """Return where curves are negligible beside one of this misfit and φ, (S,).

        A sum of four terms is at most four times the largest of them, whose z follows
        from its value.
        """
        largest = phi - np.float32(NEGLIGIBLE + math.log(len(EXCESSES)))
        power = -2 / self.freedom
        z = np.zeros_like(phi)
        for excess, share in zip(EXCESSES, self.shares, strict=True):
            if share:
                scale = self.prior_freedom * (math.log(excess) / 2) + math.log(share)
                larger = np.exp((largest - scale) * power)
                np.maximum(z, larger - np.float32(excess), out=z)
        return Limit(np.maximum(z * self.unit, least), phi - 2 * NEGLIGIBLE)

    def __call__(self, misfit: Reals) -> tuple[Singles, Singles]:
        """Return φ and E at misfits R, shape (…, S)."""
        z = np.minimum(misfit / self.unit, LARGEST)
        larger = (z + 1).astype(np.float32)
        terms, ratios = self._terms(np.reciprocal(larger))
        whole = self._sum(terms)
        np.divide(terms, ratios, out=terms)
        energy = whole / self._sum(terms)
        energy *= larger
        energy *= self.unit.astype(np.float32)
        phi = np.log(larger, out=larger)
        phi *= self.freedom / -2
        phi += np.log(whole, out=whole)
        return phi, energy

    def variance(self, misfit: Reals) -> Reals:
        """Return the expected variance at misfits R, shape (S,)."""
        larger = 1 + np.minimum(misfit / self.unit, LARGEST)
        terms, ratios = self._terms((1 / larger).astype(np.float32))
        weighted = self._sum(terms * ratios)
        return np.asarray(
            self.unit * larger * weighted / self._sum(terms) / self.freedom
        )

    def _terms(self, smaller: Singles) -> tuple[Singles, Singles]:
        """Return u_λ·(1 + z)^(ν/2), which neither overflows nor vanishes, and ρ.

        ρ = (λ + z)/(1 + z), and `smaller` is 1/(1 + z), shape (…, S). Both have one
        more axis in front, of the λ that have a share. Those of the least λ, 1, are its
        share and 1 and are left out.
        """
        others = zip(EXCESSES[1:], self.shares[1:], strict=True)
        known = [(each - 1, math.log(each) / 2, math.log(q)) for each, q in others if q]
        column = np.array(known, dtype=np.float32).reshape(-1, 3, *[1] * smaller.ndim)
        more, half_log, log_share = column[:, 0], column[:, 1], column[:, 2]
        ratio = smaller * more
        ratio += 1
        term = np.log(ratio)
        term *= self.freedom / -2
        term += self.prior_freedom * half_log + log_share
        return np.exp(term, out=term), ratio

    def _sum(self, terms: Singles) -> Singles:
        """Add up terms and that of the least λ, in this order for any shape."""
        added = np.full(terms.shape[1:], self.shares[0], dtype=np.float32)
        for term in terms:
            added += term
        return added


@dataclass(frozen=True, slots=True)
class Peaks:
    """Likelihoods at their maxima, at K of all curves and series.

    Parameters
    ----------
    places
        Which ones.
    sums, fit
        At these places.
    phi
        φ of the best fit, shape (K,).
    share
        E/ν, shape (K,).
    freedom
        ν, shape (K,).
    alone
        φ of the base of each curve alone, shape (K,); -∞ where that does not compete.
    """

    places: Places
    sums: Sums
    fit: Fit
    phi: Singles
    share: Singles
    freedom: Singles
    alone: Singles

    @classmethod
    def of(
        cls,
        sums: Sums,
        fit: Fit,
        likelihood: Likelihood,
        places: Places,
        alone: Singles,
    ) -> "Peaks":
        """Return the peaks of some fits; sums and fits are of all, shape (H, S)."""
        sums, fit = sums.at(places), fit.at(places)
        of_series = likelihood.at(places.series)
        phi, share = of_series(fit.misfit)
        share /= of_series.freedom
        return cls(places, sums, fit, phi, share, of_series.freedom, alone)

    def part(self, part: slice, first: int) -> "Peaks":
        """Return some of them, with curves counted from the `first`."""
        return Peaks(
            self.places.rows(part, first),
            self.sums.rows(part),
            self.fit.rows(part),
            self.phi[part],
            self.share[part],
            self.freedom[part],
            self.alone[part],
        )

"""Weighing of all curves for a block of series, by the likelihood of their misfits.

Sums, fits and likelihoods are arrays of curves by series. Widths are evaluated only at
the places that are not negligible (`Limit`), a few of a hundred.

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
from typing import Final, Protocol

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals, Scratch, Singles
from scalewatch.modelling.measurements.assumptions import EXCESSES, Noise
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.rules.evidence.assumptions import ASSUMED
from scalewatch.modelling.rules.evidence.least_squares import (
    FAINTEST,
    Fit,
    Measured,
    Places,
    ScaledCurves,
    Sums,
)


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
        largest = phi - np.float32(ASSUMED.negligible_fall + math.log(len(EXCESSES)))
        power = -2 / self.freedom
        z = np.zeros_like(phi)
        for excess, share in zip(EXCESSES, self.shares, strict=True):
            if share:
                scale = self.prior_freedom * (math.log(excess) / 2) + math.log(share)
                larger = np.exp((largest - scale) * power)
                np.maximum(z, larger - np.float32(excess), out=z)
        return Limit(
            np.maximum(z * self.unit, least), phi - 2 * ASSUMED.negligible_fall
        )

    def __call__(self, misfit: Reals) -> tuple[Singles, Singles]:
        """Return φ and E at misfits R, shape (…, S)."""
        z = np.minimum(misfit / self.unit, ASSUMED.largest_z)
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
        larger = 1 + np.minimum(misfit / self.unit, ASSUMED.largest_z)
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


class Fits(Protocol):
    """Fits and weights of curves of one kind, see `GrowthFits`."""

    def solve(self, sums: Sums, fit: Fit, spare: Reals) -> None:
        """Write the best fits of all curves, shape (H, S)."""

    def width(self, peaks: Peaks) -> Singles:
        """Return the width of the likelihood relative to the prior at K places."""


@dataclass(frozen=True, eq=False)
class Competing:
    """H curves that compete.

    Parameters
    ----------
    curves
        All of them.
    parts
        Which of them are of a kind, one after the other.
    """

    curves: ScaledCurves
    parts: tuple[tuple[slice, Fits], ...]

    def weigh(
        self,
        measured: Measured,
        likelihood: Likelihood,
        scratch: Scratch,
        *,
        thoroughly: bool = False,
        rival: Reals | float = -np.inf,
    ) -> "Weighed":
        """Weigh every curve for every series; the scratch is of shape (H, S).

        Unless it is done `thoroughly`, curves that are negligible beside the best one
        of their series, or beside a rival of this φ, get one and the same small
        evidence.
        """
        with np.errstate(all="ignore"):
            sums = Sums.of(self.curves, measured, scratch)
            fit, spare = Fit.empty(scratch), scratch.reals()
            for rows, part in self.parts:
                part.solve(sums.rows(rows), fit.rows(rows), spare[rows])
            scratch.take_back(spare)
            fit.compare_logarithms(self.curves, measured, scratch)
            least = np.minimum.reduce(fit.misfit)
            bases, _ = self.curves.every_alone
            phi, _ = likelihood(np.stack([least, *fit.misfit[bases]]))
            best = np.maximum(phi[0], rival).astype(np.float32)
            limit = NO_LIMIT if thoroughly else likelihood.limit(least, best)
            log_evidence = scratch.singles()
            log_evidence[:] = limit.log_evidence
            places = Places.where(fit.misfit <= limit.misfit)
            peaks = Peaks.of(sums, fit, likelihood, places, self._at(places, phi[1:]))
            np.put(log_evidence, places.flat, peaks.phi + np.log(self._width(peaks)))
            log_evidence[bases] = phi[1:]
        sums.give_back(scratch)
        # A base alone is at its lower bound like any term that is not seen.
        fit.constant[bases] *= 1 + FAINTEST
        fit.slope[bases] = 0.0
        return Weighed(log_evidence, least, phi[0], fit, measured.level)

    def _at(self, places: Places, alone: Singles) -> Singles:
        """Return φ of the base alone of each place; -∞ where that does not compete."""
        _, of_curves = self.curves.every_alone
        series = alone.shape[1]
        none = np.full((1, series), -np.inf, dtype=np.float32)
        flat = of_curves.take(places.curve) * series + places.series
        known: Singles = np.concatenate([alone, none]).take(flat)
        return known

    def _width(self, peaks: Peaks) -> Singles:
        """Return how wide the likelihood is beside the prior at each place."""
        width = np.empty_like(peaks.phi)
        for rows, part in self.parts:
            start, end = peaks.places.curve.searchsorted((rows.start, rows.stop))
            here = slice(start, end)
            width[here] = part.width(peaks.part(here, rows.start))
        return width


@dataclass(frozen=True, slots=True)
class Weighed:
    """Evidence and fits of all curves for S series.

    Parameters
    ----------
    log_evidence
        log Z, but for a summand per series, shape (H, S).
    misfit, phi
        The least misfit of all curves, and its φ, shape (S,).
    fit
        Of all curves, in units of exp `level`.
    level
        Mean logarithm of the locations, shape (S,).
    """

    log_evidence: Singles
    misfit: Reals
    phi: Singles
    fit: Fit
    level: Reals

    @property
    def fits(self) -> tuple[Reals, Reals]:
        """c₀ and c₁ of all curves, shape (H, S) each."""
        return self.fit.constant, self.fit.slope

    def coefficients(self, rows: Indices) -> Reals:
        """Return c₀ and c₁ of a curve of each series, shape (2, S)."""
        places = rows * len(rows) + np.arange(len(rows))
        taken = np.stack([each.take(places) for each in self.fits])
        taken *= np.exp(self.level)
        return taken

    def give_back(self, scratch: Scratch) -> None:
        """Return to the scratch the arrays that were taken from it."""
        scratch.take_back(self.log_evidence, *self.fit.arrays)

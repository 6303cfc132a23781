"""Weighing of all curves for a block of series at once.

Sums, fits and likelihoods are arrays of curves by series. Widths are evaluated only at
the places that are not negligible (`likelihood.Limit`), a few of a hundred.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals, Scratch, Singles
from scalewatch.modelling.rules.evidence.least_squares import (
    FAINTEST,
    Fit,
    Measured,
    Places,
    ScaledCurves,
    Sums,
)
from scalewatch.modelling.rules.evidence.likelihood import NO_LIMIT, Likelihood, Peaks


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
            if measured.precision is not None:
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

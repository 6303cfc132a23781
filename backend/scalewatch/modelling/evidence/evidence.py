"""Evidence of one growth each, f(x) = c₀ + c₁·τ(x), in closed form and in batches.

Both terms may be multiplied by a base, f(x) = u(x)·(c₀ + c₁·τ(x)); what is said below
of the constant holds for the base.

The prior of ξ = log c₁/c₀ is uniform from L = log `FAINTEST`, where the term has
become invisible, to U = log 50/min τ, where the constant has; beyond U, with a share
of a = `ALONE`, there is no constant. So the evidence of a growth is

    Z = (1/(U + a - L)) ∫ exp φ(ξ) dξ = exp φ(ξ̂) · W / (U + a - L),

φ of `likelihood` at the misfits of `relative`, and W is the width of the likelihood
about its maximum. Inside [L, U] that is the width of a normal density, plus plateaus
where the curve is already the constant (below) or the term alone (above):

    sd² = (E/ν) · (c₀² S₁₁ + 2 c₀c₁ S₁₂ + c₁² S₂₂) / (c₀² c₁² D),
    W = √(2π) sd [Φ((U-ξ̂)/sd) - Φ((L-ξ̂)/sd)]
        + exp(φ_c - φ)·(ξ̂ - 2sd - L)₊ + exp(φ_p - φ)·((U - ξ̂ - 2sd)₊ + a).

At the lower bound φ falls with the slope s = -dφ/dξ, and W = e^s E₁(s). At the upper
one it falls like r·e^(U-ξ) with r = (ν/2E)·dR/d(c₀/c₁)·e^(-U), and W = E₁(r) + a.
The exponential integral is e^x E₁(x) ≈ log(1 + (e^-γ + x)/(x + x²)).

Against quadrature the posterior of the growths is off by 0.0005 … 0.05 in total
variation, see benchmarks/README.md. Sums and fits need double precision, because
they subtract; φ and W, which only add, are computed in single.

References
----------
D. J. C. MacKay, "Information Theory, Inference, and Learning Algorithms", 2003,
chapters 27 and 28 (Laplace's method and Occam factors).
M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions", 5.1.11 and
5.1.20 (E₁ for small and for large arguments).
"""

import math
from dataclasses import dataclass

import numpy as np

from scalewatch.modelling.arrays.scratch import Scratch
from scalewatch.modelling.arrays.types import Indices, Reals, Singles
from scalewatch.modelling.evidence.curves import ScaledCurves
from scalewatch.modelling.evidence.least_squares import (
    FAINTEST,
    Fit,
    Sums,
    level_and_inverses,
)
from scalewatch.modelling.evidence.likelihood import Likelihood
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.location import Location

LOWEST = math.log(FAINTEST)
"""L."""

PUREST = 50.0
"""Ratio of term to constant, where the term is smallest, that hides the constant."""

ALONE = 0.5
"""a, in the unit of ξ."""

LEAST_TAU = 1e-12
"""A term this small counts as zero, which does not bound ξ."""

SMALLEST, LARGEST = 1e-15, 1e15
"""Bounds that keep single precision finite."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one batch of series says about each growth.

    Parameters
    ----------
    log_evidence
        log Z, but for a summand per series, shape (H, S).
    fit
        Best fits, c₁ of τ, in units of exp `level`.
    level
        Mean logarithm of the locations, shape (S,).
    """

    log_evidence: Singles
    fit: Fit
    level: Reals


def weigh(
    curves: ScaledCurves, location: Location, noise: Noise, scratch: Scratch
) -> Evidence:
    """Weigh every growth for every series.

    What is found about a series does not depend on the series beside it.

    Parameters
    ----------
    curves
        Of H growths.
    location
        Of n points and S series.
    noise
        Assumptions about their noise.
    scratch
        Of shape (H, S); `log_evidence` and `fit.arrays` are taken from it.
    """
    level, w = level_and_inverses(location)
    # Formulas of the interior are evaluated beyond its bounds too, then replaced.
    with np.errstate(all="ignore"):
        sums = Sums.of(curves, w, location.weight, scratch)
        fit = Fit.of(sums, scratch)
        likelihood = Likelihood.of(location, noise)
        phi, energy = likelihood(fit.misfit, scratch)
        energy /= likelihood.freedom
        peak = _Peak(sums, fit, phi, energy, likelihood.freedom, scratch)
        top = highest(curves.tau).astype(np.float32)
        log_evidence = peak.log_evidence(top, curves.alone)
    sums.give_back(scratch)
    scratch.take_back(phi, energy)
    if curves.alone is not None:
        # The constant is at its lower bound like any term that is not seen.
        alone = np.unique(curves.alone)
        fit.constant[alone] *= 1 + FAINTEST
        fit.slope[alone] = 0.0
    return Evidence(log_evidence, fit, level)


def highest(tau: Reals) -> Reals:
    """Return U of each growth, shape (H, 1)."""
    least = np.where(tau > LEAST_TAU, tau, 1.0).min(axis=1, keepdims=True)
    bound: Reals = np.log(PUREST / least)
    return bound


@dataclass(frozen=True, slots=True)
class _Peak:
    """The likelihood about its maximum; `share` is E/ν."""

    sums: Sums
    fit: Fit
    phi: Singles
    share: Singles
    freedom: Singles
    scratch: Scratch

    def log_evidence(self, top: Singles, alone: Indices | None) -> Singles:
        """Return log Z; `top` is U, `alone` the row of the constant of each growth.

        Without it the plateau below is left out.
        """
        scratch = self.scratch
        place, deviation = self._maximum()
        width = self._normal_width(place, deviation, top)
        deviation *= 2
        flat, spare = scratch.singles(), scratch.singles()
        if alone is not None:
            self.phi.take(alone, axis=0, out=flat, mode="clip")
            flat -= self.phi
            np.exp(flat, out=flat)
            np.subtract(place, deviation, out=spare)
            spare -= LOWEST
            flat *= np.maximum(spare, 0, out=spare)
            width += flat
        place += deviation
        beyond = np.subtract(top, place, out=spare)
        np.maximum(beyond, 0, out=beyond)
        beyond += ALONE
        beyond *= self._pure_ratio(out=flat)
        width += beyond
        # Few fits are at a bound, so that its formulas are evaluated for these alone.
        faint, pure = map(np.flatnonzero, (self.fit.is_faint, self.fit.is_pure))
        width.reshape(-1)[faint] = self._faint_width(faint)
        width.reshape(-1)[pure] = self._pure_width(pure, top)
        width /= top + (ALONE - LOWEST)
        if alone is not None:
            width[np.unique(alone)] = 1
        np.clip(width, SMALLEST, 1, out=width)
        np.log(width, out=width)
        width += self.phi
        scratch.take_back(place, deviation, flat, spare)
        return width

    def _maximum(self) -> tuple[Singles, Singles]:
        """Return ξ̂ and its standard deviation."""
        sums, c1, scratch = self.sums, self.fit.slope, self.scratch
        spare = scratch.reals()
        c0 = np.multiply(c1, SMALLEST, out=scratch.reals())
        np.maximum(self.fit.constant, c0, out=c0)
        product = np.multiply(c0, c1, out=scratch.reals())
        form = np.multiply(product, sums.s12, out=scratch.reals())
        form *= 2
        np.multiply(c1, c1, out=spare)
        spare *= sums.s22
        form += spare
        np.multiply(c0, c0, out=spare)
        spare *= sums.s11
        form += spare
        product *= product
        product *= self.fit.determinant
        form /= product
        deviation = single(form, out=scratch.singles())
        deviation *= self.share
        place = single(np.divide(c1, c0, out=spare), out=scratch.singles())
        scratch.take_back(spare, c0, product, form)
        return np.log(place, out=place), np.sqrt(deviation, out=deviation)

    def _normal_width(
        self, place: Singles, deviation: Singles, top: Singles
    ) -> Singles:
        """Return √(2π) sd [Φ((U-ξ̂)/sd) - Φ((L-ξ̂)/sd)]."""
        scratch = self.scratch
        cube = scratch.singles()
        above = np.subtract(top, place, out=scratch.singles())
        above /= deviation
        twice_normal(above, cube)
        below = np.subtract(LOWEST, place, out=scratch.singles())
        below /= deviation
        above -= twice_normal(below, cube)
        above *= deviation
        above *= math.sqrt(math.pi / 2)
        scratch.take_back(below, cube)
        return above

    def _pure_ratio(self, out: Singles) -> Singles:
        """Return the likelihood of the term alone, relative to the best fit."""
        more = np.multiply(self.sums.y2, self.sums.y2, out=self.scratch.reals())
        more /= self.sums.s22
        np.subtract(self.sums.mass, more, out=more)
        more -= self.fit.misfit
        single(more, out=out)
        out /= self.share
        out /= self.freedom
        out += 1
        np.log(out, out=out)
        out *= self.freedom / -2
        self.scratch.take_back(more)
        return np.exp(out, out=out)

    def _faint_width(self, places: Indices) -> Singles:
        """Return W at the lower bound, for some growths and series."""
        sums, slope = self.sums, self.fit.slope.take(places)
        decline = self.fit.constant.take(places) * sums.s12.take(places)
        decline += slope * sums.s22.take(places)
        decline -= sums.y2.take(places)
        decline *= slope
        return _scaled_e1(single(decline) / self.share.take(places))

    def _pure_width(self, places: Indices, top: Singles) -> Singles:
        """Return W at the upper bound, for some growths and series."""
        growth = places // self.phi.shape[1]
        slope = self.fit.slope.take(places)
        _, y1 = self.sums.of_base(places)
        rise = slope * self.sums.s12.take(places) - y1
        rise *= slope
        r = single(rise) * np.exp(-top[growth, 0]) / self.share.take(places)
        width: Singles = np.exp(-r) * _scaled_e1(r) + ALONE
        return width


def _scaled_e1(x: Singles) -> Singles:
    """Return e^x E₁(x) within 5 %, exact for small and large x."""
    x = np.maximum(x, SMALLEST)
    ratio = (x + math.exp(-np.euler_gamma)) / x / (x + 1)
    # log(1 + r), where numpy's own takes six times as long, and r - r²/2, which is less
    # except for rounding, and all that is left of it where r is small.
    width: Singles = np.maximum(np.log(1 + ratio), ratio * (1 - ratio / 2))
    return width


def twice_normal(z: Singles, spare: Singles | None = None) -> Singles:
    """Overwrite z with 2Φ(z) - 1 within 0.0004."""
    spare = np.multiply(z, z, out=spare)
    spare *= 0.044715 * math.sqrt(2 / math.pi)
    spare += math.sqrt(2 / math.pi)
    spare *= z
    return np.tanh(spare, out=z)


def single(values: Reals, out: Singles | None = None) -> Singles:
    """Return values in single precision; NaN, from an empty interior, as the least."""
    np.fmax(values, SMALLEST, out=values)
    np.minimum(values, LARGEST, out=values)
    if out is None:
        return values.astype(np.float32)
    out[:] = values
    return out

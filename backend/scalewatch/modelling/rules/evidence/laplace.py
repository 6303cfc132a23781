"""Evidence of curves by Laplace's method, in closed form and in batches.

Growths, f(x) = u(x)·(c₀ + c₁·τ(x)), the constant or another base u. The prior of ξ =
log c₁/c₀ is uniform from L = log `FAINTEST`, where the term has become invisible, to U
= log 50/min τ, where the base has; beyond U, with a share of a = `ALONE`, there is no
base. So the evidence of a growth is

    Z = (1/(U + a - L)) ∫ exp φ(ξ) dξ = exp φ(ξ̂) · W / (U + a - L),

φ of `weighing` at the misfits of `least_squares`, and W is the width of the
likelihood about its maximum. Inside [L, U] that is the width of a normal density, plus
plateaus where the curve is already the base (below) or the term alone (above):

    sd² = (E/ν) · (c₀² S₁₁ + 2 c₀c₁ S₁₂ + c₁² S₂₂) / (c₀² c₁² D),
    W = √(2π) sd [Φ((U-ξ̂)/sd) - Φ((L-ξ̂)/sd)]
        + exp(φ_c - φ)·(ξ̂ - 2sd - L)₊ + exp(φ_p - φ)·((U - ξ̂ - 2sd)₊ + a).

At the lower bound φ falls with the slope s = -dφ/dξ, and W = e^s E₁(s). At the upper
one it falls like r·e^(U-ξ) with r = (ν/2E)·dR/d(c₀/c₁)·e^(-U), and W = E₁(r) + a.
The exponential integral is e^x E₁(x) ≈ log(1 + (e^-γ + x)/(x + x²)).

Differences, f(x) = c·(t(x) - κ·u(x)). The prior of κ is uniform from 0 to K,
`LARGEST_SHARE` of the least t/u. The misfit at the best c is

    R(κ) = Σ ω - (Y₂ - κ Y₁)²/A,   A = S₂₂ - 2κ S₁₂ + κ² S₁₁,   c = (Y₂ - κ Y₁)/A,

least at κ̂ = -c₀/c₁ of the fit without bounds. About it φ is normal,

    sd² = (E/ν) · A/(c² D),   Z = exp φ(R) · √(2π) sd [Φ((K-κ̂)/sd) - Φ(-κ̂/sd)]/K.

Where κ̂ is outside, φ falls from the bound with the slope s = c |Y₁ - c (S₁₂ - κ S₁₁)|
·ν/E, and the tail of the normal density about κ̂ would be wrong by up to e^14. The
width is that of a normal density which has this slope and curvature at the bound: with
z = s·sd and Mills' ratio 2 / (z + √(z² + 8/π)) it is sd times that.

Against quadrature the posterior of the growths is off by 0.0005 … 0.05 in total
variation, see benchmarks/README.md. Sums and fits need double precision, because
they subtract; φ and W, which only add, are computed in single.

References
----------
D. J. C. MacKay, "Information Theory, Inference, and Learning Algorithms", 2003,
chapters 27 and 28 (Laplace's method and Occam factors).
M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions", 5.1.11 and
5.1.20 (E₁ for small and for large arguments).
R. D. Gordon, "Values of Mills' ratio of area to bounding ordinate and of the normal
probability integral for large values of the argument", Annals of Mathematical
Statistics 12, 1941.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals, Singles
from scalewatch.modelling.rules.evidence.assumptions import ASSUMED
from scalewatch.modelling.rules.evidence.least_squares import (
    FAINTEST,
    Fit,
    ScaledCurves,
    Sums,
)
from scalewatch.modelling.rules.evidence.model import LARGEST_SHARE
from scalewatch.modelling.rules.evidence.weighing import Peaks

LOWEST = math.log(FAINTEST)
"""L."""


ALONE: Final = ASSUMED.alone


@dataclass(frozen=True, slots=True)
class GrowthFits:
    """Fits and weights of H growths.

    The result for a series does not depend on the series beside it.

    Parameters
    ----------
    top
        U, shape (H,).
    """

    top: Singles

    @classmethod
    def of(cls, curves: ScaledCurves) -> "GrowthFits":
        """Return the fits of some curves."""
        return cls(highest(curves.tau)[:, 0].astype(np.float32))

    def solve(self, sums: Sums, fit: Fit, spare: Reals) -> None:
        """Write the best fits, c₁ of τ, in units of the level of the measurements.

        Sums and fits are of shape (H, S), as is `spare`, which is overwritten; call
        under `np.errstate(all="ignore")`.
        """
        fit.solve(sums, spare)

    def width(self, peaks: Peaks) -> Singles:
        """Return W/(U + a - L) of some curves, shape (K,).

        Formulas of the interior are evaluated beyond its bounds too, then replaced;
        call under `np.errstate(all="ignore")`.
        """
        top = self.top.take(peaks.places.curve)
        interior = Interior.of(peaks)
        width = interior.width(top)
        width += interior.plateau()
        width /= top + np.float32(ALONE - LOWEST)
        return np.clip(width, ASSUMED.smallest, 1, out=width)


def highest(tau: Reals) -> Reals:
    """Return U of each growth, shape (H, 1)."""
    least = np.where(tau > ASSUMED.least_tau, tau, 1.0).min(axis=1, keepdims=True)
    bound: Reals = np.log(ASSUMED.purest / least)
    return bound


@dataclass(frozen=True, slots=True)
class Interior:
    """Likelihoods of growths about their maxima, at K places.

    Parameters
    ----------
    peaks
        The maxima.
    place, deviation
        ξ̂ and its standard deviation.
    """

    peaks: Peaks
    place: Singles
    deviation: Singles

    @classmethod
    def of(cls, peaks: Peaks) -> "Interior":
        """Return those about some maxima."""
        sums, fit = peaks.sums, peaks.fit
        c1 = fit.slope
        c0 = np.maximum(fit.constant, c1 * ASSUMED.smallest)
        product = c0 * c1
        form = c1 * c1 * sums.s22 + c0 * c0 * sums.s11 + 2 * (product * sums.s12)
        form /= product * product * fit.determinant
        deviation = np.sqrt(single(form) * peaks.share)
        return cls(peaks, np.log(single(c1 / c0)), deviation)

    def width(self, top: Singles) -> Singles:
        """Return W but for the plateau of the constant; `top` is U."""
        place, deviation = self.place, self.deviation
        width = twice_normal((top - place) / deviation)
        width -= twice_normal((np.float32(LOWEST) - place) / deviation)
        width *= deviation * np.float32(math.sqrt(math.pi / 2))
        beyond = np.maximum(top - place - 2 * deviation, 0) + np.float32(ALONE)
        sums, freedom = self.peaks.sums, self.peaks.freedom
        more = sums.mass - sums.y2 * sums.y2 / sums.s22 - self.peaks.fit.misfit
        ratio: Singles = np.log(1 + single(more) / self.peaks.share / freedom)
        ratio *= freedom / -2
        width += beyond * np.exp(ratio, out=ratio)
        # Few fits are at a bound, so that its formulas are evaluated for these alone.
        faint, pure = map(
            np.flatnonzero, (self.peaks.fit.is_faint, self.peaks.fit.is_pure)
        )
        width[faint] = self._faint_width(faint)
        width[pure] = self._pure_width(pure, top[pure])
        return width

    def plateau(self) -> Singles:
        """Return the part of W where the curve is its base alone."""
        reach = np.maximum(self.place - 2 * self.deviation - np.float32(LOWEST), 0)
        at_bound = self.peaks.fit.is_faint | self.peaks.fit.is_pure
        reach *= ~at_bound
        flat: Singles = np.exp(self.peaks.alone - self.peaks.phi) * reach
        return flat

    def _faint_width(self, at: Indices) -> Singles:
        """Return W at the lower bound, for some places."""
        sums, fit = self.peaks.sums, self.peaks.fit
        slope = fit.slope[at]
        decline = fit.constant[at] * sums.s12[at]
        decline += slope * sums.s22[at]
        decline -= sums.y2[at]
        decline *= slope
        return _scaled_e1(single(decline) / self.peaks.share[at])

    def _pure_width(self, at: Indices, top: Singles) -> Singles:
        """Return W at the upper bound, for some places."""
        slope, sums = self.peaks.fit.slope[at], self.peaks.sums
        rise = slope * sums.s12[at] - sums.y1[at]
        rise *= slope
        r = single(rise) * np.exp(-top) / self.peaks.share[at]
        width: Singles = np.exp(-r) * _scaled_e1(r) + ALONE
        return width


def _scaled_e1(x: Singles) -> Singles:
    """Return e^x E₁(x) within 5 %, exact for small and large x."""
    x = np.maximum(x, ASSUMED.smallest)
    ratio = (x + math.exp(-np.euler_gamma)) / x / (x + 1)
    # log(1 + r), where numpy's own takes six times as long, and r - r²/2, which is less
    # except for rounding, and all that is left of it where r is small.
    width: Singles = np.maximum(np.log(1 + ratio), ratio * (1 - ratio / 2))
    return width


def twice_normal(z: Singles) -> Singles:
    """Overwrite z with 2Φ(z) - 1 within 0.0004."""
    spare: Singles = z * z
    spare *= 0.044715 * math.sqrt(2 / math.pi)
    spare += math.sqrt(2 / math.pi)
    spare *= z
    return np.tanh(spare, out=z)


def single(values: Reals) -> Singles:
    """Return values in single precision; NaN, from an empty interior, as the least."""
    singles = values.astype(np.float32)
    np.fmax(singles, ASSUMED.smallest, out=singles)
    return np.minimum(singles, ASSUMED.largest, out=singles)


@dataclass(frozen=True, slots=True)
class DifferenceFits:
    """Fits and weights of H differences, as `GrowthFits` are of growths.

    Parameters
    ----------
    largest
        K, shape (H,).
    """

    largest: Reals

    @classmethod
    def of(cls, curves: ScaledCurves) -> "DifferenceFits":
        """Return the fits of t/u over their largest values, and of u."""
        return cls(LARGEST_SHARE * curves.tau.min(axis=1))

    def solve(self, sums: Sums, fit: Fit, spare: Reals) -> None:
        """Write the best fits within the bounds, c₀ = -κ c₁; see `GrowthFits.solve`."""
        largest = self.largest[:, np.newaxis]
        best = _best(sums, spare)
        np.greater(best, largest, out=fit.is_faint)
        np.less(best, 0, out=fit.is_pure)
        share = _bounded(best, largest)
        np.multiply(sums.s11, sums.s22, out=fit.determinant)
        fit.determinant[:] -= np.multiply(sums.s12, sums.s12, out=spare)
        rest = np.multiply(share, sums.y1, out=fit.misfit)
        np.subtract(sums.y2, rest, out=rest)
        np.maximum(rest, ASSUMED.smallest, out=rest)  # no curve is negative
        slope = np.divide(rest, _square(sums, share), out=fit.slope)
        misfit = np.multiply(rest, slope, out=rest)
        np.subtract(sums.mass, misfit, out=misfit)
        np.maximum(misfit, 0, out=misfit)
        np.multiply(share, slope, out=fit.constant)
        np.negative(fit.constant, out=fit.constant)

    def width(self, peaks: Peaks) -> Singles:
        """Return the width of the likelihood relative to that of the prior, (K,)."""
        sums, fit = peaks.sums, peaks.fit
        largest = self.largest.take(peaks.places.curve)
        best = _best(sums, np.empty_like(largest))
        square = _square(sums, _bounded(best, largest))
        ratio = square / (fit.slope**2 * fit.determinant)
        deviation = np.sqrt(single(ratio) * peaks.share)
        rest: Reals = sums.y1 - fit.slope * sums.s12 - fit.constant * sums.s11
        z = single(fit.slope * np.abs(rest)) / peaks.share * deviation
        width: Singles = 2 * deviation / (z + np.sqrt(z * z + np.float32(8 / math.pi)))
        inside = np.flatnonzero(~(fit.is_pure | fit.is_faint))
        whole, sd, least = single(largest), deviation[inside], single(best[inside])
        normal = twice_normal((whole[inside] - least) / sd)
        normal += twice_normal(least / sd)
        width[inside] = normal * sd * np.float32(math.sqrt(math.pi / 2))
        width /= whole
        return np.clip(width, ASSUMED.least_width, 1, out=width)


def _best(sums: Sums, spare: Reals) -> Reals:
    """Return κ̂, ∞ where t does not lead; `spare` is overwritten."""
    steep = sums.s11 * sums.y2
    steep -= np.multiply(sums.s12, sums.y1, out=spare)
    best = sums.s12 * sums.y2
    best -= np.multiply(sums.s22, sums.y1, out=spare)
    best /= steep
    np.copyto(best, np.inf, where=steep <= 0)
    return best


def _bounded(best: Reals, largest: Reals) -> Reals:
    """Return the best κ within its bounds."""
    share = np.minimum(best, largest)
    return np.maximum(share, 0, out=share)


def _square(sums: Sums, share: Reals) -> Reals:
    """Return A."""
    square = share * sums.s11
    square -= 2 * sums.s12
    square *= share
    square += sums.s22
    return square

"""Evidence of differences, f(x) = c·(t(x) - κ·u(x)), in closed form and in batches.

The prior of κ is uniform from 0 to K, `LARGEST_SHARE` of the least t/u. With the sums
of `least_squares` the misfit at the best c is

    R(κ) = Σ ω - (Y₂ - κ Y₁)²/A,   A = S₂₂ - 2κ S₁₂ + κ² S₁₁,   c = (Y₂ - κ Y₁)/A,

least at κ̂ = -c₀/c₁ of the fit without bounds. About it φ is normal,

    sd² = (E/ν) · A/(c² D),   Z = exp φ(R) · √(2π) sd [Φ((K-κ̂)/sd) - Φ(-κ̂/sd)]/K.

Where κ̂ is outside, φ falls from the bound with the slope s = c |Y₁ - c (S₁₂ - κ S₁₁)|
·ν/E, and the tail of the normal density about κ̂ would be wrong by up to e^14. The
width is that of a normal density which has this slope and curvature at the bound: with
z = s·sd and Mills' ratio 2 / (z + √(z² + 8/π)) it is sd times that.

References
----------
R. D. Gordon, "Values of Mills' ratio of area to bounding ordinate and of the normal
probability integral for large values of the argument", Annals of Mathematical
Statistics 12, 1941.
"""

import math
from dataclasses import dataclass

import numpy as np

from scalewatch.modelling.arrays.scratch import Scratch
from scalewatch.modelling.arrays.types import Reals, Singles
from scalewatch.modelling.evidence.curves import ScaledCurves
from scalewatch.modelling.evidence.evidence import single, twice_normal
from scalewatch.modelling.evidence.least_squares import Fit, Measured, Places, Sums
from scalewatch.modelling.evidence.likelihood import Likelihood, Limit
from scalewatch.modelling.evidence.shapes import LARGEST_SHARE

LEAST_WIDTH = 1e-12
"""Of a likelihood, relative to that of the prior."""


@dataclass(frozen=True, slots=True)
class DifferenceFits:
    """The best fits of differences for S series, as `GrowthFits` are of growths.

    Parameters
    ----------
    largest
        K, shape (H, 1).
    sums
        Of u and t/u over their largest values, shape (H, S).
    fit
        Within the bounds.
    best
        κ̂, shape (H, S).
    square
        A, shape (H, S).
    """

    largest: Reals
    sums: Sums
    fit: Fit
    best: Reals
    square: Reals

    @classmethod
    def of(
        cls, curves: ScaledCurves, measured: Measured, scratch: Scratch
    ) -> "DifferenceFits":
        """Fit every difference; call under `np.errstate(all="ignore")`."""
        largest = LARGEST_SHARE * curves.tau.min(axis=1, keepdims=True)
        sums = Sums.of(curves, measured, scratch)
        return cls(largest, sums, *_fit(sums, largest, scratch))

    def weigh(self, likelihood: Likelihood, limit: Limit, out: Singles) -> None:
        """Write log Z, but for a summand per series, to `out`, shape (H, S)."""
        out[:] = limit.log_evidence
        places = Places.where(self.fit.misfit <= limit.misfit)
        sums, fit = self.sums.at(places), self.fit.at(places)
        own = likelihood.at(places.series)
        phi, share = own(fit.misfit)
        share /= own.freedom
        ratio = self.square.take(places.flat) / (fit.slope**2 * fit.determinant)
        deviation = np.sqrt(single(ratio) * share)
        width = _tail(single(_fall(sums, fit)) / share, deviation)
        largest = single(self.largest[:, 0]).take(places.curve)
        inside = np.flatnonzero(~(fit.is_pure | fit.is_faint))
        best = single(self.best.take(places.flat[inside]))
        width[inside] = _inside(best, largest[inside], deviation[inside])
        width /= largest
        np.clip(width, LEAST_WIDTH, 1, out=width)
        np.put(out, places.flat, phi + np.log(width))

    def finish(self, scratch: Scratch) -> None:
        """Return to a scratch what was taken from it, but for the fits."""
        self.sums.give_back(scratch)
        scratch.take_back(self.best, self.square)


def _fit(sums: Sums, largest: Reals, scratch: Scratch) -> tuple[Fit, Reals, Reals]:
    """Return the best fits within the bounds, κ̂ and A; `largest` is K."""
    spare = scratch.reals()
    determinant = np.multiply(sums.s11, sums.s22, out=scratch.reals())
    determinant -= np.multiply(sums.s12, sums.s12, out=spare)
    steep = np.multiply(sums.s11, sums.y2, out=scratch.reals())
    steep -= np.multiply(sums.s12, sums.y1, out=spare)
    best = np.multiply(sums.s12, sums.y2, out=scratch.reals())
    best -= np.multiply(sums.s22, sums.y1, out=spare)
    best /= steep
    np.copyto(best, np.inf, where=steep <= 0)
    share = np.minimum(best, largest, out=steep)
    np.maximum(share, 0, out=share)
    square = np.multiply(share, sums.s11, out=scratch.reals())
    square -= np.multiply(sums.s12, 2, out=spare)
    square *= share
    square += sums.s22
    misfit = np.multiply(share, sums.y1, out=scratch.reals())
    np.subtract(sums.y2, misfit, out=misfit)
    slope = np.divide(misfit, square, out=scratch.reals())
    misfit *= slope
    np.subtract(sums.mass, misfit, out=misfit)
    np.maximum(misfit, 0, out=misfit)
    constant = np.multiply(share, slope, out=share)
    np.negative(constant, out=constant)
    scratch.take_back(spare)
    is_faint, is_pure = best > largest, best < 0
    fit = Fit(constant, slope, misfit, determinant, is_faint, is_pure)
    return fit, best, square


def _fall(sums: Sums, fit: Fit) -> Reals:
    """Return c·|Y₁ - c·(S₁₂ - κ S₁₁)|."""
    rest: Reals = sums.y1 - fit.slope * sums.s12 - fit.constant * sums.s11
    return fit.slope * np.abs(rest)


def _inside(best: Singles, largest: Singles, deviation: Singles) -> Singles:
    """Return √(2π) sd [Φ((K-κ̂)/sd) - Φ(-κ̂/sd)]."""
    above = twice_normal((largest - best) / deviation)
    above += twice_normal(best / deviation)
    width: Singles = above * deviation * np.float32(math.sqrt(math.pi / 2))
    return width


def _tail(fall: Singles, deviation: Singles) -> Singles:
    """Return the width of what falls from a bound by so much a unit of κ."""
    z = fall * deviation
    width: Singles = 2 * deviation / (z + np.sqrt(z * z + np.float32(8 / math.pi)))
    return width

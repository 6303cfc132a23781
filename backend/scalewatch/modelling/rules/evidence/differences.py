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

from scalewatch.modelling.arrays import Reals, Singles
from scalewatch.modelling.rules.evidence.curves import ScaledCurves
from scalewatch.modelling.rules.evidence.laplace import single, twice_normal
from scalewatch.modelling.rules.evidence.least_squares import Fit, Sums
from scalewatch.modelling.rules.evidence.peaks import Peaks
from scalewatch.modelling.rules.evidence.shapes import LARGEST_SHARE

LEAST_WIDTH = 1e-12
"""Of a likelihood, relative to that of the prior."""


@dataclass(frozen=True, slots=True)
class DifferenceFits:
    """How H differences are fitted and weighed, as `GrowthFits` are of growths.

    Parameters
    ----------
    largest
        K, shape (H,).
    """

    largest: Reals

    @classmethod
    def of(cls, curves: ScaledCurves) -> "DifferenceFits":
        """Return that of t/u over their largest values, and of u."""
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
        width = _tail(single(_fall(sums, fit)) / peaks.share, deviation)
        inside = np.flatnonzero(~(fit.is_pure | fit.is_faint))
        whole = single(largest)
        width[inside] = _inside(single(best[inside]), whole[inside], deviation[inside])
        width /= whole
        return np.clip(width, LEAST_WIDTH, 1, out=width)


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

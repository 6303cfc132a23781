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

import numpy as np

from scalewatch.modelling.arrays.scratch import Scratch
from scalewatch.modelling.arrays.types import Reals, Singles
from scalewatch.modelling.evidence.curves import ScaledCurves
from scalewatch.modelling.evidence.evidence import (
    Evidence,
    single,
    twice_normal,
)
from scalewatch.modelling.evidence.least_squares import Fit, Sums, level_and_inverses
from scalewatch.modelling.evidence.likelihood import Likelihood
from scalewatch.modelling.evidence.shapes import LARGEST_SHARE
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.location import Location

LEAST_WIDTH = 1e-12
"""Of a likelihood, relative to that of the prior."""


def weigh_differences(
    curves: ScaledCurves, location: Location, noise: Noise, scratch: Scratch
) -> Evidence:
    """Weigh every difference for every series, as `evidence.weigh` does growths.

    Parameters
    ----------
    curves
        Of u and t/u over their largest values, H of them.
    location
        Of n points and S series.
    noise
        Assumptions about their noise.
    scratch
        Of shape (H, S); `log_evidence` and `fit.arrays` are taken from it.
    """
    level, w = level_and_inverses(location)
    largest = LARGEST_SHARE * curves.tau.min(axis=1, keepdims=True)
    with np.errstate(all="ignore"):
        sums = Sums.of(curves, w, location.weight, scratch)
        fit, best, square = _fit(sums, largest, scratch)
        likelihood = Likelihood.of(location, noise)
        phi, energy = likelihood(fit.misfit, scratch)
        energy /= likelihood.freedom
        deviation = _deviation(fit, square, energy, scratch)
        fall = single(_fall(sums, fit, out=square), out=scratch.singles())
        fall /= energy
        width = _tail(fall, deviation)
        bounds = np.broadcast_to(single(largest), width.shape)
        inside = np.flatnonzero(~(fit.is_pure | fit.is_faint))
        width.reshape(-1)[inside] = _inside(
            single(best.take(inside)), bounds.take(inside), deviation.take(inside)
        )
        width /= bounds
        np.clip(width, LEAST_WIDTH, 1, out=width)
        phi += np.log(width, out=width)
    sums.give_back(scratch)
    scratch.take_back(best, square, energy, deviation, fall)
    return Evidence(phi, fit, level)


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


def _deviation(fit: Fit, square: Reals, energy: Singles, scratch: Scratch) -> Singles:
    """Return sd; `square` is A, `energy` E/ν."""
    ratio = np.multiply(fit.slope, fit.slope, out=scratch.reals())
    ratio *= fit.determinant
    np.divide(square, ratio, out=ratio)
    deviation = single(ratio, out=scratch.singles())
    scratch.take_back(ratio)
    deviation *= energy
    return np.sqrt(deviation, out=deviation)


def _fall(sums: Sums, fit: Fit, out: Reals) -> Reals:
    """Return c·|Y₁ - c·(S₁₂ - κ S₁₁)|."""
    rest = np.multiply(fit.slope, sums.s12, out=out)
    rest += fit.constant * sums.s11
    np.subtract(sums.y1, rest, out=rest)
    np.abs(rest, out=rest)
    rest *= fit.slope
    return rest


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

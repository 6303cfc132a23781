"""Relative least squares of one growth each, f(x) = c₀ + c₁·τ(x), batched.

The misfit R = Σ ω·(1 - f(x)/y)² weighs all settings alike, as multiplicative noise
asks for. With w = 1/y,

    S₁₁ = Σ ω w², S₁₂ = Σ ω τ w², S₂₂ = Σ ω τ² w², Y₁ = Σ ω w, Y₂ = Σ ω τ w,
    D = S₁₁ S₂₂ - S₁₂²,  c₁ = (S₁₁ Y₂ - S₁₂ Y₁)/D,  c₀ = (S₂₂ Y₁ - S₁₂ Y₂)/D,
    R = Σ ω - c₀ Y₁ - c₁ Y₂.

A fit that violates a bound is repeated at it: the term alone where c₀ < 0, and
c₁ = `FAINTEST`·c₀ where c₁ is less. To reject it instead costs 13 points of exact
recovery, because noise turns the constant of a steep curve negative.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.rows import combine, total
from scalewatch.modelling.scratch import Scratch

Reals = NDArray[np.float64]

FAINTEST = 0.03
"""Least c₁/c₀ that counts as growth; τ is 1 at its largest."""

SINGULAR = 1e-13
"""Relative determinant below which a term cannot be told from the constant."""

LEAST_CONSTANT = 1e-30


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over the points, shape (S,) and, where τ occurs, (H, S)."""

    mass: Reals
    s11: Reals
    s12: Reals
    s22: Reals
    y1: Reals
    y2: Reals

    @classmethod
    def of(cls, tau: Reals, w: Reals, weight: Reals, scratch: Scratch) -> "Sums":
        """Add up.

        Parameters
        ----------
        tau
            Growths divided by their largest value, shape (H, n).
        w, weight
            1/y and ω, shape (n, S).
        scratch
            Of shape (H, S).
        """
        once = weight * w
        twice = once * w
        return cls(
            mass=total(weight),
            s11=total(twice),
            s12=combine(tau, twice, out=scratch.reals()),
            s22=combine(tau * tau, twice, out=scratch.reals()),
            y1=total(once),
            y2=combine(tau, once, out=scratch.reals()),
        )


@dataclass(frozen=True, slots=True)
class Fit:
    """The best fit of each growth within the bounds, shape (H, S).

    Parameters
    ----------
    constant, slope
        c₀ ≥ 0 and c₁ > 0.
    misfit
        R.
    determinant
        D.
    is_faint, is_pure
        Where c₁ and c₀ are at their bounds.
    """

    constant: Reals
    slope: Reals
    misfit: Reals
    determinant: Reals
    is_faint: NDArray[np.bool_]
    is_pure: NDArray[np.bool_]

    @property
    def ratio(self) -> Reals:
        """c₁/c₀, largest where there is no constant."""
        return self.slope / np.maximum(self.constant, self.slope * LEAST_CONSTANT)

    @property
    def arrays(self) -> tuple[Reals, ...]:
        """What `of` took from its scratch."""
        return self.constant, self.slope, self.misfit, self.determinant

    @classmethod
    def of(cls, sums: Sums, scratch: Scratch) -> "Fit":
        """Solve all normal equations; call under `np.errstate(all="ignore")`."""
        spare = scratch.reals()
        determinant = np.multiply(sums.s11, sums.s22, out=scratch.reals())
        determinant -= np.multiply(sums.s12, sums.s12, out=spare)
        slope = np.multiply(sums.s11, sums.y2, out=scratch.reals())
        slope -= np.multiply(sums.s12, sums.y1, out=spare)
        slope /= determinant
        constant = np.multiply(sums.s22, sums.y1, out=scratch.reals())
        constant -= np.multiply(sums.s12, sums.y2, out=spare)
        constant /= determinant
        is_pure = constant <= 0
        is_faint = slope <= np.multiply(constant, FAINTEST, out=spare)
        np.multiply(sums.s22, sums.s11 * SINGULAR, out=spare)
        is_faint |= determinant <= spare
        np.copyto(slope, np.divide(sums.y2, sums.s22, out=spare), where=is_pure)
        np.maximum(constant, 0, out=constant)
        misfit = scratch.reals()
        faint = _faint_constant(sums, out=misfit, spare=spare)
        np.copyto(constant, faint, where=is_faint)
        faint *= FAINTEST
        np.copyto(slope, faint, where=is_faint)
        np.multiply(constant, sums.y1, out=misfit)
        misfit += np.multiply(slope, sums.y2, out=spare)
        np.subtract(sums.mass, misfit, out=misfit)
        np.maximum(misfit, 0, out=misfit)
        scratch.take_back(spare)
        return cls(constant, slope, misfit, determinant, is_faint, is_pure)


def _faint_constant(sums: Sums, out: Reals, spare: Reals) -> Reals:
    """Return the c₀ of the best fit with c₁ = `FAINTEST`·c₀."""
    np.multiply(sums.s22, FAINTEST**2, out=spare)
    spare += np.multiply(sums.s12, 2 * FAINTEST, out=out)
    spare += sums.s11
    np.multiply(sums.y2, FAINTEST, out=out)
    out += sums.y1
    out /= spare
    return out

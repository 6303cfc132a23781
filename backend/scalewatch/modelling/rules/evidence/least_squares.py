"""Relative least squares of one growth each, f(x) = u(x)·(c₀ + c₁·τ(x)), batched.

Relative residuals r = 1 - f(x)/y weigh all settings alike, as multiplicative noise asks
for. Where curves depart from growths, neighbouring ones are no independent witnesses:
with the precision P of `discrepancy`, the diagonal of ω where they do not, the misfit
is R = Σ P r r over all pairs of points. With τ the term over its largest value and
w = u/y,

    S₁₁ = Σ P w w, S₁₂ = Σ P τw w, S₂₂ = Σ P τw τw, Y₁ = Σ P w, Y₂ = Σ P τw,
    D = S₁₁ S₂₂ - S₁₂²,  c₀ = (S₂₂ Y₁ - S₁₂ Y₂)/D,  c₁ = (Y₂ - S₁₂ c₀)/S₂₂,
    R = Σ P - c₀ Y₁ - c₁ Y₂.

The misfit of the best fit is that of logarithms then.

A fit that violates a bound is repeated at it: the term alone where c₀ < 0, and
c₁ = `FAINTEST`·c₀ where c₁ is less. To reject it instead costs 13 points of exact
recovery, because noise turns the constant of a steep curve negative.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import (
    Indices,
    Reals,
    Scratch,
    Singles,
    combine,
    combine_each,
    total,
)
from scalewatch.modelling.measurements.discrepancy import Departing
from scalewatch.modelling.rules.evidence.assumptions import ASSUMED

Products = tuple[Reals, Reals, Reals]


@dataclass(frozen=True, eq=False)
class ScaledCurves:
    """H curves of n points.

    Parameters
    ----------
    tau
        t/u over its largest value, shape (H, n), in [0, 1].
    alone
        The row of each curve's u alone, where `tau` is 1, shape (H,); negative where
        that is no curve of its own, as of all where there is None.
    base
        u over its largest value, shape (H, n); None where it is the constant of all.
    """

    tau: Reals
    alone: Indices | None = None
    base: Reals | None = None

    @classmethod
    def rising(cls, tau: Reals, constant: int) -> "ScaledCurves":
        """Return curves that have a constant, which by itself is one of the rows."""
        return cls(tau, np.full(len(tau), constant))

    @cached_property
    def every_alone(self) -> tuple[Indices, Indices]:
        """The A rows of all u alone, and which of them is each curve's, A for none."""
        alone = np.full(len(self), -1) if self.alone is None else self.alone
        rows = np.unique(alone[alone >= 0])
        return rows, np.where(alone >= 0, np.searchsorted(rows, alone), len(rows))

    @cached_property
    def distinct_bases(self) -> tuple[Reals, Indices]:
        """Each base once, and which of them is each curve's."""
        assert self.base is not None
        distinct, place = np.unique(self.base, axis=0, return_inverse=True)
        return distinct, place.reshape(-1)

    @cached_property
    def singles(self) -> tuple[Singles, Singles]:
        """τ and u in single precision, points first, shape (n, H, 1)."""
        base = np.ones_like(self.tau) if self.base is None else self.base
        both = np.stack([self.tau.T, base.T])[..., np.newaxis]
        tau, base = both.astype(np.float32)
        return tau, base

    @cached_property
    def pairs(self) -> Products:
        """u·u of each distinct base, u·t and t·t at each pair of points i ≤ j.

        The mean of both orders, (uᵢtⱼ + uⱼtᵢ)/2, shape (H, pairs).
        """
        u = np.ones_like(self.tau) if self.base is None else self.base
        bases = self.tau[:0] if self.base is None else self.distinct_bases[0]
        t = u * self.tau
        return _symmetric(bases, bases), _symmetric(u, t), _symmetric(t, t)

    def rows(self, rows: slice) -> "ScaledCurves":
        """Return some of them, of which none is known to be alone."""
        base = None if self.base is None else self.base[rows]
        return ScaledCurves(self.tau[rows], base=base)

    def __len__(self) -> int:
        return len(self.tau)


def _symmetric(a: Reals, b: Reals) -> Reals:
    """Return (aᵢbⱼ + aⱼbᵢ)/2 at each pair i ≤ j."""
    i, j = np.triu_indices(a.shape[1])
    return np.ascontiguousarray((a[:, i] * b[:, j] + a[:, j] * b[:, i]) / 2)


FAINTEST: Final = ASSUMED.faintest


LEAST_CONSTANT: Final = ASSUMED.least_constant


LARGEST_RANGE: Final = ASSUMED.largest_range


@dataclass(frozen=True, slots=True)
class Measured:
    """Measurements as relative least squares needs them.

    Parameters
    ----------
    level
        Mean logarithm of the locations, shape (S,).
    inverse
        1/y over that level, shape (n, S).
    weight
        Sums of the rows of P, shape (n, S).
    precision, root
        P, shape (n, n, S), and L of `Departing`.
    """

    level: Reals
    inverse: Reals
    weight: Reals
    precision: Reals
    root: Reals

    @classmethod
    def of(cls, location: Departing) -> "Measured":
        """Return measurements of n points and S series."""
        level = total(location.weight * location.log) / total(location.weight)
        logs = np.clip(location.log - level, -LARGEST_RANGE, LARGEST_RANGE)
        precision = location.precision
        return cls(level, np.exp(-logs), total(precision), precision, location.root)


@dataclass(frozen=True, slots=True)
class Places:
    """K of all curves and series.

    Parameters
    ----------
    flat
        Indices of arrays of shape (H, S), flattened.
    curve, series
        The same by dimension.
    """

    flat: Indices
    curve: Indices
    series: Indices

    @classmethod
    def where(cls, is_here: NDArray[np.bool_]) -> "Places":
        """Return those that are true, of shape (H, S)."""
        flat, series = np.flatnonzero(is_here), is_here.shape[1]
        curve = flat // series
        return cls(flat, curve, flat - curve * series)

    def rows(self, rows: slice, first: int) -> "Places":
        """Return some of them, with curves counted from the `first`."""
        return Places(self.flat[rows], self.curve[rows] - first, self.series[rows])


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over the points.

    Of shape (H, S), but `mass` of shape (S,), and so are `s11` and `y1` where all
    curves have the same base. Of some places all of them have the shape (K,).
    """

    mass: Reals
    s11: Reals
    s12: Reals
    s22: Reals
    y1: Reals
    y2: Reals

    @classmethod
    def of(cls, curves: ScaledCurves, measured: Measured, scratch: Scratch) -> "Sums":
        """Add up; `scratch` is of shape (H, S)."""
        once = measured.weight * measured.inverse
        i, j = np.triu_indices(len(once))
        twice = measured.precision[i, j]
        twice *= measured.inverse[i] * measured.inverse[j]
        twice[i != j] *= 2
        squares = curves.pairs
        s11, y1 = total(twice), total(once)
        if curves.base is not None:
            s11 = _over_base(curves, squares[0], twice, scratch)
            y1 = _over_base(curves, curves.distinct_bases[0], once, scratch)
        t = curves.tau if curves.base is None else curves.base * curves.tau
        return cls(
            mass=total(measured.weight),
            s11=s11,
            s12=combine(squares[1], twice, out=scratch.reals()),
            s22=combine(squares[2], twice, out=scratch.reals()),
            y1=y1,
            y2=combine(t, once, out=scratch.reals()),
        )

    def rows(self, rows: slice) -> "Sums":
        """Return those of some curves, or of some places."""
        sums = (self.mass, self.s11, self.s12, self.s22, self.y1, self.y2)
        return Sums(*(x[rows] if x.ndim == self.s12.ndim else x for x in sums))

    def of_base(self, places: Indices) -> tuple[Reals, Reals]:
        """Return S₁₁ and Y₁ at some of all curves and series."""
        if self.s11.ndim > 1:
            return self.s11.take(places), self.y1.take(places)
        series = places % len(self.s11)
        return self.s11[series], self.y1[series]

    def at(self, places: Places) -> "Sums":
        """Return those of some curves and series."""
        of_base = places.flat if self.s11.ndim > 1 else places.series
        s11, y1 = self.s11.take(of_base), self.y1.take(of_base)
        s12, s22, y2 = (
            each.take(places.flat) for each in (self.s12, self.s22, self.y2)
        )
        return Sums(self.mass.take(places.series), s11, s12, s22, y1, y2)

    def give_back(self, scratch: Scratch) -> None:
        """Return to a scratch the arrays that `of` took from it."""
        scratch.take_back(self.s12, self.s22, self.y2)
        if self.s11.ndim > 1:
            scratch.take_back(self.s11, self.y1)


def _over_base(
    curves: ScaledCurves, distinct: Reals, rows: Reals, scratch: Scratch
) -> Reals:
    """Return sums of rows, weighted by each distinct base, for all curves."""
    sums = np.empty((len(distinct), rows.shape[1]))
    combine(distinct, rows, out=sums)
    place = curves.distinct_bases[1]
    return np.take(sums, place, axis=0, out=scratch.reals(), mode="clip")


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

    @classmethod
    def empty(cls, scratch: Scratch) -> "Fit":
        """Return arrays of any content."""
        constant, slope, misfit, determinant = (scratch.reals() for _ in range(4))
        is_faint, is_pure = (np.empty(scratch.shape, np.bool_) for _ in range(2))
        return cls(constant, slope, misfit, determinant, is_faint, is_pure)

    @property
    def arrays(self) -> tuple[Reals, ...]:
        """Arrays that `empty` took from its scratch."""
        return self.constant, self.slope, self.misfit, self.determinant

    def at(self, places: Places) -> "Fit":
        """Return the fits of some curves and series, shape (K,)."""
        constant, slope, misfit, determinant = (
            each.take(places.flat) for each in self.arrays
        )
        is_faint, is_pure = (
            each.take(places.flat) for each in (self.is_faint, self.is_pure)
        )
        return Fit(constant, slope, misfit, determinant, is_faint, is_pure)

    def rows(self, rows: slice) -> "Fit":
        """Return the fits of some curves, or of some places, in these arrays."""
        constant, slope, misfit, determinant = (each[rows] for each in self.arrays)
        is_faint, is_pure = self.is_faint[rows], self.is_pure[rows]
        return Fit(constant, slope, misfit, determinant, is_faint, is_pure)

    def solve(self, sums: Sums, spare: Reals) -> None:
        """Solve all normal equations; call under `np.errstate(all="ignore")`.

        `spare` is overwritten.
        """
        constant, slope, misfit, determinant = self.arrays
        np.multiply(sums.s11, sums.s22, out=determinant)
        np.multiply(determinant, ASSUMED.singular, out=misfit)
        determinant -= np.multiply(sums.s12, sums.s12, out=spare)
        is_faint = np.less_equal(determinant, misfit, out=self.is_faint)
        np.multiply(sums.s22, sums.y1, out=constant)
        constant -= np.multiply(sums.s12, sums.y2, out=spare)
        constant /= determinant
        np.less_equal(constant, 0, out=self.is_pure)
        np.maximum(constant, 0, out=constant)
        np.multiply(sums.s12, constant, out=slope)
        np.subtract(sums.y2, slope, out=slope)
        slope /= sums.s22
        is_faint |= slope <= np.multiply(constant, FAINTEST, out=spare)
        faint = np.flatnonzero(is_faint)
        least = _faint_constant(sums, faint)
        np.put(constant, faint, least)
        np.put(slope, faint, least * FAINTEST)
        np.multiply(constant, sums.y1, out=misfit)
        misfit += np.multiply(slope, sums.y2, out=spare)
        np.subtract(sums.mass, misfit, out=misfit)
        np.maximum(misfit, 0, out=misfit)

    def compare_logarithms(
        self, curves: ScaledCurves, measured: Measured, scratch: Scratch
    ) -> None:
        """Write the misfits of logarithms about these fits, levels free.

        Relative residuals are at most 1 however far a measurement lies above a curve,
        so that a steep rise would look like a walk about a constant.
        """
        root, inverse, constant, slope = (
            each.astype(np.float32)
            for each in (measured.root, measured.inverse, self.constant, self.slope)
        )
        tau, base = curves.singles
        left = scratch.stack(len(inverse))
        np.multiply(slope, tau, out=left)
        left += constant
        if curves.base is not None:
            left *= base
        left *= inverse[:, np.newaxis]
        np.log(left, out=left)
        whole, part = np.zeros_like(constant), slope
        for k, column in enumerate(root.swapaxes(0, 1)):
            combine_each(column[k:], left[k:], out=part)
            whole += np.multiply(part, part, out=part)
        # A curve has no logarithm where it is 0, as log p is at p = 1.
        np.copyto(self.misfit, whole, where=np.isfinite(whole))


def _faint_constant(sums: Sums, places: Indices) -> Reals:
    """Return the c₀ of the best fit with c₁ = `FAINTEST`·c₀, for some curves."""
    s11, y1 = sums.of_base(places)
    down = sums.s22.take(places) * FAINTEST**2
    down += sums.s12.take(places) * (2 * FAINTEST)
    down += s11
    constant: Reals = (sums.y2.take(places) * FAINTEST + y1) / down
    # Of neighbours that depart together the best fit may lie beyond zero.
    return np.maximum(constant, LEAST_CONSTANT)

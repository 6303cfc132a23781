"""Leave-one-out least squares of one term, for any series at the same settings.

The fit y = c₀ + c₁·t(x) is linear in y, and so is each of its folds, the fit without
one point. With t̄ the mean of t over the m points that are kept,

    c₁ = Σ (t - t̄)·y / Σ (t - t̄)²,  c₀ = Σ y / m - c₁·t̄,

so the weights of y depend on the settings alone: they are found once and multiply
every series of a batch.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.terms import TermTable

PRECISION = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Folds:
    """Fits to all points but one, and to all, as matrices that multiply y.

    Parameters
    ----------
    tau
        Terms over their largest value, shape (n, H).
    constant
        Which of them is the constant.
    held_out
        Prediction of the point left out, shape (n·H, n), fold by fold.
    intercept
        c₀ of the same fit, shape (n·H, n).
    coefficients
        c₀ and c₁ of the fit to all points, shape (2, n, H).
    """

    tau: Reals
    constant: int
    held_out: Reals
    intercept: Reals
    coefficients: Reals

    @classmethod
    def of(cls, table: TermTable, constant: int) -> "Folds":
        """Solve the least squares of every term and fold."""
        points = table.tau.shape[1]
        without_one = ~np.eye(points, dtype=np.bool_)
        intercept, slope = _weights(table, without_one)
        held_out = intercept + slope * table.tau.T[:, :, np.newaxis]
        everywhere = np.ones((1, points), dtype=np.bool_)
        coefficients = np.concatenate(_weights(table, everywhere))
        return cls(
            tau=table.tau.T,
            constant=constant,
            held_out=held_out.reshape(-1, points),
            intercept=intercept.reshape(-1, points),
            coefficients=coefficients.transpose(0, 2, 1),
        )


def _weights(table: TermTable, is_kept: NDArray[np.bool_]) -> tuple[Reals, Reals]:
    """Return the weights of y in c₀ and in c₁ of τ, shape (folds, H, n)."""
    kept = is_kept[:, np.newaxis].astype(np.float64)
    size = kept.sum(axis=2, keepdims=True)
    tau = table.tau * kept
    mean = tau.sum(axis=2, keepdims=True) / size
    centred = (table.tau - mean) * kept
    variation = (centred**2).sum(axis=2, keepdims=True)
    square = (tau**2).sum(axis=2, keepdims=True)

    # A solver that works with t itself, not with τ, drops the smaller of the two
    # columns 1 and t once their singular values are a rounding error apart.
    largest = np.exp2(table.log2_scale)[:, np.newaxis]
    ratio = np.sqrt(size * variation) / (size / largest + square * largest)
    is_dropped = ratio < PRECISION * size
    drops_constant = is_dropped & (square * largest > size / largest)
    slope = np.divide(
        np.where(drops_constant, tau, centred),
        np.where(drops_constant, square, variation),
        out=np.zeros(np.broadcast_shapes(tau.shape, kept.shape)),
        where=drops_constant | ~is_dropped,
    )
    intercept = np.where(drops_constant, 0.0, kept / size - mean * slope)
    return intercept, slope

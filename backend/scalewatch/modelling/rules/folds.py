"""Leave-one-out least squares of one term, for any series at the same settings.

The fit y = c₀ + c₁·t(x) is linear in y, c = A⁺y, and so is each of its folds, the fit
without one point. The matrices depend on the settings alone: they are solved once
and multiply every series of a batch.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.rules.terms import TermTable

Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Folds:
    """Fits to all points but one, and to all, as matrices that multiply y.

    Parameters
    ----------
    tau
        Terms over their largest value, shape (n, H); zeros for the constant.
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
        tau = table.tau.copy()
        tau[constant] = 0.0
        terms, points = tau.shape
        design = np.stack([np.ones_like(tau), tau], axis=2)
        held_out = np.zeros((points, terms, points))
        intercept = np.zeros_like(held_out)
        for fold in range(points):
            kept = np.arange(points) != fold
            solution = _solution(design[:, kept], table.log2_scale)
            held_out[fold][:, kept] = (design[:, [fold]] @ solution)[:, 0]
            intercept[fold][:, kept] = solution[:, 0]
        return cls(
            tau=tau.T,
            constant=constant,
            held_out=held_out.reshape(-1, points),
            intercept=intercept.reshape(-1, points),
            coefficients=_solution(design, table.log2_scale).transpose(1, 2, 0),
        )


def _solution(design: Reals, log2_scale: Reals) -> Reals:
    """Return the matrices that solve least squares, shape (H, 2, n)."""
    scale = np.stack([np.ones_like(log2_scale), np.exp2(log2_scale)], axis=1)
    unscaled = design * scale[:, np.newaxis]
    cutoff = np.finfo(np.float64).eps * max(design.shape[1:])
    singular = np.linalg.svd(unscaled, compute_uv=False)
    is_drowned = singular[:, 1] < cutoff * singular[:, 0]
    solution = np.linalg.pinv(design).astype(np.float64, copy=False)
    solution[is_drowned] = (
        np.linalg.pinv(unscaled[is_drowned], rcond=cutoff)
        * scale[is_drowned, :, np.newaxis]
    )
    return solution

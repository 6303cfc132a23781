"""The rule of Extra-P 4.2: least cross-validated SMAPE over the means.

Each term t is fitted by ordinary least squares, y = c₀ + c₁·t(x), once without each
point, and scored by the symmetric mean absolute percentage error at the points left
out. The constant is scored on the points it is fitted to; a term must do better.

The prediction at the point left out and the c₀ of its fold are fixed linear
combinations of y, see `Folds`. One matrix product per batch therefore replaces 42 × n
fits per series, and the choice is the same.

Four habits of the original are kept, because users compare with it. A c₀ below
0.05 % of the smallest value in its fold counts as zero. A term that nowhere makes up
0.05 % of the value is not selected. A term so large that c₀ drowns in its rounding is
fitted without c₀. The quality reported for a term is the cross-validated SMAPE, for
the constant the in-sample one.

Folds are leave-one-out least squares. The fit y = c₀ + c₁·t(x) is linear in y, and so
is each of its folds, the fit without one point. With t̄ the mean of t over the m points
that are kept,

    c₁ = Σ (t - t̄)·y / Σ (t - t̄)²,  c₀ = Σ y / m - c₁·t̄,

so the weights of y depend on the settings alone: they are found once and multiply
every series of a batch.

References
----------
A. Calotoiu, T. Hoefler, M. Poke, F. Wolf, "Using Automated Performance Modeling to
Find Scalability Bugs in Complex Codes", SC 2013.
Extra-P 4.2.5, https://github.com/extra-p/extrap.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.terms import TermTable, term_table
from scalewatch.modelling.measurements.location import summarise
from scalewatch.modelling.rules.assumptions import ASSUMED
from scalewatch.modelling.rules.rule import (
    Rule,
    Sample,
    Selection,
    adjusted_r2_of,
    single_terms,
    smape,
)

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


Choice = tuple[NDArray[np.intp], Reals, Reals, Reals]


def select(sample: Sample) -> Selection:
    """Select for each series the term with the least cross-validated SMAPE."""
    table = term_table(sample.space.growths, sample.settings)
    folds = Folds.of(table, sample.space.constant)
    width = ASSUMED.smape_tile * max(
        1, ASSUMED.smape_scratch // (ASSUMED.smape_tile * len(folds.held_out))
    )
    scratch = np.empty((2, len(folds.held_out), width))
    chosen, coefficients, fit, error = (
        np.concatenate(column, axis=-1)
        for column in zip(
            *(
                _choose(summarise(block, sample.summary), folds, scratch)
                for block in _blocks(sample.values, width)
            ),
            strict=True,
        )
    )
    coefficients[1] *= np.exp2(-table.log2_scale[chosen])
    return Selection(
        hypotheses=single_terms(sample.space),
        chosen=chosen,
        coefficients=coefficients.T,
        adjusted_r2=fit,
        smape=error,
    )


def _blocks(values: Reals, size: int) -> Iterator[Reals]:
    for start in range(0, len(values), size):
        yield values[start : start + size]


def _choose(values: Reals, folds: Folds, scratch: Reals) -> Choice:
    """Choose for values of shape (S, n); the coefficients are those of τ."""
    series, points = values.shape
    y = np.ones((points, -(-series // ASSUMED.smape_tile) * ASSUMED.smape_tile))
    y[:, :series] = values.T
    scores = _cross_validated(y, folds, scratch[..., : y.shape[1]])
    mean = y.mean(axis=0)
    scores[folds.constant] = smape(y, np.broadcast_to(mean, y.shape))
    # `argmin` along columns takes twice as long.
    chosen = (scores == scores.min(axis=0)).argmax(axis=0)
    while (rejected := np.flatnonzero(_is_negligible(chosen, y, folds))).size:
        scores[chosen[rejected], rejected] = np.inf
        chosen[rejected] = scores[:, rejected].argmin(axis=0)

    error = np.take_along_axis(scores, chosen[np.newaxis], axis=0)[0]
    is_constant = chosen == folds.constant
    coefficients = (folds.coefficients[:, :, chosen] * y).sum(axis=1)
    coefficients[0, is_constant] = mean[is_constant]
    fitted = coefficients[0] + coefficients[1] * folds.tau[:, chosen]
    fit = adjusted_r2_of(y, fitted, (~is_constant).astype(np.intp))
    return chosen[:series], coefficients[:, :series], fit[:series], error[:series]


def _cross_validated(y: Reals, folds: Folds, scratch: Reals) -> Reals:
    """Return the SMAPE at the points left out, shape (H, S)."""
    points, series = y.shape
    for start in range(0, series, ASSUMED.smape_tile):
        tile = slice(start, start + ASSUMED.smape_tile)
        np.matmul(folds.held_out, y[:, tile], out=scratch[0, :, tile])
        np.matmul(folds.intercept, y[:, tile], out=scratch[1, :, tile])

    predicted, intercept = scratch.reshape(2, points, -1, series)
    smallest, next_smallest = np.partition(y, 1, axis=0)[:2]
    minimum = np.abs(np.where(y == smallest, next_smallest, smallest))
    is_zero = (
        np.abs(intercept)
        < (ASSUMED.smape_negligible * np.where(minimum == 0, 1.0, minimum))[
            :, np.newaxis
        ]
    )
    if is_zero.any():
        predicted[is_zero] -= intercept[is_zero]
    actual = y[:, np.newaxis]
    scale = np.abs(predicted, out=intercept)
    scale += np.abs(actual) + ASSUMED.smape_tiny
    error = np.subtract(predicted, actual, out=predicted)
    np.abs(error, out=error)
    error /= scale
    total: Reals = error.sum(axis=0)
    total *= 200 / points
    return total


def _is_negligible(
    chosen: NDArray[np.intp], y: Reals, folds: Folds
) -> NDArray[np.bool_]:
    """Tell which chosen terms nowhere contribute to the value, shape (S,)."""
    slope = (folds.coefficients[1][:, chosen] * y).sum(axis=0)
    contribution = np.abs(slope) * folds.tau[:, chosen]
    is_small = (contribution < ASSUMED.smape_negligible * np.abs(y)).all(axis=0)
    is_small |= slope == 0
    return np.asarray(is_small & (chosen != folds.constant))


SMAPE = Rule("smape", summary="mean", auto_space="pmnf", select=select)
"""Least cross-validated SMAPE over the means, in Extra-P's space."""

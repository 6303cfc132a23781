"""How well a model describes what was measured."""

from functools import reduce

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals


def adjusted_r2(r2: Reals, points: int, terms: int | NDArray[np.intp]) -> Reals:
    """Return R̄² = 1 - (1 - R²)(n - 1)/(n - k - 1), shape of `r2`.

    Parameters
    ----------
    r2
        Share of the variance that the model explains, 0 … 1.
    points
        n, more than `terms` + 1.
    terms
        k, terms besides the constant.
    """
    return 1 - (1 - r2) * (points - 1) / (points - terms - 1)


def adjusted_r2_of(
    actual: Reals, predicted: Reals, terms: int | NDArray[np.intp]
) -> Reals:
    """Return R̄² of models, NaN where it does not apply, shape (S,).

    It applies to models of some terms, but not as many as points, and to series that
    vary.

    Parameters
    ----------
    actual, predicted
        Point by series, shape (n, S).
    terms
        Terms besides the constant, of all models or of each.
    """
    mean = reduce(np.add, actual) / len(actual)
    variation = reduce(np.add, (actual - mean) ** 2)
    residual = reduce(np.add, (actual - predicted) ** 2)
    left = len(actual) - 1 - np.asarray(terms)
    applies = (variation > 0) & (left > 0) & (left < len(actual) - 1)
    unexplained = np.full(variation.shape, np.nan)
    np.divide(residual, variation, out=unexplained, where=applies)
    return adjusted_r2(1 - unexplained, len(actual), np.where(left > 0, terms, 0))


def smape(actual: Reals, predicted: Reals) -> Reals:
    """Return the symmetric mean absolute percentage error, 0 … 200, shape (S,).

    Parameters
    ----------
    actual, predicted
        Point by series, shape (n, S); a pair of zeros has no error.
    """
    error = np.abs(actual - predicted)
    scale = (np.abs(actual) + np.abs(predicted)) / 2
    ratio = np.divide(error, scale, out=np.zeros_like(error), where=scale > 0)
    mean: Reals = 100 * reduce(np.add, ratio) / len(ratio)
    return mean

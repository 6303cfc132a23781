"""How well a model describes what was measured."""

from functools import reduce

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]


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

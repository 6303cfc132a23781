"""Which series are exact: repetitions tell one value at each setting."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals, sorted_rows
from scalewatch.modelling.exact_counts.rounding import RELATIVE

MAJORITY: Final = 2 / 3
"""Share of the repetitions of a whole number that agree although a few do not."""

FEWEST: Final = 3
"""Repetitions of which a majority is one."""


def exact_series(values: Reals) -> NDArray[np.bool_]:
    """Tell which series were repeated and told the same value each time, shape (S,).

    All repetitions of a setting agree but for what a computer rounds; of whole numbers
    two thirds of them do. Half of the settings or more were repeated.

    Parameters
    ----------
    values
        Repetitions, shape (S, n, R); NaN where one is missing.
    """
    with np.errstate(invalid="ignore"):  # from infinite values, which are not exact
        return _exact_series(values)


def _exact_series(values: Reals) -> NDArray[np.bool_]:
    is_exact = np.zeros(len(values), dtype=np.bool_)
    rows = np.flatnonzero(_may_be(values[:, 0])) if len(values) else ()
    if not len(rows) or not values.shape[2]:
        return is_exact
    own = values[rows]
    there = ~np.isnan(own)
    count = there.sum(axis=2)
    y = exact_values(own)
    agrees = np.abs(own - y[..., np.newaxis]) <= RELATIVE * np.abs(y)[..., np.newaxis]
    share = agrees.sum(axis=2) / count
    is_whole = (np.where(there, own % 1, 0) == 0).all(axis=(1, 2))
    is_most = (share >= MAJORITY) & ((count >= FEWEST) | (share == 1))
    is_repeated = 2 * (count > 1).sum(axis=1) >= count.shape[1]
    is_exact[rows] = is_repeated & (
        (share == 1).all(axis=1) | (is_whole & is_most.all(axis=1))
    )
    return is_exact


def exact_values(values: Reals) -> Reals:
    """Return the value that most repetitions of a setting tell, shape (S, n).

    Parameters
    ----------
    values
        Repetitions, shape (S, n, R); NaN where one is missing.
    """
    ordered = np.sort(values, axis=2)
    middle = (np.maximum((~np.isnan(values)).sum(axis=2), 1) - 1) // 2
    return np.take_along_axis(ordered, middle[..., np.newaxis], axis=2)[..., 0]


def _may_be(first: Reals) -> NDArray[np.bool_]:
    """Tell for which series two repetitions may agree at a setting, or it has but one.

    Hardly any noisy series passes, so that large batches cost next to nothing.
    """
    if first.shape[1] < 2:
        return np.ones(len(first), dtype=np.bool_)
    ordered = np.stack(sorted_rows(list(np.ascontiguousarray(first.T))))
    # Where a repetition is missing, nothing is told apart.
    is_apart = np.diff(ordered, axis=0) > RELATIVE * np.abs(ordered[1:])
    return np.asarray(~is_apart.all(axis=0))

"""Arrays of different lengths as one, NaN where there is nothing."""

from collections.abc import Sequence

import numpy as np

from scalewatch.modelling.arrays.types import Indices, Reals


def stacked(arrays: Sequence[Reals]) -> Reals:
    """Return arrays as one, each padded to the longest along every axis.

    Parameters
    ----------
    arrays
        At least one, all of as many axes.
    """
    longest = np.max([each.shape for each in arrays], axis=0)
    whole = np.full((len(arrays), *longest), np.nan)
    for part, each in zip(whole, arrays, strict=True):
        part[tuple(map(slice, each.shape))] = each
    return whole


def spread(rows: Reals, places: Indices, count: int) -> Reals:
    """Return rows at their places among `count`, the others NaN."""
    whole = np.full((count, *rows.shape[1:]), np.nan)
    whole[places] = rows
    return whole


def widened(rows: Reals, width: int) -> Reals:
    """Return rows of this width, NaN behind their own; shape (n, width)."""
    lacking = width - rows.shape[1]
    if not lacking:
        return rows
    return np.pad(rows, ((0, 0), (0, lacking)), constant_values=np.nan)

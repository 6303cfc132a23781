"""The adaptive grid: bins that follow the density of the points along each dimension.

A histogram of fine cells is cut into windows of the height of their fullest cell;
windows beside each other of nearly the same height are one bin. A bin is dense with
more than α n w points, w its width: α times what points that lie anywhere would bring.
A unit of several bins is dense with more points than the widest of them asks for.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]

CELLS: Final = 200
WINDOWS: Final = 40
CELLS_EACH: Final = CELLS // WINDOWS

ALIKE: Final = 0.35
"""Windows whose heights differ by less than this share of the higher one are merged."""

DENSITY: Final = 1.5
"""α."""

MOST_BINS: Final = 64
"""A unit is a word with a bit for each bin."""


class TooManyBins(ValueError):
    """A grid has more bins than a word has bits."""

    def __init__(self, bins: int) -> None:
        super().__init__(
            f"the grid has {bins} dense bins, and a unit holds {MOST_BINS} at most: "
            "take fewer clusters or dimensions"
        )


class NoDenseUnit(ValueError):
    """No bin of a grid is dense."""

    def __init__(self, density: float) -> None:
        super().__init__(
            f"there is no dense unit: no bin holds {density:g} times its share of the "
            "points"
        )


@dataclass(frozen=True, slots=True)
class Grid:
    """The dense bins.

    Parameters
    ----------
    dimensions
        Of each bin, shape (bins,).
    starts, ends
        Of each bin in cells, shape (bins,).
    least
        Points that each bin has to exceed, shape (bins,).
    """

    dimensions: Integers
    starts: Integers
    ends: Integers
    least: Reals

    @classmethod
    def of(cls, points: Reals, comm: MPI.Intracomm, density: float) -> "Grid":
        """Find the dense bins of points that are divided among processes.

        Parameters
        ----------
        points
            Of this process, shape (points, d), from 0 to below 1.
        density
            α.

        Raises
        ------
        NoDenseUnit, TooManyBins
            If nothing can be searched for.
        """
        heights = _histograms(points)
        comm.Allreduce(MPI.IN_PLACE, heights)
        total = heights[0].sum()
        bins = [
            (dimension, start, end)
            for dimension, row in enumerate(heights)
            for start, end in _bins(row)
            if row[start:end].sum() > density * total * (end - start) / CELLS
        ]
        if not bins:
            raise NoDenseUnit(density)
        if len(bins) > MOST_BINS:
            raise TooManyBins(len(bins))
        dimensions, starts, ends = np.array(bins, dtype=np.int64).T
        return cls(dimensions, starts, ends, density * total * (ends - starts) / CELLS)

    def bitmaps(self, points: Reals) -> NDArray[np.uint64]:
        """Return which points lie in each bin, a bit each, shape (bins, words)."""
        cells = _cells(points)[:, self.dimensions].T
        inside = (cells >= self.starts[:, None]) & (cells < self.ends[:, None])
        packed = np.packbits(inside, axis=1)
        missing = -packed.shape[1] % 8
        return np.pad(packed, ((0, 0), (0, missing))).view(np.uint64)


def _cells(points: Reals) -> Integers:
    return (points * CELLS).astype(np.int64)


def _histograms(points: Reals) -> Integers:
    """Return how many points lie in each cell, shape (d, cells)."""
    counted = [np.bincount(column, minlength=CELLS) for column in _cells(points).T]
    return np.array(counted, dtype=np.int64)


def _bins(row: Integers) -> Iterator[tuple[int, int]]:
    """Yield where bins start and end, in cells, unless the whole dimension is one."""
    heights = row.reshape(WINDOWS, CELLS_EACH).max(axis=1)
    start, height = 0, heights[0]
    for window in range(1, WINDOWS):
        higher = max(height, heights[window])
        if abs(height - heights[window]) <= ALIKE * higher:
            height = higher
            continue
        yield start * CELLS_EACH, window * CELLS_EACH
        start, height = window, heights[window]
    if start:
        yield start * CELLS_EACH, CELLS

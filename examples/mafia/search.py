"""The search for clusters, level by level, by all processes together."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from grid import Grid, Reals
from kernels import BIT, Kernels, Words
from mpi4py import MPI


@dataclass(frozen=True, slots=True)
class Found:
    """What a search finds.

    Parameters
    ----------
    clusters
        Of each the bins that no larger dense unit contains.
    units
        How many dense units there are on all levels.
    """

    clusters: tuple[tuple[int, ...], ...]
    units: int


class Search:
    """Searches the points of all processes.

    Parameters
    ----------
    comm
        All processes.
    points
        Of this process, shape (points, d).
    grid
        Of all points.
    kernels
        That do it.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        points: Reals,
        grid: Grid,
        kernels: Kernels,
    ) -> None:
        self._comm = comm
        self._points = len(points)
        self._grid = grid
        self._kernels = kernels
        self._bitmaps = grid.bitmaps(points)
        dimensions = np.unique(grid.dimensions, return_inverse=True)[1]
        self._dimensions = dimensions.astype(np.uint8)

    def run(self) -> Found:
        """Find all clusters."""
        units = BIT[: len(self._grid.dimensions)].copy()
        clusters: list[tuple[int, ...]] = []
        total = 0
        while len(units):
            total += len(units)
            dense = self._denser(units)
            left = units[self._kernels.unjoin(units, dense)]
            clusters += _bins(left)
            units = dense
        return Found(tuple(clusters), total)

    def _denser(self, units: Words) -> Words:
        """Return the dense units of the next level."""
        kernels = self._kernels
        candidates = kernels.generate(units)
        distinct = kernels.deduplicate(candidates, self._dimensions)
        counts = kernels.count_points(distinct, self._bitmaps, self._points)
        kernels.sum_up(counts, self._comm)
        return distinct[counts > self._least(distinct)]

    def _least(self, units: Words) -> Reals:
        """Return the points that each unit has to exceed."""
        inside = (units[:, None] & BIT[: len(self._grid.least)]) != 0
        return np.asarray(np.where(inside, self._grid.least, 0.0).max(axis=1))


def _bins(units: Words) -> Iterator[tuple[int, ...]]:
    for unit in units:
        yield tuple(np.flatnonzero(unit & BIT).tolist())

"""Points with clusters of known dimensions, of which every count can be foretold.

All clusters lie in the same k dimensions, each in an interval of its own; a tenth of
the points is noise. Then a cluster has one bin in each of its dimensions and no two
clusters share one, so that there are m (2^k - 1) dense units, and the pairs of bins of
different clusters are as many whatever the points. Along each dimension the points of a
cluster lie evenly, one in each of equally many strata: no density hangs on chance.
"""

from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np
from grid import DENSITY, WINDOWS
from numpy.typing import NDArray

Reals = NDArray[np.float64]

CLUSTERED: Final = 0.9
"""Share of the points that belong to clusters."""

FEWEST: Final = 1000
"""Points below which the density of a bin hangs on single ones."""

_MARGIN: Final = 1e-9
"""Share of an interval at its ends that stays empty: no point is rounded out of it."""


class TooManyDimensions(ValueError):
    """A cluster has more dimensions than the space."""

    def __init__(self, wanted: int, dimensions: int) -> None:
        super().__init__(
            f"clusters of {wanted} dimensions do not fit into {dimensions}: take a "
            "smaller k, or more dimensions"
        )


class TooFewPoints(ValueError):
    """Whether a bin is dense would hang on single points."""

    def __init__(self, points: int) -> None:
        super().__init__(
            f"{points:,} points are too few to tell dense bins from others: take "
            f"{FEWEST:,} or more"
        )


class TooManyClusters(ValueError):
    """There is no room for so many intervals beside each other."""

    def __init__(self, clusters: int) -> None:
        super().__init__(
            f"{clusters} clusters do not fit beside each other: take "
            f"{(WINDOWS - 1) // 2} or fewer"
        )


@dataclass(frozen=True, slots=True)
class Clusters:
    """Clusters to plant.

    Parameters
    ----------
    points, dimensions
        Of the whole space: n and d.
    clusters
        m.
    own_dimensions
        In which they are clusters: k.
    """

    points: int
    dimensions: int
    clusters: int
    own_dimensions: int

    def __post_init__(self) -> None:
        if self.own_dimensions > self.dimensions:
            raise TooManyDimensions(self.own_dimensions, self.dimensions)
        if self.points < FEWEST:
            raise TooFewPoints(self.points)
        if self.clusters * (self._width + 1) >= WINDOWS:
            raise TooManyClusters(self.clusters)

    @property
    def units(self) -> int:
        """The dense units of all levels."""
        units: int = 2**self.own_dimensions - 1
        return self.clusters * units

    @property
    def _width(self) -> int:
        """Windows of the grid that an interval has: few enough to be dense."""
        return max(1, ceil(CLUSTERED / DENSITY / self.clusters * WINDOWS) - 1)

    def planted(self, random: np.random.Generator) -> Reals:
        """Return points with these clusters, shape (n, d), from 0 to below 1."""
        share = int(CLUSTERED * self.points) // self.clusters
        ends = [share * number for number in range(1, self.clusters + 1)]
        groups = np.split(np.empty((self.points, self.dimensions)), ends)
        chosen = random.choice(self.dimensions, self.own_dimensions, replace=False)
        for dimension in range(self.dimensions):
            places = random.permutation(self.clusters) * (self._width + 1) + 1
            for group, place in zip(groups[:-1], places.tolist(), strict=True):
                start, width = (
                    (place, self._width) if dimension in chosen else (0, WINDOWS)
                )
                group[:, dimension] = _evenly(len(group), start, width, random)
            noise = groups[-1]
            noise[:, dimension] = _evenly(len(noise), 0, WINDOWS, random)
        return np.concatenate(groups)


def _evenly(count: int, start: int, width: int, random: np.random.Generator) -> Reals:
    """Return places in windows, one in each of `count` strata, in random order."""
    strata = (random.permutation(count) + random.random(count)) / max(1, count)
    inside = _MARGIN + (1 - 2 * _MARGIN) * strata
    return np.asarray((start + width * inside) / WINDOWS)

"""Whether what the best surface leaves is scatter or the shape of another one.

Repetitions of one job share what its nodes do, so that settings scatter about the right
surface by more than repetitions tell. They do about a wrong one as well, but there
neighbours in the grid of settings err alike, or all that have a setting of one
parameter in common do, as beyond a switch of protocols, or all on a diagonal of the
grid. Geary's ratio compares the residuals r of neighbours, m pairs of n points, with
those of any two,

    C = (n - 1) Σ (rᵢ - rⱼ)² / (2 m Σ (r - r̄)²),

which is 1 on average where neighbours have nothing in common, and less where they do.
What the others have in common F tests tell, of their means against what is left.

References
----------
R. C. Geary, "The Contiguity Ratio and Statistical Mapping", The Incorporated
Statistician 5, 1954.
H. Scheffé, "The Analysis of Variance", 1959, section 4.1 (two-way layouts).
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

import numpy as np
from scipy.special import fdtrc

from scalewatch.modelling.arrays import Indices, Reals

ALIKE: Final = 0.7
"""C below which neighbours have something in common; scatter is in one of ten."""

COMMON: Final = 0.02
"""Probability of so different means by chance below which they are no scatter."""

LEAST_LEFT: Final = 8
"""Degrees of freedom beside the means, of which fewer tell too little."""


def is_scatter(settings: Mapping[str, Reals], residuals: Reals) -> bool:
    """Tell whether residuals have nothing in common with each other.

    Parameters
    ----------
    settings
        Per parameter its settings, shape (n,), distinct as tuples.
    residuals
        At each point, shape (n,).
    """
    centred = residuals - residuals.mean()
    squares = float(centred @ centred)
    pairs = neighbours(settings)
    if not squares or not len(pairs):
        return False
    before, after = centred[pairs].T
    unlike = float(((before - after) ** 2).mean()) / 2
    if (len(centred) - 1) * unlike < ALIKE * squares:
        return False
    return all(
        _difference(labels, centred) >= COMMON for labels in _groupings(settings)
    )


def _groupings(settings: Mapping[str, Reals]) -> Iterator[list[Indices]]:
    """Yield labels of points with something in common: settings, then diagonals."""
    ranks = [np.unique(x, return_inverse=True)[1] for x in settings.values()]
    yield ranks
    for signs in product((1, -1), repeat=len(ranks) - 1):
        diagonal = ranks[0] + sum(
            sign * rank for sign, rank in zip(signs, ranks[1:], strict=True)
        )
        yield [np.unique(diagonal, return_inverse=True)[1]]


def _difference(labels: Sequence[Indices], centred: Reals) -> float:
    """Return how probable so different means of groups are by chance.

    Zero where too little is left beside the means to tell.
    """
    columns = np.hstack([np.eye(each.max() + 1)[each] for each in labels])
    means, _, rank, _ = np.linalg.lstsq(columns, centred)
    left = len(centred) - int(rank)
    rest = float(((centred - columns @ means) ** 2).sum())
    if left < LEAST_LEFT or not rest:
        return 0.0
    common = (float(centred @ centred) - rest) / max(int(rank) - 1, 1)
    return float(fdtrc(max(int(rank) - 1, 1), left, common * left / rest))


def neighbours(settings: Mapping[str, Reals]) -> Indices:
    """Return pairs of points that follow each other along one parameter, (m, 2)."""
    pairs = []
    for name, x in settings.items():
        others = [column for other, column in settings.items() if other != name]
        order = np.lexsort((x, *others))
        earlier, later = order[:-1], order[1:]
        on_line = np.ones(len(earlier), dtype=np.bool_)
        for column in others:
            on_line &= column[earlier] == column[later]
        pairs.append(np.stack([earlier[on_line], later[on_line]], axis=1))
    return np.concatenate(pairs)

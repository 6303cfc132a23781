"""The outline of what was measured."""

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]


def convex_hull(points: Points) -> Points:
    """Return the corners of the convex hull, counterclockwise (Andrew's chain).

    Parameters
    ----------
    points
        Shape (n, 2).
    """
    distinct = np.unique(points, axis=0)
    if len(distinct) < 3:
        return distinct
    lower, upper = _chain(distinct), _chain(distinct[::-1])
    return np.array(lower[:-1] + upper[:-1])


def _chain(points: Points) -> list[Points]:
    """Return the points that turn left all the way, from the first to the last."""
    chain: list[Points] = []
    for point in points:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain


def _turn(a: Points, b: Points, c: Points) -> float:
    """Return a number that is positive if a, b, c turn left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

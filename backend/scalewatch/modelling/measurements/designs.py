"""Designs of settings: what they can and cannot tell, and which settings would.

Where parameters were varied one at a time, f·g is as good a sum of functions of one
parameter as f + g is. In general that is so if the indicator columns of the settings
of each parameter reproduce any values at the points, so if their rank is the number
of points. One more point that does not raise the rank, because it completes a
rectangle, ends this.
"""

from collections.abc import Mapping, Sequence
from itertools import chain, cycle, islice, product
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.reasons import FewSettings, Unresolved

MOST_CANDIDATES: Final = 1000
"""Points that are tried as the one to measure next."""


def unresolved(settings: Mapping[str, Reals]) -> str | None:
    """Say in words that products cannot be told from sums, and what would help.

    Parameters
    ----------
    settings
        Per parameter its settings, shape (n,), distinct as tuples.

    Returns
    -------
    str or None
        None where the settings can tell.
    """
    varied = {name: column for name, column in settings.items() if np.ptp(column) > 0}
    if len(varied) < 2:
        return None
    points = np.stack(list(varied.values()), axis=1)
    levels = [np.unique(column) for column in points.T]
    if _additive_rank(points, levels) < len(points):
        return None
    point = _resolving_point(points, levels)
    resolving = None if point is None else dict(zip(varied, point, strict=True))
    return str(Unresolved(tuple(varied), resolving))


def never_together(
    settings: Mapping[str, Reals], targets: Sequence[Mapping[str, float]]
) -> list[int]:
    """Return the targets at which parameters are as nobody has seen them together.

    At others there is a point that is the nearest one in the setting of each parameter.
    Where products cannot be told from sums, one may hide in all but these.
    """
    places = []
    for place, target in enumerate(targets):
        distances = [np.abs(x - target[name]) for name, x in settings.items()]
        is_nearest = np.all([each == each.min() for each in distances], axis=0)
        if not is_nearest.any():
            places.append(place)
    return places


def _resolving_point(
    points: Reals, levels: Sequence[Reals]
) -> tuple[float, ...] | None:
    """Return a point that would tell, the largest rectangles first."""
    rank = _additive_rank(points, levels)
    measured = set(map(tuple, points.tolist()))
    ends = product(*((level[-1], level[0]) for level in levels))
    grid = product(*(level[::-1] for level in levels))
    for corner in islice(chain(ends, grid), MOST_CANDIDATES):
        if corner in measured:
            continue
        if _additive_rank(np.vstack([points, corner]), levels) == rank:
            return corner
    return None


def _additive_rank(points: Reals, levels: Sequence[Reals]) -> int:
    """Count the values that sums of functions of one parameter can reproduce."""
    indicators = [
        column[:, np.newaxis] == level
        for column, level in zip(points.T, levels, strict=True)
    ]
    return int(np.linalg.matrix_rank(np.hstack(indicators).astype(np.float64)))


LEAST = 2
"""Settings between which there is a factor."""


def few_settings_reason(settings: Mapping[str, Reals], needed: int) -> str:
    """Say that settings are too few for a growth, and which others would tell it.

    Parameters
    ----------
    settings
        Per parameter, distinct as tuples.
    needed
        How many a growth needs.
    """
    names = list(settings)
    count = len(settings[names[0]])
    further: Sequence[float] = ()
    if len(names) == 1 and count >= LEAST:
        further = further_settings(settings[names[0]], needed)
    return str(FewSettings(count, needed, names[0], [*map(_text, further)]))


def further_settings(settings: Reals, needed: int) -> Sequence[float]:
    """Return the settings that continue a scan, in ascending order.

    They go on in its mean ratio, downwards and upwards in turn, as small settings cost
    least and large ones tell most; those of whole numbers stay whole numbers from 1.
    """
    known = sorted(set(settings.tolist()))
    if len(known) < LEAST or known[0] <= 0:
        return ()
    ratio = (known[-1] / known[0]) ** (1 / (len(known) - 1))
    is_whole = all(value.is_integer() for value in known)
    low, high, added = known[0], known[-1], list[float]()
    for is_upwards in cycle((True, False)):
        if len(known) + len(added) >= needed:
            return sorted(added)
        candidate = high * ratio if is_upwards else low / ratio
        if is_whole:
            candidate = float(np.rint(candidate))
        if is_upwards:
            high = max(candidate, high + 1 if is_whole else candidate)
            added.append(high)
        elif candidate >= 1 and candidate < low:
            low = candidate
            added.append(low)
    return ()


def _text(setting: float) -> str:
    return f"{setting:.6g}" if setting < 1e6 else f"{setting:.10g}"

"""Levels of a series over the states of its machine: where they move, a history ends.

A part of a fingerprint that changed is a candidate for a step. With b and a commits
before and since, of standard deviation σ from one commit to the next in one state, the
level or a tilt moved if its means differ by more than

    CLEAR · max(σ √(1/b + 1/a), s),

where s is how far means of as many commits in a row usually lie apart in this series,
so that correlated nights move nothing; and if that is an effect of at least `LEAST` at
some setting. σ is shrunk towards `USUAL`. A clearer step nearby, which is the code's,
ends the commits that are compared. States that alternate are compared at all their
transitions.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.features import largest_effect
from scalewatch.modelling.common_mode.spreads import NORMAL, filled, projection
from scalewatch.modelling.histories.histories import FLOOR, middle

CLEAR: Final = 5.0
"""Standard errors from which on a level has moved; quiet series reach 4."""

LEAST: Final = 0.03
"""Least effect at a setting, as a share; smaller moves end no history."""

WINDOW: Final = 6
"""Commits on either side that are compared at most."""

USUAL: Final = 0.03
"""Standard deviation from commit to commit that is assumed of an unknown series."""

WEIGHT: Final = 4
"""Differences between commits that this assumption weighs as much as."""

CLEARER: Final = 4.0
"""Gain in χ² by which another step nearby has to be clearer."""

FEW: Final = 8
"""Places of which fewer do not show how far means usually lie apart."""


def alike_states(
    log: Reals, states: Sequence[int], directions: Reals, *, is_exact: bool
) -> dict[int, int]:
    """Return the first state at whose levels a series lies, for each state.

    Parameters
    ----------
    log
        Natural logarithms at the commits in their order, shape (T, n), NaN if missing.
    states
        Of the machine at these commits, T numbers.
    directions
        Level and tilts in which steps are sought, shape (k, n).
    is_exact
        Whether values have no noise.
    """
    here = np.asarray(states)
    parts = filled(log - middle(log)) @ projection(directions).T
    sigma = _sigma(parts, here, is_exact=is_exact)
    first: dict[int, int] = {}
    for state in dict.fromkeys(here.tolist()):
        # The newest levels first: what was before them has ended already.
        for known in reversed([*dict.fromkeys(first.values())]):
            former = np.isin(here, [each for each in first if first[each] == known])
            is_compared = former | (here == state)
            step = _step(parts[is_compared], former[is_compared], sigma)
            if largest_effect(step, directions) < np.log1p(LEAST):
                first[state] = known
                break
        first.setdefault(state, state)
    return first


def _sigma(parts: Reals, states: NDArray[np.intp], *, is_exact: bool) -> Reals:
    """Return the standard deviation of commits of a state, shape (k,)."""
    if is_exact:
        return np.full(parts.shape[1], FLOOR)
    steps = np.diff(parts, axis=0)[states[1:] == states[:-1]]
    variance = np.zeros(parts.shape[1])
    if len(steps):
        variance = (NORMAL * np.median(np.abs(steps), axis=0)) ** 2 / 2
    shrunk = (len(steps) * variance + WEIGHT * USUAL**2) / (len(steps) + WEIGHT)
    return np.asarray(np.sqrt(shrunk) + FLOOR)


def _step(parts: Reals, is_former: NDArray[np.bool_], sigma: Reals) -> Reals:
    """Return the step from some states to another, 0 along what did not clearly move.

    Parameters
    ----------
    parts
        Along the directions, of both alone, shape (T, k).
    is_former
        Which commits were measured before the state, shape (T,).
    """
    flips = np.flatnonzero(is_former[1:] != is_former[:-1]) + 1
    bounds = [0, *flips.tolist(), len(parts)]
    sizes, variances = [], []
    for before, at, after in zip(bounds, bounds[1:], bounds[2:], strict=False):
        start, stop = max(before, at - WINDOW), min(after, at + WINDOW)
        if len(flips) == 1:
            start, stop = _without_nearby(parts, start, at, stop, sigma)
        sign = 1.0 if is_former[at - 1] else -1.0
        step = parts[at:stop].mean(axis=0) - parts[start:at].mean(axis=0)
        sizes.append(sign * step)
        variances.append(1 / (at - start) + 1 / (stop - at))
    # Neighbouring transitions share commits, so that two of them count as one.
    share = max(1.0, len(sizes) / 2)
    error = sigma * np.sqrt(np.mean(variances) / share)
    apart = _apart(parts, flips) / np.sqrt(share)
    size = np.median(sizes, axis=0)
    return np.where(np.abs(size) > CLEAR * np.maximum(error, apart), size, 0.0)


def _without_nearby(
    parts: Reals, start: int, at: int, stop: int, sigma: Reals
) -> tuple[int, int]:
    """Return the commits around a place that no clearer step parts from it."""
    while True:
        gains = {
            place: _gain(parts[start:place], parts[place:stop], sigma)
            for place in range(start + 1, stop)
        }
        clearest = max(gains, key=gains.__getitem__)
        if gains[clearest] <= gains[at] + CLEARER:
            return start, stop
        start, stop = (clearest, stop) if clearest < at else (start, clearest)


def _gain(before: Reals, after: Reals, sigma: Reals) -> float:
    step = (after.mean(axis=0) - before.mean(axis=0)) / sigma
    return float((step**2).sum() / (1 / len(before) + 1 / len(after)))


def _apart(parts: Reals, flips: NDArray[np.intp]) -> Reals:
    """Return how far means of commits in a row lie apart away from transitions."""
    places = np.arange(WINDOW, len(parts) - WINDOW + 1)
    places = places[(np.abs(places[:, np.newaxis] - flips) >= WINDOW).all(axis=1)]
    if len(places) < FEW:
        return np.zeros(parts.shape[1])
    sums = np.concatenate([np.zeros((1, parts.shape[1])), parts.cumsum(axis=0)])
    around = sums[places + WINDOW] - 2 * sums[places] + sums[places - WINDOW]
    return np.asarray(NORMAL * np.median(np.abs(around), axis=0) / WINDOW)

"""The scale from which one model exceeds another."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.growth import Growth, power_of_two
from scalewatch.modelling.growths.model import Model

LARGEST_SCALE = 2.0**60
"""No machine and no problem is larger; what happens beyond does not matter."""

STEPS_PER_DOUBLING = 32
"""How finely the scales are searched before the crossing is refined."""

PARTS = 1024
"""Into so many parts the logarithm of the scale is cut at once, see `REFINEMENTS`."""

REFINEMENTS = 5
"""Cuts by `PARTS`, down to the precision of a number; each evaluates models once."""


def first_above(
    model: Model,
    limit: Model,
    parameter: str = "p",
    *,
    start: float = 1.0,
    others: Mapping[str, float] | None = None,
) -> float | None:
    """Return the smallest scale from `start` on at which `model` exceeds `limit`.

    Parameters
    ----------
    model, limit
        In the same unit; both defined from `start` on.
    parameter
        What is scaled.
    start
        Where to begin, more than zero.
    others
        Settings of the other parameters, which stay fixed.

    Returns
    -------
    None
        If it does not happen up to `LARGEST_SCALE`.
    """
    excess = model - limit
    fixed = others or {}
    if _is_nowhere_positive(excess, {parameter, *fixed}):
        return None
    if excess({**fixed, parameter: start}) > 0:
        return start
    scales = _scales(start)
    above = np.flatnonzero(_along(excess, parameter, start, fixed)[1:] > 0)
    if not above.size:
        return None
    first = int(above[0]) + 1
    low, high = float(scales[first - 1]), float(scales[first])
    for _ in range(REFINEMENTS):
        finer = np.geomspace(low, high, PARTS + 1)
        inside = np.flatnonzero(excess({**fixed, parameter: finer[1:-1]}) > 0)
        first = int(inside[0]) + 1 if inside.size else PARTS
        low, high = float(finer[first - 1]), float(finer[first])
    return high


@lru_cache(maxsize=64)
def _scales(start: float) -> Reals:
    doublings = np.log2(LARGEST_SCALE / start)
    steps = 1 + int(np.ceil(doublings * STEPS_PER_DOUBLING))
    return np.asarray(start * 2.0 ** np.linspace(0, doublings, steps))


@lru_cache(maxsize=256)
def _grown(growth: Growth, parameter: str, start: float) -> Reals:
    """Return a growth at all scales; few of them ever occur."""
    return power_of_two(growth.log2({parameter: _scales(start)}))


def _along(
    model: Model, parameter: str, start: float, others: Mapping[str, float]
) -> Reals:
    """Evaluate a model at all scales."""
    scales = _scales(start)
    if not others:
        values = np.full_like(scales, model.constant)
        with np.errstate(over="ignore", invalid="ignore"):
            for term in model.terms:
                values += term.coefficient * _grown(term.growth, parameter, start)
        if np.isfinite(values).all():
            return values
    return model({**others, parameter: scales})


def _is_nowhere_positive(model: Model, known: set[str]) -> bool:
    """Tell whether no coefficient is positive, as growths are where they are defined.

    Of parameters that are not known, evaluation tells.
    """
    names = {name for term in model.terms for name in term.growth.parameters}
    coefficients = [model.constant, *(term.coefficient for term in model.terms)]
    return names <= known and max(coefficients) <= 0

"""Widening of forecasts over several parameters, learned from many series.

The widening is conformal: the measurement at the far corner, where all
parameters are largest, is forecast from the others, and intervals are widened until the
nominal share of them holds.

References
----------
G. Shafer and V. Vovk, "A Tutorial on Conformal Prediction", JMLR 9, 2008.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from scalewatch.modelling.growths.space import Space, pmnf
from scalewatch.modelling.measurements.assumptions import USUAL, Noise
from scalewatch.modelling.measurements.batch import Batch, obstacle
from scalewatch.modelling.measurements.designs import far_corner, unresolved
from scalewatch.modelling.measurements.estimators import located
from scalewatch.modelling.noise.learn import LEAST_SERIES
from scalewatch.modelling.noise.pools import deviations, positive
from scalewatch.modelling.rules.rule import Sample
from scalewatch.modelling.rules.several_parameters.surfaces import select

MOST_FORECAST: Final = 24
"""Surfaces that are forecast, each of them from thousands of hypotheses."""


SLACK: Final = 1.1
"""Up to this widening, chance and outliers among what is forecast explain it."""

STEEPNESS: Final = 1.5
"""How soon a widening beyond is believed; all of it is from 1.3 on."""


def learn_surface_noise(
    x: ArrayLike, values: ArrayLike, *, parameter: Sequence[str], level: float = 0.9
) -> Noise:
    """Return what series of one machine and metric say about their noise.

    Parameters
    ----------
    x
        Settings, shape (n, parameters).
    values
        Repetitions, shape (S, n, R), any unit; NaN where one is missing.
    parameter
        Names of what varies, several.
    level
        Probability that intervals should hold.

    Raises
    ------
    WrongShape, NotFinite
        If the arrays do not fit each other or a setting is no number.
    """
    batch = Batch.of(x, values, parameter)
    parts = [
        positive(part)
        for _, part in batch.groups()
        if far_corner(part.settings) is not None
    ]
    series = sum(len(part.values) for part in parts)
    if series < LEAST_SERIES:
        return USUAL
    step = max(series // MOST_FORECAST, 1)
    space = reduce(Space.__or__, map(pmnf, parameter))
    scores = [
        score
        for part in parts
        for score in _scores(Batch(part.settings, part.values[::step]), space, level)
    ]
    if len(scores) < LEAST_SERIES:
        return USUAL
    rank = min(math.ceil(level * (len(scores) + 1)), len(scores))
    return replace(USUAL, widening=_believed(float(np.sort(scores)[rank - 1])))


def _scores(batch: Batch, space: Space, level: float) -> Iterator[float]:
    """Yield by how much the measurement at the corner misses its forecast.

    The batch is scaled.
    """
    corner = far_corner(batch.settings)
    is_other = np.arange(batch.points) != corner
    settings = {name: x[is_other] for name, x in batch.settings.items()}
    # Without the corner of a cross nobody can tell a product from a sum.
    if unresolved(settings) or obstacle(settings, space) or not len(batch.values):
        return
    sample = Sample(
        settings=settings,
        values=batch.values[:, is_other],
        space=space,
        summary=USUAL.summary,
        targets=({name: float(x[corner]) for name, x in batch.settings.items()},),
        level=level,
        may_fall=True,
    )
    forecasts = select(sample).forecasts
    if forecasts is None:
        return
    middle, low, high = np.log(forecasts[:, 0]).T
    actual = located(batch.values, USUAL)
    error = actual.log[corner] - middle
    width = np.where(error > 0, high - middle, middle - low)
    scatter = deviations(USUAL.shares, level) ** 2 * actual.variance
    yield from (np.abs(error) / np.sqrt(width**2 + scatter)).tolist()


def _believed(widening: float) -> float:
    """Return what is left of a widening after what chance and outliers explain."""
    return max(1.0, min(widening, 1 + STEEPNESS * (widening - SLACK)))

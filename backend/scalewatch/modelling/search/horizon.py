"""How far forecasts reach: up to where their bounds are too far apart to tell anything.

Of what grows that is a factor of ten: beyond, a growth is told, and no value. Of a
constant, whose value at any scale is the one that was measured, it is a factor of two:
what is wider there is a growth that may have been missed.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.model import Model, Term
from scalewatch.modelling.rules.rule import Sample, Selection

ROUNDING: Final = 1e-9
"""A constant below this share of every measurement is a rounding error."""


def selected_model(
    sample: Sample, selection: Selection, row: int, log2_scale: int = 0
) -> Model:
    """Return the model of a series, where a hypothesis was chosen for it.

    Parameters
    ----------
    log2_scale
        Power of two that undoes the scaling of the sample.
    """
    scaled = selection.coefficients[row]
    constant, *coefficients = np.ldexp(scaled, log2_scale).tolist()
    least = np.fmin.reduce(np.abs(sample.values[row]), axis=None)
    return Model(
        0.0 if abs(scaled[0]) < ROUNDING * least else constant,
        tuple(map(Term, coefficients, selection.hypotheses[selection.chosen[row]])),
    )


WIDEST: Final = 10.0
"""Ratio of the bounds of a forecast that is still one."""

WIDEST_OF_CONSTANT: Final = 2.0
"""The same beyond the measurements where the growth is constant."""

STEPS_PER_DOUBLING: Final = 2

FARTHEST: Final = 40
"""Steps beyond the largest setting; machines do not become a million times as large."""


def widest_of(
    growth: Growth | None, settings: Mapping[str, Reals], at: Mapping[str, float]
) -> float:
    """Return the ratio of the bounds up to which a forecast is told.

    Parameters
    ----------
    growth
        Of the model, if there is one.
    settings
        Where the series was measured, shape (n,) by parameter.
    at
        Settings of the forecast.
    """
    if growth == CONSTANT and any(at[name] > x.max() for name, x in settings.items()):
        return WIDEST_OF_CONSTANT
    return WIDEST


def is_told(forecasts: ArrayLike, widest: ArrayLike = WIDEST) -> NDArray[np.bool_]:
    """Tell which forecasts of value, low and high, shape (…, 3), are close enough."""
    _, low, high = np.moveaxis(np.asarray(forecasts), -1, 0)
    return np.asarray((high <= widest * low) | (high == low))


def horizons(
    sample: Sample, selection: Selection, select: Callable[[Sample], Selection]
) -> dict[int, float]:
    """Return the largest setting that forecasts reach, of series that miss a target.

    Parameters
    ----------
    sample, selection
        What a rule was asked and answered.
    select
        The rule.

    Returns
    -------
    dict
        By position in the sample; of one parameter alone.
    """
    if selection.forecasts is None or len(sample.settings) > 1:
        return {}
    ((name, x),) = sample.settings.items()
    targets = np.array([target[name] for target in sample.targets])
    rows, widest = _missing(sample, selection, targets > x[-1])
    if not len(rows):
        return {}
    steps = np.union1d(_steps(x[-1], targets.max()), targets[targets > x[-1]])
    reached = select(
        replace(
            sample,
            values=sample.values[rows],
            targets=tuple({name: float(step)} for step in steps),
        )
    ).forecasts
    assert reached is not None
    further = np.cumprod(is_told(reached, widest[:, np.newaxis]), axis=1).sum(axis=1)
    ends = np.concatenate([x[-1:], steps])[further]
    return dict(zip(rows.tolist(), ends.tolist(), strict=True))


def _missing(
    sample: Sample, selection: Selection, is_beyond: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], Reals]:
    """Return the series that miss a target, and how wide their forecasts may be.

    Only of those that are too wide for a constant it is asked whether they are one.
    """
    assert selection.forecasts is not None
    is_close = is_told(selection.forecasts)
    is_near = is_close & (is_told(selection.forecasts, WIDEST_OF_CONSTANT) | ~is_beyond)
    wide = np.flatnonzero(~is_near.all(axis=1) & (selection.chosen >= 0))
    is_constant = np.array(
        [
            selected_model(sample, selection, row).growth == CONSTANT
            for row in wide.tolist()
        ],
        dtype=np.bool_,
    )
    is_missed = is_constant | ~is_close[wide].all(axis=1)
    widest = np.where(is_constant, WIDEST_OF_CONSTANT, WIDEST)
    return wide[is_missed], widest[is_missed]


def _steps(last: float, largest: float) -> Reals:
    """Return settings from the last one measured up to the largest target."""
    doublings = math.log2(max(largest / last, 2.0)) if last > 0 else 1.0
    steps = min(math.ceil(doublings * STEPS_PER_DOUBLING), FARTHEST)
    return last * np.exp2(np.arange(1, steps + 1) / STEPS_PER_DOUBLING)

"""How far forecasts reach: up to where their bounds are too far apart to tell anything.

That is a factor of ten: beyond, a growth is told, and no value.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scalewatch.modelling.arrays import Reals
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

STEPS_PER_DOUBLING: Final = 2

FARTHEST: Final = 40
"""Steps beyond the largest setting; machines do not become a million times as large."""


def is_told(forecasts: ArrayLike) -> NDArray[np.bool_]:
    """Tell which forecasts of value, low and high, shape (…, 3), are close enough."""
    _, low, high = np.moveaxis(np.asarray(forecasts), -1, 0)
    return np.asarray((high <= WIDEST * low) | (high == low))


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
    is_close = is_told(selection.forecasts).all(axis=1)
    rows = np.flatnonzero(~is_close & (selection.chosen >= 0))
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
    further = np.cumprod(is_told(reached), axis=1).sum(axis=1)
    ends = np.concatenate([x[-1:], steps])[further]
    return dict(zip(rows.tolist(), ends.tolist(), strict=True))


def _steps(last: float, largest: float) -> Reals:
    """Return settings from the last one measured up to the largest target."""
    doublings = math.log2(max(largest / last, 2.0)) if last > 0 else 1.0
    steps = min(math.ceil(doublings * STEPS_PER_DOUBLING), FARTHEST)
    return last * np.exp2(np.arange(1, steps + 1) / STEPS_PER_DOUBLING)

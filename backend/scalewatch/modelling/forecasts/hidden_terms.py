"""What measurements cannot have shown, and from which scale on it would matter.

Of a location at the largest setting x_n that has the relative standard deviation s, a
term c·x^i of less than δ = 2s is not seen. Forecasts hold what was not seen, so that
their intervals say nothing about it; were it there, it would double a model f from the
x on where δ·(x/x_n)^i = f(x)/f(x_n).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.forecasts.break_even import break_even
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.model import Model, Term
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.estimators import located

UNSEEN: Final = 2.0
"""Standard deviations of a location that nobody takes for a term."""

POWERS: Final = (1, 2, 3)
"""Exponents of what may hide; the least that outgrows the model is told."""


@dataclass(frozen=True, slots=True)
class HiddenTerm:
    """A term that the measurements could not have shown.

    Parameters
    ----------
    growth
        What it grows like.
    share
        δ, of the model at the largest setting measured.
    largest
        That setting.
    doubles_from
        The setting from which on it would be more than all the rest.
    """

    growth: Growth
    share: float
    largest: float
    doubles_from: float


def hidden_term(
    settings: Mapping[str, Reals], values: ArrayLike, model: Model, noise: Noise
) -> HiddenTerm | None:
    """Return what may hide beside a model; None where nothing that outgrows it does.

    Parameters
    ----------
    settings
        Of the one parameter, shape (n,), positive.
    values
        Repetitions of one series, shape (n, R), positive; NaN where one is missing.
    model
        What was found, of the same parameter.
    noise
        What is known of the noise.
    """
    ((parameter, x),) = settings.items()
    location = located(np.asarray(values, np.float64)[np.newaxis], noise)
    share = UNSEEN * float(np.sqrt(location.variance[0]))
    largest = float(x.max())
    at_largest = float(model({parameter: largest}))
    for power in POWERS:
        growth = Growth.of(parameter, power=power)
        if not growth > model.growth:
            continue
        hidden = Term(share * at_largest / largest**power, growth)
        start = break_even(Model(0.0, (hidden,)), model, 1.0, parameter, start=largest)
        return None if start is None else HiddenTerm(growth, share, largest, start)
    return None

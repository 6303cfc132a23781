"""The model that a rule selected for one series of a sample."""

from typing import Final

import numpy as np

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

"""Each of some growths as near to measurements as it comes: candidates to be drawn."""

from collections.abc import Sequence

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.model import Model, Term


def nearest_models(
    parameter: str, x: Reals, y: Reals, growths: Sequence[Growth]
) -> list[Model]:
    """Return c₀ + c₁·g for each growth g, the squares of its relative errors least.

    Growths of other parameters, and those not defined at some setting, are left out.

    Parameters
    ----------
    parameter
        What the settings are of.
    x, y
        Settings and positive values there, shape (n,).
    growths
        Candidates, in their order; the constant is one without c₁.
    """
    from scipy.optimize import nnls  # noqa: PLC0415 - slow to load, and seldom needed

    models = []
    for growth in growths:
        if set(growth.parameters) - {parameter}:
            continue
        if growth == CONSTANT:
            models.append(Model(float((1 / y).sum() / (1 / y**2).sum()), ()))
            continue
        tau = np.broadcast_to(growth({parameter: x}), x.shape)
        if not np.isfinite(tau).all():
            continue
        (constant, coefficient), _ = nnls(np.stack([1 / y, tau / y], axis=1), y / y)
        if coefficient > 0:
            models.append(Model(float(constant), (Term(float(coefficient), growth),)))
    return models

"""Why series that were measured at some settings cannot be modelled."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scalewatch.errors import OutsideDomain
from scalewatch.modelling.growths.space import Space
from scalewatch.modelling.growths.terms import log2_table
from scalewatch.modelling.measurements.further_settings import few_settings_reason

NEEDED_SETTINGS = 5
"""Distinct settings that a model needs, a rule of thumb of the paper (section 2.3)."""

LARGEST_TERM = 1000.0
"""Terms above 2 to this power cannot be computed with."""


def obstacle(settings: Mapping[str, NDArray[np.float64]], space: Space) -> str | None:
    """Say in words why no rule can model series measured at these settings.

    Parameters
    ----------
    settings
        Per parameter its settings, shape (n,), distinct as tuples.
    space
        Growths that compete.
    """
    points = len(next(iter(settings.values())))
    if points < NEEDED_SETTINGS:
        return few_settings_reason(settings, NEEDED_SETTINGS)
    columns = tuple((name, tuple(x.tolist())) for name, x in settings.items())
    return _undefined(columns, space)


# Many batches have the same few settings.
@lru_cache(maxsize=128)
def _undefined(
    columns: tuple[tuple[str, tuple[float, ...]], ...], space: Space
) -> str | None:
    """Say which growth has no value at some settings that can be computed with."""
    settings = {name: np.array(x) for name, x in columns}
    largest = log2_table(space.growths, settings).max(axis=1)
    if (largest <= LARGEST_TERM).all():
        return None
    for growth, log2 in zip(space, largest.tolist(), strict=True):
        if log2 <= LARGEST_TERM:
            continue
        try:
            growth.log2(settings)
        except OutsideDomain as undefined:
            return str(undefined)
        return f"{growth} is too large to compute with at the settings measured"
    return None

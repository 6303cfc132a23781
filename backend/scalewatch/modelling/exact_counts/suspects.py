"""Which single count may be off where a formula holds at all other settings.

To leave out each setting in turn asks for as many searches as there are settings. One
count that is off lies in only one of two halves, so a formula that holds elsewhere
holds in the other half, and is far from that count.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.exact_counts.candidates import holding_formulas
from scalewatch.modelling.exact_counts.rounding import Rounding

FEWEST_IN_HALF: Final = 6
"""Settings of a half by which a formula can be told."""

FORMULAS: Final = 5
"""The shortest of a half that are asked."""

FARTHEST: Final = 3
"""Counts that a formula of free coefficients suspects: it is off beside them, too."""


def suspects(
    settings: Mapping[str, Reals], y: Reals, rounding: Rounding, most: float
) -> Indices:
    """Return the places of counts that may be off, rising.

    Parameters
    ----------
    settings, y
        As for `Counts.of`.
    rounding
        Of the counts.
    most
        Bits of the longest formula.
    """
    places = np.arange(len(y))
    if len(y) < 2 * FEWEST_IN_HALF:
        return places
    tolerance = rounding.tolerance if rounding.printed is None else rounding.printed
    found: set[int] = set()
    for half in (places % 2 == 0, places % 2 == 1):
        told = Rounding(rounding.half_unit, rounding.tolerance[half])
        here = {name: x[half] for name, x in settings.items()}
        for formula in holding_formulas(here, y[half], told, most)[:FORMULAS]:
            off = np.abs(y - formula.model(settings)) / tolerance
            many = 1 if formula.tolerance is None else FARTHEST
            found.update(np.argsort(-off, kind="stable")[:many].tolist())
    return np.array(sorted(found), dtype=np.intp)

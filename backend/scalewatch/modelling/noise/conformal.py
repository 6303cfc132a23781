"""How far a forecast may miss, and how much of a widening is believed."""

import math
from collections.abc import Sequence
from typing import Final

from scalewatch.modelling.measurements.assumptions import EXCESSES

MOST_DEVIATIONS: Final = 10.0
HALVINGS: Final = 40

SLACK: Final = 1.1
"""Up to this widening, chance and outliers among what is forecast explain it."""

STEEPNESS: Final = 1.5
"""How soon a widening beyond is believed; all of it is from 1.3 on."""


def believed(widening: float) -> float:
    """Return what is left of a widening after what chance and outliers explain."""
    return max(1.0, min(widening, 1 + STEEPNESS * (widening - SLACK)))


def deviations(shares: Sequence[float], interval: float) -> float:
    """Return how many standard deviations hold a location's error, excess and all."""
    low, high = 0.0, MOST_DEVIATIONS * math.sqrt(EXCESSES[-1])
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        held = sum(
            share * math.erf(middle / math.sqrt(2 * excess))
            for share, excess in zip(shares, EXCESSES, strict=True)
        )
        low, high = (middle, high) if held < interval else (low, middle)
    return high

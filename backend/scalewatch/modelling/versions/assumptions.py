"""Assumptions about versions: how far apart they are, and from where on one leads."""

import math
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Numbers of versions.

    Source: `benchmarks versions`.
    """

    largest_factor: float = 4.0
    """A version is thought to be at most so many times slower or faster."""
    sure: float = 0.9
    """Probability from which on a side leads."""
    negligible: float = 0.03
    """A ratio that differs from 1 by no more is no lead, however sure it is."""
    certain: float = 0.99
    """Probability from which on a lead is certain."""
    # Limits: no answer depends on them.
    block: int = 256
    """Series that are compared together: each of them weighs all pairs of growths."""
    largest_log: float = math.log(1e4)
    """Largest logarithms of ρ and of f: beyond, nothing changes any more."""


ASSUMED: Final = Assumptions()

"""To how many digits exact values are given."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals

RELATIVE: Final = 1e-9
"""By so little values differ that are the same but for rounding by a computer."""

BESIDE_LARGEST: Final = 1e-12
"""The same, relative to the largest value of a series."""

MOST_DECIMALS: Final = 6

SLACK: Final = 1.0001
"""Half a unit of the last digit, and what a computer rounds besides."""


@dataclass(frozen=True, slots=True)
class Rounding:
    """How far exact values may be off.

    Parameters
    ----------
    half_unit
        Half a unit of the last decimal in which all values are given; None for numbers
        of full precision.
    tolerance
        What a computer rounds, shape (n,).
    """

    half_unit: float | None
    tolerance: Reals

    @classmethod
    def of(cls, y: Reals) -> "Rounding":
        """Return that of the values of a series, shape (n,)."""
        tolerance = np.abs(y) * RELATIVE
        return cls(
            half_unit=_half_unit(y),
            tolerance=np.maximum(tolerance, np.abs(y).max() * BESIDE_LARGEST),
        )

    @property
    def printed(self) -> Reals | None:
        """How far values may be off that were rounded to their digits, shape (n,)."""
        if self.half_unit is None:
            return None
        return np.maximum(self.tolerance, self.half_unit * SLACK)

    def unit(self, y: Reals) -> Reals:
        """Return the unit in which values are counted, shape (n,)."""
        if self.half_unit is None:
            return 2 * np.maximum(np.abs(y) * RELATIVE, np.finfo(np.float64).tiny)
        return np.full(y.shape, 2 * self.half_unit)


def _half_unit(y: Reals) -> float | None:
    for decimals in range(MOST_DECIMALS + 1):
        digits = y * 10.0**decimals
        if (
            np.abs(digits - np.round(digits)) <= 1e-9 * np.maximum(1, np.abs(digits))
        ).all():
            return float(0.5 * 10.0**-decimals)
    return None

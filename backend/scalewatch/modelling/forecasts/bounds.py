"""Positive numbers that are known within bounds, and their ratios."""

from dataclasses import astuple, dataclass
from typing import Final

import numpy as np

WIDTH: Final = 1.645
"""Standard errors to either end of a 90 % interval."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """A positive number and its 90 % interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of_logarithm(cls, size: float, error: float) -> "Bounds":
        """Return a factor from its logarithm and the standard error of that."""
        low, value, high = np.exp(
            [size - WIDTH * error, size, size + WIDTH * error]
        ).tolist()
        return cls(value, low, high)

    def over(self, other: "Bounds") -> "Bounds":
        """Return the ratio to a number that is wrong independently of this one."""
        new, old = np.log([*astuple(self)]), np.log([*astuple(other)])
        ratio = new[0] - old[0]
        down = np.hypot(new[0] - new[1], old[2] - old[0])
        up = np.hypot(new[2] - new[0], old[0] - old[1])
        value, low, high = np.exp([ratio, ratio - down, ratio + up]).tolist()
        return Bounds(value, low, high)

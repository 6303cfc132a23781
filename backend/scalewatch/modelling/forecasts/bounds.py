"""Positive numbers that are known within bounds, and their ratios."""

from dataclasses import astuple, dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Bounds:
    """A positive number and its 90 % interval."""

    value: float
    low: float
    high: float

    def over(self, other: "Bounds") -> "Bounds":
        """Return the ratio to a number that is wrong independently of this one."""
        new, old = np.log([*astuple(self)]), np.log([*astuple(other)])
        ratio = new[0] - old[0]
        down = np.hypot(new[0] - new[1], old[2] - old[0])
        up = np.hypot(new[2] - new[0], old[0] - old[1])
        value, low, high = np.exp([ratio, ratio - down, ratio + up]).tolist()
        return Bounds(value, low, high)

"""The local exponent, d log y / d log p, at the largest settings and beyond.

It asks for no model: between settings it is the slope of the logarithms. What it will
be beyond them, the last slopes bound: the last one itself, its going on as it changed
last, and where a geometric series of such changes ends (Aitken's δ²).

References
----------
A. C. Aitken, "On Bernoulli's numerical solution of algebraic equations", Proceedings of
the Royal Society of Edinburgh 46, 1926.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from scalewatch.modelling.arrays.types import Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth

LARGEST_LOG: Final = 700.0


@dataclass(frozen=True, slots=True)
class ExponentInterval:
    """Bounds of the exponent beyond the largest setting."""

    low: float
    high: float

    @classmethod
    def of_exact(cls, x: Reals, y: Reals, off: Reals) -> "ExponentInterval":
        """Return that of exact positive values, shape (n,), n of at least 4.

        Parameters
        ----------
        x, y
            Positive settings, rising, and values.
        off
            How far the values may be off.
        """
        slopes = np.diff(np.log(y)) / np.diff(np.log(x))
        before, last = float(slopes[-2]), float(slopes[-1])
        change = last - before
        ends = [last, last + change]
        earlier = before - float(slopes[-3])
        ratio = change / earlier if earlier else 0.0
        if 0 < ratio < 1:
            ends.append(last + change * ratio / (1 - ratio))
        rounded = float((off[-2:] / y[-2:]).sum() / np.log(x[-1] / x[-2]))
        margin = (max(ends) - min(ends)) / 2 + rounded
        return cls(min(ends) - margin, max(ends) + margin)

    def beyond(self, ratio: Reals) -> tuple[Reals, Reals, Reals]:
        """Return by what a value grows to settings `ratio` times as large.

        Value, low and high.
        """
        logs = np.log(ratio)
        ends = np.stack(
            [(self.low + self.high) / 2 * logs, self.low * logs, self.high * logs]
        )
        value, low, high = np.exp(np.clip(ends, -LARGEST_LOG, LARGEST_LOG))
        return value, np.minimum(low, high), np.maximum(low, high)

    def __str__(self) -> str:
        return f"the local exponent lies between {self.low:.3g} and {self.high:.3g}"

    def allows(self, growth: Growth, x: float) -> bool:
        """Tell whether a growth has such an exponent at a setting."""
        return self.low <= local_exponent(growth, x) <= self.high

    def is_inside(self, lowest: Growth, highest: Growth, x: float) -> bool:
        """Tell whether it lies wholly between what two growths have."""
        low, high = local_exponent(lowest, x), local_exponent(highest, x)
        return low <= self.low and self.high <= high

    def is_outside(self, lowest: Growth, highest: Growth, x: float) -> bool:
        """Tell whether it lies wholly below or above what two growths have."""
        return self.high < local_exponent(lowest, x) or self.low > local_exponent(
            highest, x
        )


def local_exponent(growth: Growth, x: float) -> float:
    """Return the exponent of a growth of one parameter at a setting above 1."""
    if growth == CONSTANT:
        return 0.0
    (factor,) = growth.factors
    exponent = float(factor.power) + float(factor.exp2) * x * np.log(2)
    if factor.log and x > 1:
        exponent += float(factor.log) / np.log(x)
    return float(exponent)

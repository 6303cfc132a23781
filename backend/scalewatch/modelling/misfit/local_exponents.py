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

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.verdict import Verdict

LARGEST_LOG: Final = 700.0

TELLING: Final = 1.5
"""Width of an interval of exponents that allows a constant and p^(3/2)."""


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

    def allows(
        self,
        verdict: Verdict,
        expectation: Growth,
        deviation_limit: Growth,
        last: tuple[float, float],
    ) -> bool:
        """Tell whether a verdict holds whatever the growth is.

        A match does if the expectation has an exponent of the interval, and this tells
        a constant from p^(3/2); the others if the interval lies wholly within E/D …
        E·D, or wholly outside.

        Parameters
        ----------
        expectation, deviation_limit
            E and D.
        last
            The last two settings, between which a growth is compared.
        """
        own, *bounds = (
            local_exponent(growth, last)
            for growth in (
                expectation,
                expectation / deviation_limit,
                expectation * deviation_limit,
            )
        )
        lowest, highest = bounds
        match verdict:
            case Verdict.MATCH:
                is_telling = self.high - self.low < TELLING
                return is_telling and self.low <= own <= self.high
            case Verdict.APPROXIMATE:
                return lowest <= self.low and self.high <= highest
            case Verdict.MISMATCH:
                return self.high < lowest or highest < self.low
        return True


def local_exponent(growth: Growth, between: tuple[float, float]) -> float:
    """Return the mean exponent of a growth of one parameter between two settings."""
    if growth == CONSTANT:
        return 0.0
    (parameter,) = growth.parameters
    low, high = growth.log2({parameter: np.array(between)}).tolist()
    return float((high - low) / np.log2(between[1] / between[0]))

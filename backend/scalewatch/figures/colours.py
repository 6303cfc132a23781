"""The ramp of colours by growth class: fixed, ordered, the same on all pages.

A class is a range of growths in the order of dominance, with a colour of viridis from
light (falls) to dark (exponential), so that a step along the ramp is a step in growth.
Several parameters are classed as if they grew together.
"""

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Final

from scalewatch.modelling import Growth, parse_growth

MORE: Final = 1e-9
"""An exponent above the one that a class ends with."""

_STARTS: Final = (
    ((-inf, -inf, -inf), "falls"),
    ((0, 0, 0), "1"),
    ((0, 0, MORE), "log p"),
    ((0, MORE, -inf), "≤ √p"),
    ((0, 0.5, MORE), "< p"),
    ((0, 1, 0), "p"),
    ((0, 1, MORE), "< p²"),
    ((0, 2, 0), "≥ p²"),
    ((MORE, -inf, -inf), "2^p"),
)
"""Exponents k, i, j of 2^(kp) p^i log^j p that a class begins with, and its label."""


@dataclass(frozen=True, slots=True)
class GrowthClass:
    """A step of the ramp.

    Parameters
    ----------
    step
        Place on the ramp, 0 for the slowest growths.
    label
        The class in words, as growths over p.
    """

    step: int
    label: str

    @property
    def role(self) -> str:
        """Its colour's role in `PALETTE` and, after `--figure-`, in tokens.css."""
        return f"growth-{self.step}"


GROWTH_CLASSES: Final = tuple(
    GrowthClass(step, label) for step, (_, label) in enumerate(_STARTS)
)


@lru_cache(maxsize=4096)
def growth_class(growth: Growth) -> GrowthClass:
    """Return the class of a growth."""
    exponents = tuple(
        float(sum(factor.order[rank] for factor in growth.factors)) for rank in range(3)
    )
    place = bisect_right(_STARTS, exponents, key=lambda start: start[0])
    return GROWTH_CLASSES[place - 1]


@lru_cache(maxsize=4096)
def class_of_text(growth: str | None) -> GrowthClass | None:
    """Return the class of a growth that is kept as text; None where there is none."""
    return None if growth is None else growth_class(parse_growth(growth))

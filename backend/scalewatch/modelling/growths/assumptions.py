"""Assumptions about notation: which fractions are meant, and how large numbers are."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Numbers of growths and of their notation."""

    halvings: int = 3
    """Halvings of the example of the paper: p², p, √p, p^(1/4)."""
    close: float = 1e-7
    """Relative distance to a fraction that is rounding."""
    largest_multiple: int = 12
    """A sum is bracketed if all coefficients are such multiples of the first one."""
    simple_denominator: int = 12
    """Denominator up to which an exponent is printed as a fraction."""
    shortest_function: int = 3
    """Letters of a function that may be a parameter without one of them."""
    # Limits: no answer depends on them.
    all_whole: float = 1e12
    """Beyond, every number is close to a whole one."""
    same_round: float = 1e-9
    """A logarithm may exceed a whole number by so little and be no further round."""
    longest_text: int = 120
    """Characters of an expression; bounds the depth of the descent."""
    largest_exponent: int = 100
    """No code grows faster; a larger exponent is a slip."""
    digits: int = 12
    """Decimal places of an exponent, such as 2.807354922."""
    largest_setting: float = 1e300
    """Beyond, a multiple of a setting would overflow."""
    largest_log2: float = 1023.0
    """Values up to 2 to this power are finite numbers."""
    addable_log2: float = 1000.0
    """Parts up to 2 to this power can be added without overflow."""
    largest_scale: float = 2.0**60
    """No machine and no problem is larger."""
    steps_per_doubling: int = 32
    """How finely scales are searched before a crossing is refined."""
    parts: int = 1024
    """Parts of the logarithm of the scale that are tried at once, see `refinements`."""
    refinements: int = 5
    """Cuts by `parts`, down to the precision of a number."""


ASSUMED: Final = Assumptions()

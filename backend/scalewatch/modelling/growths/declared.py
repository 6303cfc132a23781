"""Read a growth that somebody declares, within what a code can have."""

from typing import Final

from scalewatch.errors import BadExpression
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.parse import parse_growth

LARGEST_EXPONENT: Final = 100
"""No code grows faster; a larger exponent is a slip."""

DIGITS: Final = 12
"""Decimal places of an exponent, such as 2.807354922."""


def parse_declared(text: str) -> Growth:
    """Return the growth that big-O text names; quotients of such may go beyond it.

    Raises
    ------
    BadExpression
        If it cannot be read, or has an exponent that no code has.
    """
    growth = parse_growth(text)
    if not _is_sensible(growth):
        expected = f"exponents of at most {LARGEST_EXPONENT}, to {DIGITS} digits"
        raise BadExpression(text, 0, expected)
    return growth


def _is_sensible(growth: Growth) -> bool:
    return all(
        abs(exponent) <= LARGEST_EXPONENT and exponent.denominator <= 10**DIGITS
        for factor in growth.factors
        for exponent in factor.order
    )

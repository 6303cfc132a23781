"""Numbers as people read them: on pages, in documents and in sentences."""

from functools import lru_cache
from math import isfinite
from typing import Final

DIGITS: Final = 3
"""Significant digits of a number that has no interval."""

MISSING: Final = "–"
"""Stands where there is no number."""

SPACE: Final = "\N{NARROW NO-BREAK SPACE}"
"""Between a number and its unit: no line break tears them apart."""

_PLAIN: Final = range(-3, 6)
"""Powers of ten between which numbers are written in full."""

_SUPERSCRIPTS: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@lru_cache(maxsize=4096)
def significant(value: float | None, digits: int = DIGITS) -> str:
    """Write a number: `0.0123`, `12.3`, `12,300`, `1.23 × 10⁻⁷`."""
    if value is None or not isfinite(value):
        return MISSING
    if value == 0:
        return "0"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    power = int(exponent)
    if power not in _PLAIN:
        raised = str(power).translate(_SUPERSCRIPTS)
        return f"{mantissa}{SPACE}×{SPACE}10{raised}".replace("-", "−")
    decimals = max(0, digits - 1 - power)
    return f"{float(f'{mantissa}e{power}'):,.{decimals}f}".replace("-", "−")

"""Formulas of exact models, with coefficients as fractions: `p*(p-1)/2`."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from scalewatch.modelling.growths.assumptions import ASSUMED
from scalewatch.modelling.growths.growth import CONSTANT, Growth

DECIMAL: Final = (10, 100, 1000)
"""Denominators of decimals."""

DENOMINATORS: Final = (1, 2, 3, 4, 6, 8, 12, 16, *DECIMAL)
"""Denominators that are tried; those of counts come first."""


@dataclass(frozen=True, slots=True)
class Part:
    """A coefficient, what it multiplies, and how that is written."""

    coefficient: float
    growth: Growth
    text: str


def simple_fraction(value: float) -> Fraction | None:
    """Return the fraction of small denominator that a number is close to."""
    if not 0 < abs(value) < ASSUMED.all_whole:
        return None
    for denominator in DENOMINATORS:
        multiple = abs(value) * denominator
        whole = round(multiple)
        if whole and abs(multiple - whole) < ASSUMED.close * max(1.0, multiple):
            return Fraction(whole if value > 0 else -whole, denominator)
    return None


def fraction_formula(parts: Sequence[Part]) -> str:
    """Return a sum as a formula, its parts the fastest first."""
    fractions = [simple_fraction(part.coefficient) for part in parts]
    first = fractions[0] if fractions else None
    if first is None or None in fractions or len(parts) == 1:
        return _sum(parts, " ")
    ratios = [fraction / first for fraction in fractions if fraction]
    if any(r.denominator > 1 or abs(r) > ASSUMED.largest_multiple for r in ratios):
        return _sum(parts, " ")
    least = parts[-1].growth
    quotients = [part.growth / least for part in parts]
    exponents = [e for q in quotients for f in q.factors for e in f.order]
    is_plain = all(part.text in {str(part.growth), ""} for part in parts)
    is_whole = all(e.denominator == 1 and e >= 0 for e in exponents)
    common = least if is_plain and is_whole else CONSTANT
    if common == CONSTANT and abs(first) == 1:
        return _sum(parts, " ")
    inner = [
        Part(float(ratio), part.growth, part.text)
        if common == CONSTANT
        else Part(float(ratio), part.growth / common, str(part.growth / common))
        for ratio, part in zip(ratios, parts, strict=True)
    ]
    bracket = f"({_sum(inner, '')})"
    times, over = _sides("" if common == CONSTANT else str(common))
    above = [*_unless_one(first.numerator), *times, bracket]
    below = [*_unless_one(first.denominator), *over]
    return ("-" if first < 0 else "") + _quotient(above, below)


def _sum(parts: Sequence[Part], space: str) -> str:
    """Write parts one after the other, `space` about the signs between them."""
    text = ""
    for part in parts:
        written = _product(part)
        negative = part.coefficient < 0
        if not text:
            text = f"-{written}" if negative else written
        else:
            text += f"{space}{'-' if negative else '+'}{space}{written}"
    return text or "0"


def _product(part: Part) -> str:
    """Write the magnitude of a part: `3*p^2/2`, `p`, `1000000/p`, `0.3712*p`."""
    fraction = simple_fraction(part.coefficient)
    if fraction and fraction.denominator in DECIMAL:
        fraction = None
    if part.growth == CONSTANT:
        return str(abs(fraction)) if fraction else _decimal(part.coefficient)
    if fraction is None:
        times, over = _sides(part.text)
        return _quotient([_decimal(part.coefficient), *times], over)
    times, over = _sides(part.text)
    return _quotient(
        [*_unless_one(fraction.numerator), *times],
        [*_unless_one(fraction.denominator), *over],
    )


def _sides(text: str) -> tuple[list[str], list[str]]:
    """Return what a growth, as it is written, multiplies and divides by."""
    above, _, below = text.partition(" / ")
    return [each for each in (above,) if each not in {"", "1"}], [
        below
    ] if below else []


def _unless_one(number: int) -> list[str]:
    return [] if abs(number) == 1 else [str(abs(number))]


def _quotient(above: Sequence[str], below: Sequence[str]) -> str:
    top, bottom = "*".join(above) or "1", "*".join(below)
    if not bottom:
        return top
    return f"{top}/({bottom})" if len(below) > 1 else f"{top}/{bottom}"


def _decimal(value: float) -> str:
    return f"{abs(value):.10g}"

"""Units of what is composed: time is a dimension, and what is counted is a number.

Bytes, operations and iterations are counted, so that `13*8*N/triad` is a time if triad
is a rate in B/s; a unit that is neither is a dimension of its own.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Self

from scalewatch.errors import BadExpression

_TIMES: Final[Mapping[str, float]] = {
    "s": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "µs": 1e-6,
    "ns": 1e-9,
    "min": 60.0,
    "h": 3600.0,
}
_PREFIXES: Final[Mapping[str, float]] = {
    "": 1.0,
    "k": 1e3,
    "K": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "Ki": 2.0**10,
    "Mi": 2.0**20,
    "Gi": 2.0**30,
    "Ti": 2.0**40,
}
_COUNTED: Final = re.compile(r"(Ki|Mi|Gi|Ti|[kKMGT]?)(?:B|bytes?|flop|op|ops)")


@dataclass(frozen=True, slots=True)
class Unit:
    """Dimensions with their exponents, sorted; none for a number."""

    exponents: tuple[tuple[str, Fraction], ...] = ()

    def __mul__(self, other: Self) -> "Unit":
        return self._joined(other, 1)

    def __truediv__(self, other: Self) -> "Unit":
        return self._joined(other, -1)

    def __pow__(self, exponent: Fraction) -> "Unit":
        return _unit({name: power * exponent for name, power in self.exponents})

    def __str__(self) -> str:
        above = [_factor(name, power) for name, power in self.exponents if power > 0]
        below = [_factor(name, -power) for name, power in self.exponents if power < 0]
        if not below:
            return " ".join(above) or "a number"
        return "/".join((" ".join(above) or "1", *below))

    def _joined(self, other: Self, sign: int) -> "Unit":
        powers = dict(self.exponents)
        for name, power in other.exponents:
            powers[name] = powers.get(name, Fraction(0)) + sign * power
        return _unit(powers)


NUMBER: Final = Unit()


def parse_unit(text: str) -> tuple[float, Unit]:
    """Return the size of a unit in seconds and numbers, and its dimensions.

    Raises
    ------
    BadExpression
        If it has more than one slash.
    """
    above, *below = (part.strip() for part in text.split("/"))
    if len(below) > 1:
        raise BadExpression(text, text.rindex("/"), "a unit as B/s")
    size, unit = _simple(above)
    for part in below:
        part_size, part_unit = _simple(part)
        size, unit = size / part_size, unit / part_unit
    return size, unit


def _simple(text: str) -> tuple[float, Unit]:
    if text in _TIMES:
        return _TIMES[text], _unit({"s": Fraction(1)})
    if counted := _COUNTED.fullmatch(text):
        return _PREFIXES[counted[1]], NUMBER
    if text in {"", "1"}:
        return 1.0, NUMBER
    return (0.01, NUMBER) if text == "%" else (1.0, _unit({text: Fraction(1)}))


def _unit(powers: Mapping[str, Fraction]) -> Unit:
    return Unit(tuple(sorted((name, power) for name, power in powers.items() if power)))


def _factor(name: str, power: Fraction) -> str:
    return name if power == 1 else f"{name}^{power}"

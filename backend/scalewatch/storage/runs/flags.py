"""Flags of points: what to keep in mind when reading a measurement."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final


class Flag(StrEnum):
    """Caveats of a measurement; stored by their position in this list."""

    OVERSUBSCRIBED = "oversubscribed"
    BARRIER = "barrier-synchronised"
    CLOCK = "uncertain clocks"
    INTERPRETED = "interpreted loop"
    DISTURBED = "disturbed"


CROWDED: Final = (Flag.OVERSUBSCRIBED, Flag.BARRIER)
"""Raised where processes shared cores: they took turns, or found no common start."""

_BITS: Final = {flag: 1 << place for place, flag in enumerate(Flag)}


def bits_of(flags: Iterable[Flag]) -> int:
    """Return flags as they are stored: a bit each, in the order of their definition."""
    return sum(_BITS[flag] for flag in flags)


def flags_in(bits: int) -> tuple[Flag, ...]:
    """Return the flags that are stored as these bits."""
    return tuple(flag for flag, bit in _BITS.items() if bits & bit)

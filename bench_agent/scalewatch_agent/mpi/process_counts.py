"""The process counts of a suite that nobody chose: as many as this machine carries.

Times need a core for each process, and a verdict five settings; memory minds neither.
"""

from collections.abc import Iterator
from typing import Final

ENOUGH: Final = 6
"""Cores from which there are five settings with a core for each process."""

_SMALL: Final = (2, 3, 4, 6, 8)
_MEMORY: Final = (2, 4, 8, 16, 32)
_STEP: Final = 1.5
"""By so much the last setting exceeds the one before at least."""


def timed_counts(cores: int) -> tuple[int, ...]:
    """Return process counts for times: 2, 3, 4, 6, 8, 16, 32, … up to the cores."""
    if cores < _SMALL[-1]:
        return tuple(range(2, cores + 1))
    counts = [*_SMALL, *_doubled(_SMALL[-1], cores)]
    if cores >= _STEP * counts[-1]:
        counts.append(cores)
    return tuple(counts)


def memory_counts(cores: int) -> tuple[int, ...]:
    """Return process counts for memory: 2, 4, 8, 16, 32, and on up to the cores."""
    return (*_MEMORY, *_doubled(_MEMORY[-1], cores))


def _doubled(last: int, cores: int) -> Iterator[int]:
    while (last := 2 * last) <= cores:
        yield last

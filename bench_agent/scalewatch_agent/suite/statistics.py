"""Order statistics of a job's numbers.

`statistics` would do, but imports decimals, fractions and random numbers, and with
hundreds of processes on a node every import is paid as often.
"""

from collections.abc import Iterable


def median(numbers: Iterable[int]) -> int:
    """Return the middle one, the lower of two."""
    return _at(numbers, 2)


def first_quartile(numbers: Iterable[int]) -> int:
    """Return the one below which a quarter lies."""
    return _at(numbers, 4)


def _at(numbers: Iterable[int], share: int) -> int:
    ordered = sorted(numbers)
    return ordered[(len(ordered) - 1) // share]

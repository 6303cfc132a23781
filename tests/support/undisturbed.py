"""Measured times, which other work of the machine disturbs now and then."""

from collections.abc import Callable
from typing import TypeVar

ATTEMPTS = 3

Measured = TypeVar("Measured")


def measured_until(
    holds: Callable[[Measured], bool], measure: Callable[[], Measured]
) -> Measured:
    """Measure until a claim holds, at most three times; return the last measurement.

    Other work disturbs one of several measurements, hardly each of them; a claim that
    is wrong holds for none.
    """
    for _ in range(ATTEMPTS):
        measured = measure()
        if holds(measured):
            break
    return measured

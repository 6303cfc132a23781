"""Turns of posts in a process: small ones at once, large ones one after another.

Understood, a body takes thirty times its bytes. Those that wait for their turn are not
even received, beyond a few: the connection holds them back.
"""

from typing import Final

from anyio import CapacityLimiter
from anyio.lowlevel import RunVar

AT_ONCE: Final = 4
"""Small posts that are stored at once: one in Python, the others in the database."""

RECEIVED: Final = 4
"""Large bodies that are received at once, or wait to be understood."""

_RECEIVING: Final = RunVar[CapacityLimiter]("receiving large")
_STORING: Final = RunVar[CapacityLimiter]("storing")
_STORING_LARGE: Final = RunVar[CapacityLimiter]("storing large")


def storing() -> CapacityLimiter:
    """Return the threads that understand and store small bodies."""
    return _limiter(_STORING, AT_ONCE)


def storing_large() -> CapacityLimiter:
    """Return the only thread that understands and stores large bodies."""
    return _limiter(_STORING_LARGE, 1)


def receiving_large() -> CapacityLimiter:
    """Return the places of large bodies, from their reception to the answer."""
    return _limiter(_RECEIVING, RECEIVED)


def _limiter(known: RunVar[CapacityLimiter], most: int) -> CapacityLimiter:
    """Return a limiter, the same for all requests of a loop."""
    try:
        return known.get()
    except LookupError:
        limiter = CapacityLimiter(most)
        known.set(limiter)
        return limiter

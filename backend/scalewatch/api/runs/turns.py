"""Turns of posts in a process: small ones at once, large ones one after another.

Files of other tools have turns of their own before: to be read by reader processes.
Understood, a body takes thirty times its bytes. Those that wait for their turn are not
even received, beyond a few: the connection holds them back.
"""

from typing import Final

from anyio import CapacityLimiter
from anyio.lowlevel import RunVar

from scalewatch.errors import TooBusy

SMALL: Final = 2**20
"""Bytes of a small post: read and understood before it is known who sends it."""

AT_ONCE: Final = 4
"""Small posts that are stored at once: one in Python, the others in the database."""

RECEIVED: Final = 4
"""Large bodies that are received at once, or wait to be understood."""

MOST_WAITING: Final = 16
"""Files that wait to be read, or posts of ReFrame to be stored; others come later."""

_RECEIVING: Final = RunVar[CapacityLimiter]("receiving large")
_READING: Final = RunVar[CapacityLimiter]("reading")
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


def storing_turn(size: int) -> CapacityLimiter:
    """Return the threads that understand and store so many bytes."""
    return storing() if size <= SMALL else storing_large()


def reading(places: int) -> CapacityLimiter:
    """Return the places of files that are read at once.

    Raises
    ------
    TooBusy
        If many others wait for one.
    """
    limiter = _limiter(_READING, places)
    refuse_if_many_wait(limiter)
    return limiter


def refuse_if_many_wait(limiter: CapacityLimiter) -> None:
    """Refuse a post where more wait than are let in.

    Raises
    ------
    TooBusy
        The client comes back later.
    """
    if limiter.statistics().tasks_waiting >= MOST_WAITING:
        raise TooBusy


def _limiter(known: RunVar[CapacityLimiter], most: int) -> CapacityLimiter:
    """Return a limiter, the same for all requests of a loop."""
    try:
        return known.get()
    except LookupError:
        limiter = CapacityLimiter(most)
        known.set(limiter)
        return limiter

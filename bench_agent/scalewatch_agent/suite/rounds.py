"""Round-time synchronisation: all processes start each repetition at one moment.

In each round rank 0 announces when it starts, in its own time, and each process waits
on its own clock. A process that is not there by then makes the repetition worthless, so
it is counted and made again; since each round has an announcement of its own, a late
process delays nobody but that round.

References
----------
S. Hunold, A. Carpen-Amarie: Reproducible MPI benchmarking is still not as easy as you
think (2016), section 4: the Round-Time scheme.
"""

from typing import NamedTuple, Self

TOLERANCE = 1_000
"""A start up to a microsecond late counts as punctual: the waiting loop's own grain."""

SLACK = 20_000
"""Nanoseconds that an announcement has to reach everyone."""

LARGEST_STRETCH = 16

HOPELESS = 100
"""Late starts after which rounds have failed, unless one in ten is punctual."""


class Pace(NamedTuple):
    """How long before a start it is announced, in nanoseconds.

    Late starts double the lead, as long as they are more than a few: a system may be
    slower than it seemed. Punctual rounds undo it.
    """

    shortest: int
    stretch: int = 1

    @classmethod
    def for_duration(cls, duration: int) -> Self:
        """Return the pace for an operation of that many nanoseconds.

        Rank 0 may be done with it, and announce the next start, before others are.
        """
        return cls(duration + SLACK)

    @property
    def lead(self) -> int:
        """From the announcement to the start."""
        return self.shortest * self.stretch

    def after(self, late: int, batch: int) -> Self:
        """Return the pace that a batch with so many late starts calls for."""
        stretch = self.stretch * 2 if 10 * late > batch else self.stretch // 2
        return self._replace(stretch=min(max(stretch, 1), LARGEST_STRETCH))


def is_hopeless(punctual: int, late: int) -> bool:
    """Tell whether nearly all starts are late, as on a machine that is busy."""
    return late > max(HOPELESS, 10 * punctual)

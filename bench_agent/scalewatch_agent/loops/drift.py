"""A clock that drifts against another one.

18 ppm are usual, which makes 100 µs in 5 s. Two comparisons give a line, which stays
valid between them and for some time after.
"""

from collections import deque
from math import inf
from typing import NamedTuple

STEADY = 20_000
"""Nanoseconds in which a clock may drift by one, for all that one comparison tells.

Quartz does less than these 50 ppm.
"""

HORIZON = 30_000_000_000
"""Nanoseconds after which a comparison says nothing about the drift of today."""


class ClockReading(NamedTuple):
    """At local time `at`, local time plus `offset` was that of rank 0, give or take."""

    at: int
    offset: int
    error: int

    def error_at(self, moment: int) -> int:
        """Return the error of the offset at another moment, whatever the drift."""
        if self.error == 0:
            return 0  # one clock for all
        return self.error + abs(moment - self.at) // STEADY


class Clock:
    """The clock of a process against that of rank 0, in nanoseconds."""

    def __init__(self) -> None:
        self.comparisons: deque[ClockReading] = deque()

    def learn(self, comparison: ClockReading) -> None:
        """Take a new comparison into account, and forget what is too old."""
        self.comparisons.append(comparison)
        while (
            len(self.comparisons) > 2  # a line needs two
            and comparison.at - self.comparisons[0].at > HORIZON
        ):
            self.comparisons.popleft()

    def offset(self, moment: int) -> int:
        """Return what to add to the local time `moment` to get that of rank 0."""
        newest = self.comparisons[-1]
        return newest.offset + round(self._drift * (moment - newest.at))

    def error(self, moment: int) -> int:
        """Return by how much `offset` may be wrong at that moment."""
        newest = self.comparisons[-1]
        if newest.error == 0:
            return 0  # one clock for all
        slope = min(self._unsure, 1 / STEADY)
        return newest.error + round(slope * abs(moment - newest.at))

    @property
    def _drift(self) -> float:
        """The slope of the line, where that says more than that clocks are steady."""
        oldest, newest = self.comparisons[0], self.comparisons[-1]
        if self._unsure >= 1 / STEADY:
            return 0.0
        return (newest.offset - oldest.offset) / (newest.at - oldest.at)

    @property
    def _unsure(self) -> float:
        """By how much that slope may be wrong."""
        oldest, newest = self.comparisons[0], self.comparisons[-1]
        span = newest.at - oldest.at
        return (newest.error + oldest.error) / span if span else inf

"""The loops that repeat an operation and read the clock around it.

Two do the same: a compiled one, and one in Python where nothing compiles it. Python
costs about half a microsecond per call, which matters below 20 µs; how much it is here
is measured in every job.
"""

from array import array
from typing import Literal, NamedTuple, Protocol

Kind = Literal["compiled", "interpreted"]


class Spans(NamedTuple):
    """Local times at which repetitions began and ended, in nanoseconds."""

    begun: "array[int]"
    ended: "array[int]"


class Rounds(NamedTuple):
    """By how much repetitions began late, and how long they lasted, in nanoseconds."""

    late: "array[int]"
    lasted: "array[int]"


class Loop(Protocol):
    """Repeats one operation on one communicator; collective over it."""

    kind: Kind

    def behind_barriers(self, batch: int) -> Spans:
        """Repeat it, each time behind a barrier."""

    def in_rounds(self, batch: int, lead: int, offset: int) -> Rounds:
        """Repeat it, each time from a start that rank 0 announces `lead` before.

        `offset` is what has to be added to local time to get that of rank 0.
        """


def nanoseconds(count: int) -> "array[int]":
    """Return so many 64-bit integers."""
    return array("q", bytes(8 * count))

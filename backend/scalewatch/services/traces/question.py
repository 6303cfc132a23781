"""Which traces somebody wants to see."""

from dataclasses import dataclass
from enum import StrEnum


class Repeat(StrEnum):
    """Which of several traces at one number of processes is looked at."""

    BEST = "best"  # the one with the least time in MPI, as a whole
    MEDIAN = "median"


@dataclass(frozen=True, slots=True)
class TracesQuestion:
    """What is asked about traces.

    Parameters
    ----------
    location
        Region whose table and figure are shown; the one that costs most unless given.
    target
        Number of processes for which locations are ranked; four times the largest
        one traced unless given.
    vs
        What to compare with: `commit=v1`, `machine=jureca` or
        `configuration=threads=4`.
    """

    location: str | None = None
    target: float | None = None
    repeat: Repeat = Repeat.BEST
    vs: str | None = None

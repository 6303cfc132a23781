"""What repetitions do not show of the noise, where few settings show it neither.

Five settings scatter about a model by all that differs between jobs. Two do not, and
the repetitions of one job show only what happens within it. So to the variance v that
they tell with ν degrees of freedom comes `UNSEEN`² with `FREEDOM` of them,

    v' = (ν v + FREEDOM · UNSEEN²) / (ν + FREEDOM),   ν' = ν + FREEDOM.
"""

from dataclasses import replace
from typing import Final

from scalewatch.modelling.measurements.location import Location

UNSEEN: Final = 0.02
"""Relative deviation of jobs of the same code, which is common on shared networks."""

FREEDOM: Final = 2.0


def with_unseen(location: Location) -> Location:
    """Return locations that are as uncertain as single jobs are."""
    freedom = location.freedom + FREEDOM
    told = location.freedom * location.variance + FREEDOM * UNSEEN**2
    return replace(location, variance=told / freedom, freedom=freedom)

"""Outcomes of series at a commit: the words that page, gate and exports share."""

from enum import StrEnum
from typing import Final


class SeriesOutcome(StrEnum):
    """Words of the gate on a series at a commit; worst first."""

    WORSE = "worse"
    SUSPECTED = "suspected"
    UNMEASURED = "not measured"
    ACCEPTED = "accepted"
    BETTER = "better"
    NEW = "new"
    UNDECIDED = "undecided"
    UNCHANGED = "unchanged"


STILL: Final = frozenset({SeriesOutcome.UNDECIDED, SeriesOutcome.UNCHANGED})
"""Outcomes of series of which no change is known."""

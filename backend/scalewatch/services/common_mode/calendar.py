"""Which commits were measured in one night of a machine: those count as one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.commits.lineage import Lineage
from scalewatch.storage.runs import runs
from scalewatch.storage.runs.runs import Started

APART: Final = timedelta(hours=6)
"""Between the last run of a night and the first of the next, at least."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """When a machine measured the commits of a line.

    Parameters
    ----------
    started
        By position on the line; of other commits it is not known, and each of them
        counts as a night of its own.
    """

    started: Mapping[int, Started]

    def nights_before(self, positions: Sequence[int]) -> int:
        """Return how many nights came before that of the newest of some positions."""
        *before, newest = positions
        known = [self.started[each] for each in before if each in self.started]
        moments = [moment for each in known for moment in each]
        own = self.started.get(newest)
        is_shared = own is not None and any(_is_one_night(each, own) for each in known)
        return _nights(moments) - is_shared + len(before) - len(known)

    def nights_at(self, position: int) -> int | None:
        """Return in how many nights a commit was measured, at most 2 are told apart."""
        own = self.started.get(position)
        return None if own is None else _nights(own)


def calendar_of(session: Session, line: Lineage, machine_id: int) -> Calendar:
    """Return when a machine measured the commits of a line."""
    position_of = {commit.id: position for position, commit in enumerate(line.commits)}
    found = runs.started(session, machine_id, [*position_of])
    return Calendar({position_of[each]: own for each, own in found.items()})


def _nights(moments: Sequence[datetime]) -> int:
    """Return into how many nights moments fall."""
    if not moments:
        return 0
    steps = pairwise(sorted(moments))
    return 1 + sum(later - earlier > APART for earlier, later in steps)


def _is_one_night(one: Started, other: Started) -> bool:
    """Tell whether some runs of two commits began in one night."""
    return one.first <= other.last + APART and other.first <= one.last + APART

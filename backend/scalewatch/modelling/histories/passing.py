"""Alarms of series that did not stay changed: single outliers, and events that pass.

A value or two far away alarm as a step does while the history is young, and a machine
may be slow for a week. Medians of the commits on both sides tell the first, an opposite
change soon after the second: the level has come back, and no commit need be sought.
Where several settings agree about a change it is believed, and one that undoes it
mends it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np

from scalewatch.modelling.common_mode.spreads import medians
from scalewatch.modelling.histories.histories import Histories
from scalewatch.modelling.histories.segments import Segments

BESIDE: Final = 15
"""Commits to each side whose medians have to bear a change out."""

BORNE_OUT: Final = 1 / 3
"""Least share of an effect that medians have to show."""

LEAST: Final = 5
"""Commits before a change: of fewer, two outliers are half."""

SOON: Final = 15
"""Commits within which a level that returns makes both changes one event."""

LEFT: Final = 0.3
"""Share of the larger change that both together leave at most, where it returns."""


@dataclass(frozen=True, slots=True)
class Passing:
    """An event that passed: a level that left and returned.

    Parameters
    ----------
    left, returned
        The change away and the one back.
    """

    left: Segments
    returned: Segments

    @property
    def series(self) -> int:
        """Number of the series."""
        return self.left.series


def lasting_and_passing(
    histories: Histories, changes: Sequence[Segments]
) -> tuple[list[Segments], list[Passing]]:
    """Part changes that last from events that passed; what medians deny is neither.

    Parameters
    ----------
    changes
        By series and commit.
    """
    if histories.log.shape[2] > 1:
        return list(changes), []
    lasting: list[Segments] = []
    passing: list[Passing] = []
    for series, group in groupby(changes, key=lambda change: change.series):
        log = histories.log[series, : histories.length[series]]
        waiting: Segments | None = None
        for change in _borne_out(log, list(group)):
            if waiting is not None and _has_returned(waiting, change):
                passing.append(Passing(waiting, change))
                waiting = None
                continue
            if waiting is not None:
                lasting.append(waiting)
            waiting = change
        if waiting is not None:
            lasting.append(waiting)
    return lasting, passing


def _borne_out(log: np.ndarray, changes: Sequence[Segments]) -> list[Segments]:
    """Return the changes of a history, (T, n), that medians on both sides show."""
    begins = [0, *(change.last for change in changes)]
    ends = [*(change.first for change in changes[1:]), len(log)]
    return [
        change
        for change, begin, end in zip(changes, begins, ends, strict=False)
        if change.is_gradual or _is_borne_out(log, change, begin, end)
    ]


def _is_borne_out(log: np.ndarray, change: Segments, begin: int, end: int) -> bool:
    before = log[max(begin, change.first - BESIDE) : change.first]
    after = log[change.last : min(end, change.last + BESIDE)]
    if len(before) < LEAST or not len(after):
        return False
    shown = float(medians(after, 0)[0] - medians(before, 0)[0])
    return shown / float(change.difference[0]) >= BORNE_OUT


def _has_returned(left: Segments, returned: Segments) -> bool:
    """Tell whether the second of two changes undoes the first, soon after it."""
    if left.is_gradual or returned.is_gradual or returned.first - left.first > SOON:
        return False
    away, back = float(left.difference[0]), float(returned.difference[0])
    return abs(away + back) <= LEFT * max(abs(away), abs(back))

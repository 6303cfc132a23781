"""Alarms of series that did not stay changed: single outliers, and events that pass.

A value or two far away alarm as a step does while the history is young, and a machine
may be slow for a week. Medians of the commits on both sides tell the first, an opposite
change soon after the second: the level has come back, and no commit need be sought.
Where several settings agree about a change it is believed, and one that undoes it
mends it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.scan import LEAST_EFFECT
from scalewatch.modelling.common_mode.spreads import NORMAL, medians
from scalewatch.modelling.histories.histories import FLOOR, Histories
from scalewatch.modelling.histories.segments import Segments

BESIDE: Final = 15
"""Commits to each side whose medians have to bear a change out."""

BORNE_OUT: Final = 1 / 3
"""Least share of an effect that medians have to show."""

LEAST: Final = 5
"""Commits before a change: of fewer, two outliers are half."""

EARLY: Final = 8
"""Commits of a segment among which the scan, which compares with them, sees nothing."""

FOLLOWING: Final = 10
"""Commits that have to bear such a change out."""

BORNE_BY: Final = 40
"""Commits of a segment that tell of its first ones, at most."""

FAR: Final = 4.0
"""Robust standard deviations that such a change has at least."""

OUTLYING: Final = (0.1, 0.9)
"""Shares of the commits that follow which may lie on the other side."""

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
    by_series = {
        series: list(group)
        for series, group in groupby(changes, key=lambda change: change.series)
    }
    for series in range(len(histories.log)):
        log = histories.log[series, : histories.length[series]]
        of_series = with_early(series, log, by_series.get(series, []))
        passed = _passed(of_series)
        passing += passed
        ends = [each for event in passed for each in (event.left, event.returned)]
        stays = [
            change for change in of_series if not any(change is end for end in ends)
        ]
        lasting += _borne_out(log, stays)
    return lasting, passing


def with_early(series: int, log: Reals, changes: Sequence[Segments]) -> list[Segments]:
    """Return changes with those that come within `EARLY` commits of another one.

    The scan needs `EARLY` commits to compare with, at the beginning and after a change;
    what moved among them the commits that follow bear out.

    Parameters
    ----------
    log
        Log-locations of one series, shape (T, 1).
    changes
        Of it, oldest first.
    """
    begins = [0, *(change.last for change in changes)]
    ends = [*(change.first for change in changes), len(log)]
    every: list[Segments] = []
    for number, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        change = changes[number] if number < len(changes) else None
        former = every[-1] if number else None
        at = None
        if former is None or not former.is_gradual:
            at = _early(log[begin:end, 0], 2 if former else 3)
        if at is not None:
            first, rest = log[begin : begin + at], log[begin + at : end]
            early = _early_change(series, begin + at, first, rest)
            if former is not None:
                every[-1] = replace(
                    former, after=early.before, after_commits=early.before_commits
                )
            if change is not None:
                change = replace(
                    change, before=early.after, before_commits=early.after_commits
                )
            every.append(early)
        if change is not None:
            every.append(change)
    return every


def _passed(changes: Sequence[Segments]) -> list[Passing]:
    """Return the changes of a history that the next one undid, with that."""
    passed: list[Passing] = []
    waiting: Segments | None = None
    for change in changes:
        if waiting is not None and _has_returned(waiting, change):
            passed.append(Passing(waiting, change))
            waiting = None
        else:
            waiting = change
    return passed


def _borne_out(log: Reals, changes: Sequence[Segments]) -> list[Segments]:
    """Return the changes of a history, (T, n), that medians on both sides show."""
    begins = [0, *(change.last for change in changes)]
    ends = [*(change.first for change in changes[1:]), len(log)]
    return [
        change
        for change, begin, end in zip(changes, begins, ends, strict=False)
        if change.is_gradual or _is_borne_out(log, change, begin, end)
    ]


def _is_borne_out(log: Reals, change: Segments, begin: int, end: int) -> bool:
    before = log[max(begin, change.first - BESIDE) : change.first]
    after = log[change.last : min(end, change.last + BESIDE)]
    if len(before) < LEAST:
        least = 2 if begin else 3
        return len(before) >= least and _stands_apart(before[:, 0], after[:, 0])
    if not len(after):
        return False
    shown = float(medians(after, 0)[0] - medians(before, 0)[0])
    return shown / float(change.difference[0]) >= BORNE_OUT


def _has_returned(left: Segments, returned: Segments) -> bool:
    """Tell whether the second of two changes undoes the first, soon after it."""
    if left.is_gradual or returned.is_gradual or returned.first - left.first > SOON:
        return False
    away, back = float(left.difference[0]), float(returned.difference[0])
    return abs(away + back) <= LEFT * max(abs(away), abs(back))


def _early(log: Reals, least: int) -> int | None:
    """Return the place of a step among the first commits of a segment, if there is one.

    Parameters
    ----------
    log
        Of its commits, shape (T,).
    least
        Commits before the step, at least.
    """
    log = log[:BORNE_BY]
    apart = [
        at
        for at in range(least, min(EARLY, len(log) - FOLLOWING) + 1)
        if _stands_apart(log[:at], log[at:])
    ]
    return min(apart, key=lambda at: _left(log[:at]) + _left(log[at:]), default=None)


def _left(log: Reals) -> float:
    """Return the sum of the distances of commits from their median."""
    return float(np.abs(log - np.median(log)).sum())


def _step(before: Reals, after: Reals) -> float:
    """Return by how many standard errors of a commit levels differ."""
    size = float(np.median(after) - np.median(before))
    return size * float(np.sqrt(len(before) * len(after) / (len(before) + len(after))))


def _stands_apart(before: Reals, after: Reals) -> bool:
    """Tell whether so few commits lie beyond all but outliers of those that follow."""
    if len(after) < FOLLOWING:
        return False
    size = float(np.median(after) - np.median(before))
    spread = max(float(NORMAL * np.median(np.abs(after - np.median(after)))), FLOOR)
    low, high = np.quantile(after, OUTLYING)
    is_beyond = bool((before > high).all() if size < 0 else (before < low).all())
    return is_beyond and abs(size) >= max(LEAST_EFFECT, FAR * spread)


def _early_change(series: int, at: int, before: Reals, after: Reals) -> Segments:
    """Return the change of a series between two segments, of shape (T, n)."""
    spread = NORMAL * float(np.median(np.abs(after - np.median(after))))
    variance = max(spread, FLOOR) ** 2
    step = _step(before[:, 0], after[:, 0])
    return Segments(
        series=series,
        at=at + min(FOLLOWING, len(after)) - 1,
        first=at,
        last=at,
        statistic=step**2 / variance,
        is_gradual=False,
        before=np.median(before, axis=0),
        after=np.median(after, axis=0),
        before_commits=len(before),
        after_commits=len(after),
        variance=variance,
        common=0.0,
    )

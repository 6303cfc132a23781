"""Changes of exact counts: one commit tells them, whatever came before it."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.histories.explanation import Shift, ShiftKind
from scalewatch.modelling.histories.histories import FLOOR, Histories
from scalewatch.modelling.histories.segments import Segments

SAME: Final = 1e-8
"""Ratios that differ by less are one ratio: locations are rounded."""

TILTED: Final = 0.1
"""Exponent by which a ratio grows that is another growth, where none has a formula."""

LEAST_EFFECT: Final = float(np.log(1.01))
"""A count has changed where a setting moved by more, as the gate tells it."""


def exact_changes(histories: Histories) -> list[Shift]:
    """Return the changes of counts, by series and commit.

    Growths are not weighed: without any noise their own values tell them.

    Parameters
    ----------
    histories
        Series without any noise that were measured at the same settings.
    """
    return [
        _shift(histories, segments)
        for series, length in enumerate(histories.length.tolist())
        for segments in _segments(series, histories.log[series, :length])
    ]


def _shift(histories: Histories, segments: Segments) -> Shift:
    difference = segments.difference
    doublings = histories.doublings[:, 0] - histories.doublings[:, 0].mean()
    spread = float(doublings @ doublings)
    tilt = float(doublings @ difference) / np.log(2) / spread if spread else 0.0
    kind = ShiftKind.GROWTH if abs(tilt) >= TILTED else ShiftKind.COEFFICIENT
    if np.ptp(difference) <= SAME:
        kind = ShiftKind.LEVEL
    largest = int(np.lexsort(histories.doublings.T[::-1])[-1])
    factor = float(np.exp(difference.mean()))
    return Shift(
        segments=segments,
        kind=kind,
        probability={each: float(each is kind) for each in ShiftKind},
        growth_before=None,
        growth_after=None,
        factor=factor,
        low=factor,
        high=factor,
        largest_factor=float(np.exp(difference[largest])),
        tilt=tilt,
        faster_probability=float(tilt > 0),
        p_value=0.0,
    )


def _segments(series: int, log: Reals) -> Iterator[Segments]:
    """Yield the changes of one series, of shape (T, n), oldest first.

    The newest commit waits until all is counted that was counted before.
    """
    log = np.where(np.isfinite(log), log, np.nan)  # of nothing there is no logarithm
    if len(log) > 1 and np.isnan(log[-1])[~np.isnan(log[-2])].any():
        log = log[:-1]
    bounds = [*_changed_at(log), len(log)]
    begin = 0
    for at, end in pairwise(bounds):
        before, after = _known(log[begin:at]), _known(log[at:end])
        difference = after - before
        places = np.arange(difference.size)
        known = places[~np.isnan(difference)]
        nearest = np.abs(places[:, np.newaxis] - known).argmin(axis=1)
        difference = np.asarray(difference[known[nearest]])
        before = np.where(np.isnan(before), after - difference, before)
        before = np.nan_to_num(before)  # what neither side counted
        yield Segments(
            series=series,
            at=at,
            first=at,
            last=at,
            statistic=float((difference / FLOOR) @ (difference / FLOOR)),
            is_gradual=False,
            before=before,
            after=before + difference,
            before_commits=at - begin,
            after_commits=end - at,
            variance=FLOOR**2,
            common=0.0,
        )
        begin = at


def _changed_at(log: Reals) -> list[int]:
    """Return the numbers of the commits that count something else than before."""
    commits = []
    known = log[0].copy() if len(log) else log
    for at, counted in enumerate(log):
        steps = np.abs(counted - known)
        is_new = np.nan_to_num(steps).max(initial=0.0) > LEAST_EFFECT
        if is_new:
            commits.append(at)
        # Against what began the segment, so that small steps cannot creep.
        known = np.where(np.isnan(known) | is_new, counted, known)
    return commits


def _known(log: Reals) -> Reals:
    """Return the first count at each setting, shape (n,); NaN where there is none."""
    place = np.isnan(log).argmin(axis=0)
    return np.asarray(np.take_along_axis(log, place[np.newaxis], axis=0)[0])

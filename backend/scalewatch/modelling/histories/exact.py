"""Changes of exact counts: one commit tells them, whatever came before it."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import numpy as np

from scalewatch.modelling.arrays.types import Reals
from scalewatch.modelling.growths.space import Space
from scalewatch.modelling.histories.covariances import FLOOR
from scalewatch.modelling.histories.explanation import Shift, explained
from scalewatch.modelling.histories.histories import Histories
from scalewatch.modelling.histories.segments import Segments

LEAST_EFFECT: Final = float(np.log(1.01))
"""A count has changed where a setting moved by more, as the gate tells it."""


def exact_changes(histories: Histories, space: Space) -> list[Shift]:
    """Return the changes of counts, explained, by series and commit.

    Parameters
    ----------
    histories
        Series without any noise that were measured at the same settings.
    space
        Growths that compete, of the one parameter that varies.
    """
    found = [
        segments
        for series, length in enumerate(histories.length.tolist())
        for segments in _segments(series, histories.log[series, :length])
    ]
    return explained(histories, found, space)


def _segments(series: int, log: Reals) -> Iterator[Segments]:
    """Yield the changes of one series, of shape (T, n), oldest first.

    The newest commit waits until all is counted that was counted before.
    """
    if len(log) > 1 and np.isnan(log[-1])[~np.isnan(log[-2])].any():
        log = log[:-1]
    bounds = [*_changed_at(log), len(log)]
    begin = 0
    for at, end in pairwise(bounds):
        before, after = _known(log[begin:at]), _known(log[at:end])
        difference = _everywhere(after - before)
        before = np.where(np.isnan(before), after - difference, before)
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
    found = []
    known = log[0].copy() if len(log) else log
    for at, counted in enumerate(log):
        steps = np.abs(counted - known)
        is_new = np.nan_to_num(steps).max(initial=0.0) > LEAST_EFFECT
        if is_new:
            found.append(at)
        # Against what began the segment, so that small steps cannot creep.
        known = np.where(np.isnan(known) | is_new, counted, known)
    return found


def _everywhere(difference: Reals) -> Reals:
    """Return a difference, shape (n,), where a side did not count as at the nearest."""
    places = np.arange(difference.size)
    known = places[~np.isnan(difference)]
    nearest = np.abs(places[:, np.newaxis] - known).argmin(axis=1)
    return np.asarray(difference[known[nearest]])


def _known(log: Reals) -> Reals:
    """Return the first count at each setting, shape (n,); NaN where there is none."""
    place = np.isnan(log).argmin(axis=0)
    return np.asarray(np.take_along_axis(log, place[np.newaxis], axis=0)[0])

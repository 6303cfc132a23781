"""From histories to the changes in them, and how many of those are false.

A history of 200 commits without a change alarms in up to 4 % of cases; a report of
hundreds of series would therefore always show some. So the changes of a report are
taken together, and those are sure of which at most `FALSE_SHARE` are expected to be
false (Benjamini and Hochberg).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.features import largest_effect
from scalewatch.modelling.common_mode.spreads import projection
from scalewatch.modelling.common_mode.thresholds import TARGET
from scalewatch.modelling.false_discoveries import Correction, corrected
from scalewatch.modelling.growths.space import Space
from scalewatch.modelling.histories.detection import Detection, detection
from scalewatch.modelling.histories.explanation import Shift, explained
from scalewatch.modelling.histories.histories import Histories
from scalewatch.modelling.histories.mode_shifts import with_mode_shifts
from scalewatch.modelling.histories.modes import Modes, modes
from scalewatch.modelling.histories.segments import Segments, segments

FALSE_SHARE: Final = 0.1


@dataclass(frozen=True, slots=True)
class FalseDiscoveries:
    """How far the changes of a report can be trusted.

    Parameters
    ----------
    series
        How many were watched.
    q_values
        Least share of false ones among all changes at least as clear, by change.
    expected
        False ones to expect among those that are sure.
    """

    series: int
    q_values: tuple[float, ...]
    expected: float

    @property
    def sure(self) -> int:
        """How many changes are sure."""
        return sum(q <= FALSE_SHARE for q in self.q_values)


@dataclass(frozen=True, slots=True)
class FoundChanges:
    """What is found in histories.

    Parameters
    ----------
    shifts
        Their changes, explained, by series and commit.
    modes
        Those that have two modes, by series.
    """

    shifts: tuple[Shift, ...]
    modes: Mapping[int, Modes]


def find_changes(
    histories: Histories, space: Space, target: float = TARGET
) -> list[Shift]:
    """Return the changes in histories, as `watched` tells them."""
    return [*watched(histories, space, target).shifts]


def watched(histories: Histories, space: Space, target: float = TARGET) -> FoundChanges:
    """Return the changes in histories, explained, and which have two modes.

    Parameters
    ----------
    histories
        Series that were measured at the same settings.
    space
        Growths that compete, of the one parameter that varies.
    target
        Share of histories of 200 commits without a change that may alarm.
    """
    noticed = detection(histories, target)
    own = segments(histories, noticed.alarms)
    scattering = [_scattering(each, noticed, histories.directions) for each in own]
    shifts = explained(histories, scattering, space)
    found = modes(histories)
    return FoundChanges(
        tuple(with_mode_shifts(histories, shifts, found)),
        {series: own.modes for series, own in found.items()},
    )


def _scattering(own: Segments, noticed: Detection, directions: Reals) -> Segments:
    """Return segments with what the nights of their machine make them scatter by."""
    covariance = noticed.difference_covariance(
        own.series, own.before_commits, own.after_commits
    )
    if covariance is None:
        return own
    effect = largest_effect(own.difference @ projection(directions).T, directions)
    return own.scattering(covariance, noticed.in_spreads(own.series, float(effect)))


def false_discoveries(p_values: Sequence[float], series: int) -> FalseDiscoveries:
    """Correct for the number of series that were watched.

    Parameters
    ----------
    p_values
        Of the changes that were noticed.
    series
        How many were watched; those without a change count as p = 1.
    """
    quiet = max(series - len(p_values), 0)
    adjusted = corrected(
        np.array([*p_values, *[1.0] * quiet]), Correction.BENJAMINI_HOCHBERG
    )
    q_values = tuple(adjusted[: len(p_values)].tolist())
    worst = max((q for q in q_values if q <= FALSE_SHARE), default=0.0)
    sure = sum(q <= FALSE_SHARE for q in q_values)
    return FalseDiscoveries(series, q_values, worst * sure)

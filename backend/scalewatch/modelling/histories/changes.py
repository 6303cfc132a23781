"""From histories to the changes in them, and how many of those are false.

A history of 200 commits without a change alarms in up to 4 % of cases; a report of
hundreds of series would therefore always show some. So the changes of a report are
taken together, and those are sure of which at most `FALSE_SHARE` are expected to be
false (Benjamini and Hochberg).

Steps are noticed by `common_mode.scan`. Series without any noise, such as counts, are
watched apart: there one commit tells.

Changes of how frequent two modes are stand beside those of levels and growths.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.features import largest_effect
from scalewatch.modelling.common_mode.machine import Learned, difference_covariance
from scalewatch.modelling.common_mode.scan import TARGET, Alarm, Scan
from scalewatch.modelling.common_mode.spreads import FLOOR, filled, projection
from scalewatch.modelling.false_discoveries import Correction, corrected
from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.modelling.growths.space import Space
from scalewatch.modelling.histories.explanation import (
    TESTS,
    Shift,
    ShiftKind,
    explained,
)
from scalewatch.modelling.histories.histories import Histories, middle
from scalewatch.modelling.histories.modes import (
    WINDOW,
    Modes,
    ShareChange,
    TwoModes,
    modes,
)
from scalewatch.modelling.histories.passing import Passing, lasting_and_passing
from scalewatch.modelling.histories.segments import Segments, segments

EXACT_SHARE: Final = 0.8
"""Least share of the commits of an exact series that repeat the one before."""

SAME: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Detection:
    """Alarms in histories, and the covariance by which they scatter.

    Parameters
    ----------
    alarms
        Changes, in the order in which they were noticed.
    learned
        Of series with noise: what was learned of all, and the number of each there.
    """

    alarms: tuple[Alarm, ...]
    learned: Mapping[int, tuple[Learned, int]]

    def difference_covariance(
        self, series: int, before: int, after: int
    ) -> Reals | None:
        """Return how the means of so many commits in a row scatter, None if unknown.

        Covariance of what level and tilts differ by, shape (k, k).
        """
        if series not in self.learned:
            return None
        learned, row = self.learned[series]
        return difference_covariance(learned, row, before, after)

    def in_spreads(self, series: int, effect: float) -> float:
        """Return an effect in usual spreads of a series from commit to commit."""
        learned, row = self.learned[series]
        return effect / max(learned.spread_of(row), FLOOR)


def detect(histories: Histories, target: float = TARGET) -> list[Alarm]:
    """Return the changes of each series, as `detection` notices them."""
    return [*detection(histories, target).alarms]


def detection(histories: Histories, target: float = TARGET) -> Detection:
    """Watch histories from the first commit on.

    The series count as measured alike: what is learned of one is used for all.

    Parameters
    ----------
    target
        Share of histories of 200 commits without a change that may alarm.
    """
    is_exact = exact(histories.log)
    alarms: list[Alarm] = []
    learned: dict[int, tuple[Learned, int]] = {}
    for kind in (True, False):
        rows = np.flatnonzero(is_exact == kind)
        if not rows.size:
            continue
        scan = Scan(
            histories.log[rows],
            histories.length[rows],
            histories.directions,
            is_exact=kind,
            target=target,
        )
        alarms += [alarm.of_series(int(rows[alarm.series])) for alarm in scan.alarms()]
        if not kind and scan.learned is not None:
            numbered = enumerate(rows.tolist())
            learned |= {series: (scan.learned, row) for row, series in numbered}
    return Detection(tuple(sorted(alarms, key=lambda alarm: alarm.at)), learned)


def exact(log: Reals) -> NDArray[np.bool_]:
    """Tell which series, of (S, T, n), have no noise, shape (S,)."""
    steps = np.abs(np.diff(log, axis=1))
    is_known = ~np.isnan(steps)
    same = (np.nan_to_num(steps) <= SAME) & is_known
    known = np.maximum(is_known.sum(axis=(1, 2)), 1)
    return np.asarray(same.sum(axis=(1, 2)) >= EXACT_SHARE * known)


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
    """Changes and modes of histories.

    Parameters
    ----------
    shifts
        Their changes, explained, by series and commit.
    modes
        Those that have two modes, by series.
    passing
        Events after which a level returned; they are no changes.
    """

    shifts: tuple[Shift, ...]
    modes: Mapping[int, Modes]
    passing: tuple[Passing, ...] = ()


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
    changed, passing = lasting_and_passing(
        histories, segments(histories, noticed.alarms)
    )
    scattering = [_scattering(each, noticed, histories.directions) for each in changed]
    shifts = explained(histories, scattering, space)
    two_modes = modes(histories)
    return FoundChanges(
        tuple(with_mode_shifts(histories, shifts, two_modes)),
        {series: changed.modes for series, changed in two_modes.items()},
        tuple(passing),
    )


def _scattering(change: Segments, noticed: Detection, directions: Reals) -> Segments:
    """Return segments with the covariance of correlated commits of their machine."""
    covariance = noticed.difference_covariance(
        change.series, change.before_commits, change.after_commits
    )
    if covariance is None:
        return change
    effect = largest_effect(change.difference @ projection(directions).T, directions)
    return change.scattering(
        covariance, noticed.in_spreads(change.series, float(effect))
    )


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


STEP: Final = 4.0
"""Standard errors by which both modes move together, where a level changed."""

TILTED: Final = 0.99
"""Probability from which on a change is one over the settings, and no mode."""


def with_mode_shifts(
    histories: Histories, shifts: Iterable[Shift], two_modes: Mapping[int, TwoModes]
) -> list[Shift]:
    """Return all changes by series and commit, but for jumps between two modes.

    Parameters
    ----------
    shifts
        Changes of levels and growths.
    two_modes
        The series with two modes.
    """
    changes = [
        series.change for series in two_modes.values() if series.change is not None
    ]
    kept = [
        shift
        for shift in shifts
        if shift.segments.series not in two_modes
        or not _is_jump(shift, two_modes[shift.segments.series])
    ]
    kept += [_shift(histories, change) for change in changes]
    return sorted(kept, key=lambda shift: (shift.segments.series, shift.segments.first))


def _is_jump(shift: Shift, series: TwoModes) -> bool:
    """Tell whether a change is explained by how modes came one after the other."""
    is_old = shift.segments.last < series.first
    is_tilted = max(shift.faster_probability, 1 - shift.faster_probability) > TILTED
    step = series.step(shift.segments.first, shift.segments.last)
    return not is_old and not is_tilted and abs(step) < STEP


def _shift(histories: Histories, change: ShareChange) -> Shift:
    length = int(histories.length[change.series])
    log = histories.log[change.series, max(0, length - WINDOW) : length]
    centre = middle(log)
    beyond = filled(log - centre)
    tau = change.commit - max(0, length - WINDOW)
    before, after = beyond[:tau], beyond[tau:]
    levels = [side.mean(axis=1) for side in (before, after)]
    size = float(levels[1].mean() - levels[0].mean())
    error = np.sqrt(sum(level.var(ddof=1) / len(level) for level in levels))
    factor = Bounds.of_logarithm(size, float(error))
    return Shift(
        segments=_segments(change, centre, before, after),
        kind=ShiftKind.MODES,
        probability={kind: float(kind is ShiftKind.MODES) for kind in ShiftKind},
        growth_before=None,
        growth_after=None,
        factor=factor.value,
        low=factor.low,
        high=factor.high,
        largest_factor=factor.value,
        tilt=0.0,
        faster_probability=0.5,
        p_value=min(1.0, TESTS * float(chdtrc(1, change.statistic))),
        shares=(change.before, change.after),
    )


def _segments(
    change: ShareChange, centre: Reals, before: Reals, after: Reals
) -> Segments:
    sides = (before, after)
    levels = np.concatenate([side.mean(axis=1) - side.mean() for side in sides])
    apart = np.concatenate([side - side.mean(axis=0) for side in sides])
    return Segments(
        series=change.series,
        at=change.at,
        first=change.first,
        last=change.last,
        statistic=change.statistic,
        is_gradual=False,
        before=centre + before.mean(axis=0),
        after=centre + after.mean(axis=0),
        before_commits=len(before),
        after_commits=len(after),
        variance=float((apart - apart.mean(axis=1, keepdims=True)).var()),
        common=float(levels.var()),
    )

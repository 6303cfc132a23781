"""Segmented histories: changes of a series, and its growth between two changes.

The newest change that matters says since when a series is as it is.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isnan, log
from typing import Any, Final

import numpy as np
from scipy.special import stdtrit
from sqlalchemy.orm import Session

from scalewatch.figures.histories import QUANTILES, DrawnEra
from scalewatch.modelling.histories.explanation import ShiftKind
from scalewatch.services.analysis.questions import SeriesQuestion, find_all
from scalewatch.services.commits.find import Commit, commit_of
from scalewatch.services.common_mode.project_history import SeriesHistory
from scalewatch.services.histories.commits import NEWEST, HistoryStep, Measure, part_of
from scalewatch.services.regions.region import Region
from scalewatch.services.regressions.regressions import RegressionState
from scalewatch.services.series.standing import is_improbable
from scalewatch.storage.access import projects
from scalewatch.storage.histories import locations, regressions
from scalewatch.storage.histories.regressions import RegressionShift

RECENT: Final = 60
"""Newest commits that a present growth is of."""

FEWEST: Final = 9
"""Commits of a segment from which on the range of their values is told."""


@dataclass(frozen=True, slots=True)
class StoredChange:
    """A change of a history: positions on the line, kind and size.

    Parameters
    ----------
    factor, largest
        After over before at the largest setting, and that setting.
    """

    first: int
    last: int
    kind: ShiftKind
    is_gradual: bool
    factor: float
    low: float
    high: float
    probability: float
    growth_before: str | None
    growth_after: str | None
    regression: int
    shares: tuple[float, float] | None = None
    largest: Mapping[str, float] = field(default_factory=dict)
    is_worse: bool = True

    @property
    def is_new_growth(self) -> bool:
        """Whether it grows differently since."""
        is_growth = self.kind is ShiftKind.GROWTH
        return is_growth and self.growth_before != self.growth_after

    @property
    def words(self) -> str:
        """The change in words; of modes, how frequent the upper level was and is."""
        if self.shares is None:
            return str(self.kind)
        before, after = (f"{100 * share:.0f} %" for share in self.shares)
        return f"modes: {before} → {after} of the commits at the upper level"


@dataclass(frozen=True, slots=True)
class Segment:
    """Commits between two changes, with the growth that all of them show.

    Parameters
    ----------
    first, last
        Positions on the line.
    exponent, low, high
        Mean slope over the first parameter and its 90 % interval.
    value, least, most
        Median at the largest setting, and the range of 90 % of the commits, which is
        not told of fewer than `FEWEST`.
    """

    first: int
    last: int
    growth: str | None
    exponent: float | None
    low: float | None
    high: float | None
    value: float | None = None
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True, slots=True)
class SegmentedHistory:
    """The history of one series on one state of its machine.

    Parameters
    ----------
    positions, exponents, values
        Position of each commit on the line, its exponent, and what it measured at the
        largest setting; None where it tells none.
    largest
        The largest setting, empty where there is one setting.
    steps
        Of each commit, or of the newest of them; none, and no exponents, where all
        regions are shown.
    bad_nights
        Positions of commits that were measured in a bad night of the machine.
    is_exact
        Whether it is counted exactly, so that a single commit shows a change.
    baselines
        Positions from which on the machine is in another state, for which no earlier
        commit is a baseline.
    """

    region: str
    machine: str
    configuration: Mapping[str, Any]
    unit: str
    positions: tuple[int, ...]
    segments: tuple[Segment, ...]
    changes: tuple[StoredChange, ...]
    exponents: tuple[float | None, ...] = ()
    values: tuple[float | None, ...] = ()
    largest: Mapping[str, float] = field(default_factory=dict)
    steps: tuple[HistoryStep, ...] = ()
    parameter: str | None = None
    target: float | None = None
    bad_nights: tuple[int, ...] = ()
    is_exact: bool = False
    baselines: tuple[int, ...] = ()

    @property
    def has_exponents(self) -> bool:
        """Whether any commit measured several settings."""
        return any(each is not None for each in self.exponents)

    def shows_values(self, shown: Measure) -> bool:
        """Tell whether values are shown: exponents need several settings."""
        return shown is Measure.VALUE or not self.has_exponents

    def eras(self, shown: Measure) -> tuple[DrawnEra, ...]:
        """Return its segments as they are drawn, of values without their growth."""
        if self.shows_values(shown):
            return tuple(
                DrawnEra(each.first, each.last, None, each.value, each.least, each.most)
                for each in self.segments
            )
        return tuple(
            DrawnEra(
                each.first, each.last, each.growth, each.exponent, each.low, each.high
            )
            for each in self.segments
        )


def values_of(history: SeriesHistory) -> tuple[float | None, ...]:
    """Return what each commit measured at the largest setting."""
    values = np.exp(history.log[:, -1]).tolist()
    return tuple([None if isnan(value) else value for value in values])


def exponents_of(history: SeriesHistory) -> tuple[float | None, ...]:
    """Return the exponent of each commit: the slope of log-location over log p."""
    doublings = np.log2([at[0] for at in history.settings])
    if doublings.size < 2:
        return (None,) * len(history.positions)
    centred = doublings - doublings.mean()
    is_there = ~np.isnan(history.log)
    known = np.where(is_there, history.log, 0.0)
    spread = is_there @ centred**2
    # Missing settings shift the mean of the others; the level must not leak in.
    level = known.sum(axis=1) / np.maximum(is_there.sum(axis=1), 1)
    sums = (known @ centred - level * (is_there @ centred)) / np.log(2)
    slopes = np.divide(sums, spread, out=np.full_like(sums, np.nan), where=spread > 0)
    return tuple([None if isnan(slope) else slope for slope in slopes.tolist()])


def telling(changes: Sequence[StoredChange]) -> StoredChange | None:
    """Return the change that matters: the newest of growth, else the largest.

    Parameters
    ----------
    changes
        Those of one series, oldest first.
    """
    growths = [change for change in changes if change.is_new_growth]
    if growths:
        return growths[-1]
    return max(changes, key=lambda change: abs(log(change.factor)), default=None)


def changes_of(
    shifts: Sequence[RegressionShift], position_of: Mapping[int, int]
) -> defaultdict[int, list[StoredChange]]:
    """Return stored changes by series, oldest first.

    Parameters
    ----------
    position_of
        Position of each commit on the line, by id; what is not on it is left out.
    """
    changes: defaultdict[int, list[StoredChange]] = defaultdict(list)
    for shift in shifts:
        first = position_of.get(shift.first_commit_id)
        last = position_of.get(shift.last_commit_id)
        if first is not None and last is not None:
            changes[shift.series_id].append(_stored_change(shift, first, last))
    for of_series in changes.values():
        of_series.sort(key=lambda change: change.first)
    return changes


def _stored_change(shift: RegressionShift, first: int, last: int) -> StoredChange:
    details = shift.details
    return StoredChange(
        first=first,
        last=last,
        kind=details.kind,
        is_gradual=details.is_gradual,
        factor=details.largest_factor,
        low=details.low,
        high=details.high,
        probability=details.kind_probability,
        growth_before=details.growth_before,
        growth_after=details.growth_after,
        regression=shift.regression_id,
        largest=details.largest,
        is_worse=shift.is_worse,
        shares=details.shares,
    )


def segments_between(
    positions: Sequence[int],
    changes: Sequence[StoredChange],
    now: str | None,
    exponents: Sequence[float | None] = (),
    values: Sequence[float | None] = (),
) -> tuple[Segment, ...]:
    """Return the commits between changes, oldest first.

    Parameters
    ----------
    positions
        Positions of the commits on the line, ascending.
    changes
        Those among them, oldest first.
    now
        The growth where nothing has changed.
    exponents, values
        Of each commit, if they are known.
    """
    firsts = (bisect_left(positions, change.first) for change in changes)
    bounds = [0, *firsts, len(positions)]
    growths = [change.growth_before for change in changes]
    growths.append(changes[-1].growth_after if changes else now)
    segments = []
    for first, last, growth in zip(bounds, bounds[1:], growths, strict=False):
        if first == last:
            continue
        slopes = np.array([each for each in exponents[first:last] if each is not None])
        low = high = None
        if slopes.size > 1:  # else nothing tells the scatter
            mean, deviation = slopes.mean(), slopes.std(ddof=1)
            reach = stdtrit(slopes.size - 1, 0.95) * deviation / np.sqrt(slopes.size)
            low, high = float(mean - reach), float(mean + reach)
        measured = [each for each in values[first:last] if each is not None]
        least, middle, most = (
            np.quantile(measured, QUANTILES).tolist() if measured else [None] * 3
        )
        if len(measured) < FEWEST:  # few dots are no band
            least = most = None
        segments.append(
            Segment(
                first=positions[first],
                last=positions[last - 1],
                growth=growth,
                exponent=float(slopes.mean()) if slopes.size else None,
                low=low,
                high=high,
                value=middle,
                least=least,
                most=most,
            )
        )
    return tuple(segments)


def growths_of(histories: Sequence[SeriesHistory]) -> list[str | None]:
    """Return the growth that the newest commits of each history show together.

    None where it is open: no growth is likely, or none fits.
    """
    newest = slice(-RECENT, None)
    questions = [SeriesQuestion.of(history.pool(newest)) for history in histories]
    findings = find_all(questions, {"rule": "evidence"})
    return [
        None
        if each.told_growth is None
        or is_improbable(each.told_growth, each.class_probability)
        else str(each.told_growth)
        for each in findings
    ]


def joined(histories: Sequence[SegmentedHistory]) -> tuple[SegmentedHistory, ...]:
    """Return one history per series; a new state of its machine begins a baseline.

    States that were measured over another parameter, or side by side, stay apart.
    """
    groups: list[list[SegmentedHistory]] = []
    for history in histories:
        group = next((known for known in groups if _goes_on(known, history)), None)
        if group is None:
            groups.append([history])
        else:
            group.append(history)
            group.sort(key=lambda member: member.positions[0])
    return tuple(map(_joined, groups))


def _goes_on(group: Sequence[SegmentedHistory], other: SegmentedHistory) -> bool:
    ordered = sorted([*group, other], key=lambda member: member.positions[0])
    return all(
        (former.region, former.machine, former.configuration, former.parameter)
        == (later.region, later.machine, later.configuration, later.parameter)
        and former.positions[-1] < later.positions[0]
        for former, later in pairwise(ordered)
    )


def _joined(group: Sequence[SegmentedHistory]) -> SegmentedHistory:
    newest = group[-1]
    if len(group) == 1:
        return newest
    return replace(
        newest,
        positions=tuple(at for part in group for at in part.positions),
        exponents=tuple(each for part in group for each in part.exponents),
        values=tuple(each for part in group for each in part.values),
        steps=tuple(step for part in group for step in part.steps),
        segments=tuple(each for part in group for each in part.segments),
        changes=tuple(each for part in group for each in part.changes),
        bad_nights=tuple(at for part in group for at in part.bad_nights),
        baselines=tuple(part.positions[0] for part in group[1:]),
    )


@dataclass(frozen=True, slots=True)
class Since:
    """The change that brought a series to its present state.

    Parameters
    ----------
    first, last
        The commits that may have made it.
    state
        Of the regression that it is part of.
    """

    change: StoredChange
    first: Commit
    last: Commit
    state: RegressionState


def since_of(session: Session, shown: Region) -> tuple[Since | None, ...]:
    """Return the change that matters of each scan of a region, up to its commit."""
    project = projects.existing(session, shown.project)
    series = locations.series_of(
        session, project.id, regions=[shown.region], metric=shown.metric
    )
    shifts = regressions.shifts_of(session, [each.id for each in series])
    if not shifts:
        return (None,) * len(shown.scans)
    commits = part_of(session, project, NEWEST).line.commits
    end = next(
        (at for at, each in enumerate(commits) if each.sha == shown.commit.sha), -1
    )
    position_of = {each.id: at for at, each in enumerate(commits[: end + 1])}
    changes = changes_of(shifts, position_of)
    states = {each.regression_id: RegressionState(each.state) for each in shifts}
    by_place = {
        _place(each.machine, each.configuration): telling(changes.get(each.id, ()))
        for each in series
    }
    return tuple(
        Since(
            change,
            commit_of(commits[change.first]),
            commit_of(commits[change.last]),
            states[change.regression],
        )
        if change
        else None
        for change in (
            by_place.get(_place(scan.machine, scan.configuration))
            for scan in shown.scans
        )
    )


def is_tracked(session: Session, shown: Region) -> bool:
    """Tell whether the first scan of a region has a history: any success at all."""
    project = projects.existing(session, shown.project)
    series = locations.series_of(
        session, project.id, regions=[shown.region], metric=shown.metric
    )
    return any(each.machine == shown.scans[0].machine for each in series)


def _place(machine: str, configuration: Mapping[str, Any]) -> tuple[str, str]:
    return machine, repr(sorted(configuration.items()))

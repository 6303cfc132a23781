"""Changes in the histories of a project, with the common mode of machines taken out.

Series measured alike on one state of a machine are watched together: their histories
show how its nights scatter, and enough regions what each night does to all of them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from scalewatch.modelling import pmnf
from scalewatch.modelling.arrays import stacked
from scalewatch.modelling.common_mode.common_mode import MachineMode
from scalewatch.modelling.common_mode.origins import Origin, origins
from scalewatch.modelling.common_mode.scan import SPREADS
from scalewatch.modelling.histories.changes import (
    FALSE_SHARE,
    STEP,
    FoundChanges,
    exact,
    false_discoveries,
    watched,
)
from scalewatch.modelling.histories.exact import exact_changes
from scalewatch.modelling.histories.explanation import Shift, ShiftKind
from scalewatch.modelling.histories.histories import Histories
from scalewatch.modelling.histories.modes import Modes
from scalewatch.modelling.histories.passing import Passing
from scalewatch.services.caches import Kept, key_of
from scalewatch.services.common_mode.project_history import SeriesHistory
from scalewatch.services.common_mode.shared_moves import (
    alike,
    nights_of,
    speeds_of,
    without_nights,
)
from scalewatch.settings import ALARMING_SHARE

LEAST_EFFECT: Final = 0.01
"""Changes of counts at all settings by less than this share are not reported."""

SHOWN: Final = 100
"""Newest nights of a machine that are kept to be shown."""

_NIGHTS: Final = Kept[MachineMode | None](1_000)
_FOUND: Final = Kept[FoundChanges](1_000)


@dataclass(frozen=True, slots=True)
class HistoryChange:
    """A change in a history.

    Parameters
    ----------
    first, last
        Positions on the line of the commits that may have made it.
    """

    history: SeriesHistory
    shift: Shift
    first: int
    last: int

    @property
    def is_worse(self) -> bool:
        """Whether it is for the worse where it counts, at the largest scale."""
        rises = self.shift.largest_factor > 1
        if self.shift.kind is ShiftKind.GROWTH and self.shift.faster_probability > 0.95:
            rises = True
        if self.shift.kind is ShiftKind.GROWTH and self.shift.faster_probability < 0.05:
            rises = False
        return rises == (self.history.series.better == "lower")

    @property
    def largest_difference(self) -> float:
        """The largest difference of logarithms at a setting."""
        return float(np.abs(self.shift.segments.difference).max())

    @property
    def noticed(self) -> int:
        """Position of the commit at which it was noticed."""
        return self.history.positions[self.shift.segments.at]


@dataclass(frozen=True, slots=True)
class PassingEvent:
    """A level that left and returned, of a history with one setting.

    Parameters
    ----------
    first, returned
        Positions of the first commit away, and of the first one back.
    factor
        Of the level meanwhile over the one before.
    """

    history: SeriesHistory
    first: int
    returned: int
    factor: float

    @classmethod
    def of(cls, history: SeriesHistory, passing: Passing) -> Self:
        """Return an event with its commits on the line."""
        return cls(
            history,
            history.positions[passing.left.first],
            history.positions[passing.returned.first],
            float(np.exp(passing.left.difference[0])),
        )


@dataclass(frozen=True, slots=True)
class MachineStep:
    """A commit from which on all regions of a machine are different.

    Parameters
    ----------
    position
        Of the commit on the line.
    factor
        After over before, on average.
    """

    machine: str
    metric: str
    position: int
    factor: float
    origin: Origin


@dataclass(frozen=True, slots=True)
class NightlySpread:
    """The scatter of a machine from one night to the next, as learned from its regions.

    Parameters
    ----------
    correlation
        Of one night with the next.
    spread
        Usual change of the level from one night to the next, as a share.
    regions, commits
        From how many.
    effects
        Position on the line of the newest nights, and what each did to the logarithm
        of all regions on average.
    bad
        Positions of nights that were taken for bad ones: from which the level returned.
    """

    machine: str
    metric: str
    correlation: float
    spread: float
    regions: int
    commits: int
    effects: tuple[tuple[int, float], ...]
    bad: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Watched:
    """Changes in histories, and moves of their machines.

    Parameters
    ----------
    modes
        Histories that jump between two levels.
    passing
        Events that passed, which are no changes.
    """

    changes: tuple[HistoryChange, ...]
    steps: tuple[MachineStep, ...]
    nights: tuple[NightlySpread, ...]
    modes: tuple[tuple[SeriesHistory, Modes], ...]
    passing: tuple[PassingEvent, ...]


def watch(
    histories: Sequence[SeriesHistory], alarming_share: float = ALARMING_SHARE
) -> Watched:
    """Return the changes in histories; groups seen before are not searched again.

    Parameters
    ----------
    alarming_share
        Share of histories of 200 commits that may alarm although nothing changed.
    """
    groups = alike(histories)
    keys = [
        key_of(
            group[0].series.is_exact,
            group[0].parameters,
            group[0].settings,
            *(part for each in group for part in (each.positions, each.log.tobytes())),
        )
        for group in groups
    ]
    nights = _NIGHTS.answers(keys, lambda at: [nights_of(groups[each]) for each in at])
    steps = _steps(groups, nights)
    kept = [
        tuple(row for row, step in at.items() if step.origin is not Origin.MACHINE)
        for at in steps
    ]
    changes = _FOUND.answers(
        [
            key_of(key, rows, alarming_share)
            for key, rows in zip(keys, kept, strict=True)
        ],
        lambda at: [
            _changes(groups[each], nights[each], kept[each], alarming_share)
            for each in at
        ],
    )
    shifts: dict[int, list[Shift]] = defaultdict(list)
    for group, changed in zip(groups, changes, strict=True):
        for shift in changed.shifts:
            shifts[id(group[shift.segments.series])].append(shift)
    return Watched(
        changes=tuple(
            HistoryChange(
                history,
                shift,
                _first_suspect(history, shift),
                history.positions[shift.segments.last],
            )
            for history in histories
            for shift in shifts[id(history)]
        ),
        steps=tuple(
            step
            for at, known in zip(steps, nights, strict=True)
            for step in _beyond_speeds(at, known)
        ),
        nights=tuple(
            _spread(group, known)
            for group, known in zip(groups, nights, strict=True)
            if known is not None
        ),
        modes=tuple(
            (group[series], modes)
            for group, changed in zip(groups, changes, strict=True)
            for series, modes in changed.modes.items()
        ),
        passing=tuple(
            PassingEvent.of(group[event.series], event)
            for group, changed in zip(groups, changes, strict=True)
            for event in changed.passing
        ),
    )


def by_effect(
    watched: Watched, smallest: float, series: int
) -> tuple[list[HistoryChange], list[HistoryChange]]:
    """Part the changes that matter from drifts, which are too small.

    Too small beside the nights of the machine, or beside those of the series itself.
    Of all changes, large and small, at most `FALSE_SHARE` of those at least as clear as
    a drift are expected to be false; a small change that is less clear is neither.

    Parameters
    ----------
    series
        How many were watched.
    """
    p_values = [change.shift.p_value for change in watched.changes]
    q_values = false_discoveries(p_values, series).q_values
    spreads = {(each.machine, each.metric): each.spread for each in watched.nights}
    changes, drifts = [], []
    for change, q_value in zip(watched.changes, q_values, strict=True):
        changed = change.history.series
        spread = spreads.get((changed.machine, changed.metric), 0.0)
        floor = LEAST_EFFECT if changed.is_exact else effect_floor(smallest, spread)
        size = change.largest_difference
        in_spreads = change.shift.segments.in_spreads
        stands_out = in_spreads is None or in_spreads >= SPREADS
        if size >= np.log1p(floor) and stands_out:
            changes.append(change)
        elif size >= LEAST_EFFECT and q_value <= FALSE_SHARE:
            drifts.append(change)
    return changes, drifts


def effect_floor(smallest: float, spread: float) -> float:
    """Return the least effect on a machine whose level has a usual spread.

    It is that of the project and at least twice the spread: smaller changes are drifts,
    and nobody is stopped.
    """
    return max(smallest, SPREADS * spread)


def _first_suspect(history: SeriesHistory, shift: Shift) -> int:
    """Return the position of the first commit that may have made a change.

    Commits that did not measure the series since it was measured last may have, too.
    """
    first = shift.segments.first
    return history.positions[first - 1] + 1 if first else history.positions[first]


def _steps(
    groups: Sequence[Sequence[SeriesHistory]], nights: Sequence[MachineMode | None]
) -> list[dict[int, MachineStep]]:
    """Return the steps of each machine by their row."""
    steps: list[dict[int, MachineStep]] = [{} for _ in groups]
    for places in _compared(groups, nights):
        known = [at for place in places if (at := nights[place]) is not None]
        ids = [groups[place][0].series.machine_id for place in places]
        for place, moves, rows in zip(places, known, origins(known, ids), strict=True):
            series = groups[place][0].series
            steps[place] = {
                row: MachineStep(
                    machine=series.machine,
                    metric=series.metric,
                    position=int(moves.positions[row]),
                    factor=float(np.exp(moves.step_size(row))),
                    origin=origin,
                )
                for row, origin in rows.items()
            }
    return steps


def _beyond_speeds(
    steps: Mapping[int, MachineStep], nights: MachineMode | None
) -> list[MachineStep]:
    """Return the steps of a machine, but for jumps between its two speeds."""
    speeds = speeds_of(nights) if nights is not None and steps else None
    return [
        step
        for row, step in steps.items()
        if speeds is None
        or step.origin is Origin.LIBRARY
        or abs(speeds.step(row, row)) >= STEP
    ]


def _compared(
    groups: Sequence[Sequence[SeriesHistory]], nights: Sequence[MachineMode | None]
) -> Iterable[list[int]]:
    """Group the places at which the same was measured on machines."""
    places: dict[tuple[object, ...], list[int]] = {}
    for place, group in enumerate(groups):
        if nights[place] is not None:
            measured = (group[0].series.metric, group[0].parameters)
            places.setdefault(measured, []).append(place)
    return places.values()


def _spread(group: Sequence[SeriesHistory], nights: MachineMode) -> NightlySpread:
    series = group[0].series
    return NightlySpread(
        machine=series.machine,
        metric=series.metric,
        correlation=nights.correlation,
        spread=nights.spread,
        regions=len(group),
        commits=len(nights.positions),
        effects=tuple(
            zip(
                nights.positions[-SHOWN:].tolist(),
                nights.mode.effect[-SHOWN:].mean(axis=1).tolist(),
                strict=True,
            )
        ),
        bad=tuple(nights.positions[nights.outlying_commits()].tolist()),
    )


def _changes(
    group: Sequence[SeriesHistory],
    nights: MachineMode | None,
    kept: Sequence[int],
    alarming_share: float,
) -> FoundChanges:
    """Return the changes in the histories of a group."""
    first = group[0]
    histories = Histories.of(
        np.array(first.settings),
        stacked([history.log for history in group]),
        [len(history.positions) for history in group],
    )
    if first.series.is_exact:
        return FoundChanges(tuple(exact_changes(histories)), {})
    if nights is not None:
        is_exact = exact(histories.log)
        for row, history in enumerate(group):
            if not is_exact[row]:
                log = without_nights(history, row, nights, kept)
                histories.log[row, : len(log)] = log
    return watched(histories, pmnf(first.parameters[0]), alarming_share)

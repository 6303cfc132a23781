"""Changes in the histories of a project, what the nights of machines do taken out.

What is measured alike on one state of a machine is watched together: its histories tell
how its nights scatter, and enough regions what each night does to all of them.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scalewatch.modelling import pmnf
from scalewatch.modelling.arrays import stacked
from scalewatch.modelling.common_mode.events import MachineNights
from scalewatch.modelling.common_mode.origins import Origin, origins
from scalewatch.modelling.histories.changes import FoundChanges, watched
from scalewatch.modelling.histories.detection import exact
from scalewatch.modelling.histories.exact import exact_changes
from scalewatch.modelling.histories.explanation import Shift
from scalewatch.modelling.histories.histories import Histories
from scalewatch.modelling.histories.modes import Modes
from scalewatch.services.caches.lru import Kept, key_of
from scalewatch.services.common_mode.project_history import SeriesHistory
from scalewatch.services.common_mode.shared_moves import (
    alike,
    nights_of,
    without_nights,
)
from scalewatch.settings import get_settings

SHOWN: Final = 100
"""Newest nights of a machine that are kept to be shown."""

_NIGHTS: Final = Kept[MachineNights | None](1_000)
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
    """What was learned of the nights of a machine.

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
    """What changed in histories, and what their machines did.

    Parameters
    ----------
    modes
        Histories that jump between two levels.
    """

    changes: tuple[HistoryChange, ...]
    steps: tuple[MachineStep, ...]
    nights: tuple[NightlySpread, ...]
    modes: tuple[tuple[SeriesHistory, Modes], ...]


def watch(found: Sequence[SeriesHistory]) -> Watched:
    """Return the changes in histories; what is known of a machine is not found anew."""
    target = get_settings().alarming_share
    groups = alike(found)
    keys = [_key(group) for group in groups]
    nights = _NIGHTS.answers(keys, lambda at: [nights_of(groups[each]) for each in at])
    steps = _steps(groups, nights)
    kept = [
        tuple(row for row, step in own.items() if step.origin is not Origin.MACHINE)
        for own in steps
    ]
    told = _FOUND.answers(
        [key_of(key, rows, target) for key, rows in zip(keys, kept, strict=True)],
        lambda at: [
            _told(groups[each], nights[each], kept[each], target) for each in at
        ],
    )
    shifts: dict[int, list[Shift]] = defaultdict(list)
    for group, own in zip(groups, told, strict=True):
        for shift in own.shifts:
            shifts[id(group[shift.segments.series])].append(shift)
    return Watched(
        changes=tuple(
            _change(history, shift)
            for history in found
            for shift in shifts[id(history)]
        ),
        steps=tuple(step for own in steps for step in own.values()),
        nights=tuple(
            _spread(group, own)
            for group, own in zip(groups, nights, strict=True)
            if own is not None
        ),
        modes=tuple(
            (group[series], modes)
            for group, own in zip(groups, told, strict=True)
            for series, modes in own.modes.items()
        ),
    )


def _key(group: Sequence[SeriesHistory]) -> bytes:
    first = group[0]
    each = [part for own in group for part in (own.positions, own.log.tobytes())]
    return key_of(first.series.is_exact, first.parameters, first.settings, *each)


def _steps(
    groups: Sequence[Sequence[SeriesHistory]], nights: Sequence[MachineNights | None]
) -> list[dict[int, MachineStep]]:
    """Return the steps of each machine by their row."""
    found: list[dict[int, MachineStep]] = [{} for _ in groups]
    for places in _compared(groups, nights):
        known = [own for place in places if (own := nights[place]) is not None]
        ids = [groups[place][0].series.machine_id for place in places]
        for place, own, rows in zip(places, known, origins(known, ids), strict=True):
            series = groups[place][0].series
            found[place] = {
                row: MachineStep(
                    machine=series.machine,
                    metric=series.metric,
                    position=int(own.positions[row]),
                    factor=float(np.exp(own.step_size(row))),
                    origin=origin,
                )
                for row, origin in rows.items()
            }
    return found


def _compared(
    groups: Sequence[Sequence[SeriesHistory]], nights: Sequence[MachineNights | None]
) -> Iterable[list[int]]:
    """Group the places at which the same was measured on machines."""
    found: dict[tuple[object, ...], list[int]] = {}
    for place, group in enumerate(groups):
        if nights[place] is not None:
            first = group[0]
            measured = (first.series.metric, first.parameters)
            found.setdefault(measured, []).append(place)
    return found.values()


def _spread(group: Sequence[SeriesHistory], own: MachineNights) -> NightlySpread:
    series = group[0].series
    return NightlySpread(
        machine=series.machine,
        metric=series.metric,
        correlation=own.correlation,
        spread=own.spread,
        regions=len(group),
        commits=len(own.positions),
        effects=tuple(
            zip(
                own.positions[-SHOWN:].tolist(),
                own.mode.effect[-SHOWN:].mean(axis=1).tolist(),
                strict=True,
            )
        ),
        bad=tuple(own.positions[own.bad_nights()].tolist()),
    )


def _told(
    group: Sequence[SeriesHistory],
    nights: MachineNights | None,
    kept: Sequence[int],
    target: float,
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
                own = without_nights(history, row, nights, kept)
                histories.log[row, : len(own)] = own
    return watched(histories, pmnf(first.parameters[0]), target)


def _change(history: SeriesHistory, shift: Shift) -> HistoryChange:
    first, last = shift.segments.first, shift.segments.last
    return HistoryChange(
        history, shift, history.positions[first], history.positions[last]
    )

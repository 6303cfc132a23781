"""What the detection of the product says of machines whose nights are known."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.truths_history import P
from numpy.typing import NDArray

from scalewatch.modelling.histories.changes import detect
from scalewatch.modelling.histories.histories import Histories
from scalewatch.services.common_mode.project_history import SeriesHistory
from scalewatch.services.regressions.changes import HistoryChange, MachineStep, watch
from scalewatch.storage.histories.locations import LocatedSeries

Reals = NDArray[np.float64]

NEAR = 10
"""Commits by which an alarm may miss the place of a change."""


@dataclass(frozen=True, slots=True)
class Noticed:
    """A change that was noticed, in a region of a machine.

    Parameters
    ----------
    machine, region
        Their numbers.
    at, place
        The commit at which it was noticed, and the one that made it, or the middle of
        those that may have.
    """

    machine: int
    region: int
    at: int
    place: float

    def is_near(self, commit: int) -> bool:
        """Tell whether it is about a change at a commit."""
        return self.at >= commit and abs(self.place - commit) <= NEAR


def look(logs: Sequence[Reals]) -> tuple[list[Noticed], tuple[MachineStep, ...]]:
    """Return what the product notices on machines, each (S, T, n), and their steps.

    What the newest commit alone tells orders another run, and is no alarm.
    """
    watched = watch(
        [
            history_of(machine, region, log)
            for machine, own in enumerate(logs)
            for region, log in enumerate(own)
        ]
    )
    newest = max(own.shape[1] for own in logs) - 1
    noticed = [_noticed(change) for change in watched.changes]
    return [each for each in noticed if each.at < newest], watched.steps


def _noticed(change: HistoryChange) -> Noticed:
    series = change.history.series
    return Noticed(
        series.machine_id,
        int(series.region),
        change.history.positions[change.shift.segments.at],
        (change.first + change.last) / 2,
    )


def look_apart(log: Reals) -> list[Noticed]:
    """Return what is noticed in series that share nothing but how they scatter."""
    return [
        Noticed(0, alarm.series, alarm.at, alarm.first)
        for alarm in detect(Histories.of(P, log))
        if alarm.at < log.shape[1] - 1
    ]


def history_of(machine: int, region: int, log: Reals) -> SeriesHistory:
    """Return the history of a region of a machine, (T, n), as the product reads it."""
    is_there = 2 * np.count_nonzero(~np.isnan(log), axis=1) >= log.shape[1]
    return SeriesHistory(
        series=LocatedSeries(
            id=1_000 * machine + region,
            machine_id=machine,
            machine=f"machine {machine}",
            is_exact=False,
            configuration_id=1,
            region=str(region),
            metric="time",
            better="lower",
            unit="s",
            configuration={},
        ),
        region=str(region),
        fingerprint_id=machine,
        parameters=("p",),
        settings=tuple((p,) for p in P.tolist()),
        positions=tuple(np.flatnonzero(is_there).tolist()),
        log=log[is_there],
    )

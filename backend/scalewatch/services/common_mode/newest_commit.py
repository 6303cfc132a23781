"""A commit of a project beside the nights of its machines before it.

The gate compares two commits; here the later of them is compared with as many nights
as there are before it, and what its night does to all regions of a machine is taken
out. What is told by one night alone can only be suspected, unless a second job says it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.modelling.arrays import stacked
from scalewatch.modelling.common_mode.features import LEAST_HISTORY
from scalewatch.modelling.common_mode.newest import (
    NewestNight,
    beside_machine,
    newest_night,
)
from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.services.analysis.pooling import SeriesPool
from scalewatch.services.analysis.pools import pools_by_job
from scalewatch.services.caches.editions import kept_at
from scalewatch.services.caches.lru import Kept
from scalewatch.services.commits.ancestry import age
from scalewatch.services.commits.lineage import Lineage
from scalewatch.services.common_mode.calendar import Calendar, calendar_of
from scalewatch.services.common_mode.kindest_job import kindest
from scalewatch.services.common_mode.project_history import (
    SeriesHistory,
    series_histories,
)
from scalewatch.services.common_mode.shared_moves import (
    alike,
    directions_of,
    nights_of,
    without_nights,
)
from scalewatch.services.common_mode.watched_line import watched_line
from scalewatch.settings import get_settings
from scalewatch.storage.commits.commits import AnyCommit, identified
from scalewatch.storage.judgements import editions

MOST_NIGHTS: Final = 60
"""Nights before a commit that it is compared with."""

CAREFUL: Final = 10.0
"""One region of many may alarm so many times more seldom than its whole machine."""


@dataclass(frozen=True, slots=True)
class MachineMove:
    """What a commit did to all regions of a machine alike, or its night.

    Parameters
    ----------
    regions, nights
        How many regions show it, and with how many nights it was compared.
    factor
        As much as before, on average over regions and settings.
    better
        Whether lower or higher values are.
    """

    machine: str
    metric: str
    regions: int
    nights: int
    factor: float
    better: str

    @property
    def is_worse(self) -> bool:
        """Whether it is for the worse."""
        return (self.factor > 1) == (self.better == "lower")


@dataclass(frozen=True, slots=True)
class SeriesMove:
    """How a series differs from its nights before, by more than nights do.

    Parameters
    ----------
    factor
        As much as before, on average over the settings, with its 90 % interval.
    nights
        With how many it was compared.
    jobs
        How many of the commit say so, each by itself; of jobs in one night one, where
        its effect could not be taken out.
    """

    factor: Bounds
    nights: int
    jobs: int
    is_worse: bool


@dataclass(frozen=True, slots=True)
class NewestNights:
    """What the nights before a commit tell of it.

    Parameters
    ----------
    known
        Ids of series that were measured on nights enough before.
    outstanding
        How those of them differ that do so by more than nights do.
    moves
        Machines all of whose regions do.
    compared
        Machines and metrics of which that could be told.
    """

    known: frozenset[int]
    outstanding: Mapping[int, SeriesMove]
    moves: tuple[MachineMove, ...]
    compared: frozenset[tuple[str, str]]


NOTHING: Final = NewestNights(frozenset(), {}, (), frozenset())

_NIGHTS: Final = Kept[NewestNights](256)


def newest_nights(
    session: Session, commits: tuple[int, int], metrics: Collection[str]
) -> NewestNights:
    """Compare a commit with the nights before it.

    Parameters
    ----------
    commits
        Ids of the baseline and of the commit.
    metrics
        Those that are asked about.
    """
    return _together([_kept(session, commits, metric) for metric in sorted(metrics)])


def _kept(session: Session, commits: tuple[int, int], metric: str) -> NewestNights:
    since = editions.at(session, commits[:1])
    return kept_at(
        session,
        commits[1],
        _NIGHTS,
        (since, metric),
        lambda: _told(session, commits, metric),
    )


def _together(told: Sequence[NewestNights]) -> NewestNights:
    return NewestNights(
        known=frozenset().union(*(each.known for each in told)),
        outstanding={k: move for each in told for k, move in each.outstanding.items()},
        moves=tuple(move for each in told for move in each.moves),
        compared=frozenset().union(*(each.compared for each in told)),
    )


def _told(session: Session, ids: tuple[int, int], metric: str) -> NewestNights:
    rows = identified(session, ids)
    baseline, commit = (rows[each] for each in ids)
    line = _line(session, commit.project_id, (baseline, commit))
    newest = len(line.commits) - 1
    found = [
        history
        for history in series_histories(session, commit.project_id, line, metric=metric)
        if history.positions[-1] == newest and not history.series.is_exact
    ]
    # Of what was measured under two names one history is told.
    distinct = list({each.series.id: each for each in found}.values())
    jobs = pools_by_job(session, commit.id, [each.series.id for each in distinct])
    groups = alike(distinct)
    machines = {group[0].series.machine_id for group in groups}
    calendars = {each: calendar_of(session, line, each) for each in sorted(machines)}
    return _together(
        [
            _of_group(group, jobs, calendars[group[0].series.machine_id])
            for group in groups
        ]
    )


def _line(
    session: Session, project_id: int, commits: tuple[AnyCommit, AnyCommit]
) -> Lineage:
    """Return the nights up to the baseline, and the commit after them."""
    baseline, commit = commits
    watched = watched_line(session, project_id)
    until = age(baseline)
    before = [
        each
        for each in watched.commits
        if each.id not in {baseline.id, commit.id} and age(each) <= until
    ]
    return replace(watched, commits=(*before[-MOST_NIGHTS:], baseline, commit))


def _of_group(
    measured: Sequence[SeriesHistory],
    jobs: Mapping[int, Sequence[SeriesPool]],
    calendar: Calendar,
) -> NewestNights:
    """Return what the nights tell of series that a machine measured alike.

    Of several jobs that measured the commit the one that differs least is believed.
    """
    nights_before = {
        history.series.id: calendar.nights_before(history.positions)
        for history in measured
    }
    measured = [
        each for each in measured if nights_before[each.series.id] >= LEAST_HISTORY
    ]
    if not measured:
        return NOTHING
    by_job = [jobs.get(history.series.id, ()) for history in measured]
    group = [kindest(*each) for each in zip(measured, by_job, strict=True)]
    target = get_settings().alarming_share
    nights = nights_of(group)
    directions = directions_of(group)
    logs = [
        history.log if nights is None else without_nights(history, row, nights, ())
        for row, history in enumerate(group)
    ]
    length = np.array([len(log) for log in logs])
    own = newest_night(stacked(logs), length, directions, target / CAREFUL)
    ids = np.array([history.series.id for history in group])
    moves, compared = [], set()
    if nights is not None:
        effect = nights.mode.effect[np.newaxis]
        whole = newest_night(effect, np.array([effect.shape[1]]), directions, target)
        own = beside_machine(own, whole)
        if whole.is_known[0]:
            compared.add((group[0].series.machine, group[0].series.metric))
        if whole.stands_out[0]:
            most = max(nights_before.values())
            moves.append(_move(group, most, float(whole.size[0])))
    jobs_told = [len(each) for each in by_job]
    most_told = calendar.nights_at(group[0].positions[-1])
    if nights is None and most_told is not None:
        # What this night did to all regions is not taken out: all jobs in it say one.
        jobs_told = [min(each, most_told) for each in jobs_told]
    return NewestNights(
        frozenset(ids[own.is_known].tolist()),
        {
            history.series.id: _series_move(
                history, own, row, (nights_before[history.series.id], jobs_told[row])
            )
            for row, history in enumerate(group)
            if own.is_known[row] and own.stands_out[row]
        },
        tuple(moves),
        frozenset(compared),
    )


def _series_move(
    history: SeriesHistory, night: NewestNight, row: int, counts: tuple[int, int]
) -> SeriesMove:
    nights, jobs = counts
    size, error = float(night.size[row]), float(night.error[row])
    return SeriesMove(
        factor=Bounds.of_logarithm(size, error),
        nights=nights,
        jobs=jobs,
        is_worse=(size > 0) == (history.series.better == "lower"),
    )


def _move(group: Sequence[SeriesHistory], nights: int, size: float) -> MachineMove:
    series = group[0].series
    return MachineMove(
        machine=series.machine,
        metric=series.metric,
        regions=len(group),
        nights=nights,
        factor=float(np.exp(size)),
        better=series.better,
    )

"""A commit beside the earlier nights of each machine that measured it.

The gate compares two commits; here the later of them is compared with as many nights
as there are before it, and the common mode of its own night, which moves all regions of
a machine alike, is taken out. One night alone can only raise a suspicion, unless a
second job confirms it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.modelling.arrays import Reals, stacked
from scalewatch.modelling.common_mode.earlier_commits import UsualFactor, beside_earlier
from scalewatch.modelling.common_mode.features import LEAST_HISTORY
from scalewatch.modelling.common_mode.machine import FAR
from scalewatch.modelling.common_mode.newest import beside_machine, newest_commit
from scalewatch.modelling.common_mode.spreads import filled
from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.modelling.histories.histories import locations, middle
from scalewatch.services.analysis.pools import SeriesPool
from scalewatch.services.commits.lineage import Lineage
from scalewatch.services.common_mode.project_history import (
    SeriesHistory,
    series_histories,
)
from scalewatch.services.common_mode.shared_moves import (
    alike,
    directions_of,
    nights_of,
    speeds_of,
    without_nights,
)
from scalewatch.storage.runs import runs
from scalewatch.storage.runs.runs import Started

APART: Final = timedelta(hours=6)
"""Least time between the last run of a night and the first of the next."""

MOST_NIGHTS: Final = 60
"""Earlier nights that a commit is compared with."""

CAREFUL: Final = 10.0
"""A region of many may alarm this many times more seldom than its whole machine."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """The times at which a machine measured the commits of a line.

    Parameters
    ----------
    started
        By position on the line; of other commits it is not known, and each of them
        counts as a night of its own.
    """

    started: Mapping[int, Started]

    def nights_before(self, positions: Sequence[int]) -> int:
        """Return how many nights came before that of the newest of some positions."""
        *before, newest = positions
        known = [self.started[each] for each in before if each in self.started]
        moments = [moment for started in known for moment in started]
        last = self.started.get(newest)
        is_shared = last is not None and any(
            runs.first <= last.last + APART and last.first <= runs.last + APART
            for runs in known
        )
        return _nights(moments) - is_shared + len(before) - len(known)

    def nights_at(self, position: int) -> int | None:
        """Return in how many nights a commit was measured, at most 2 are told apart."""
        started = self.started.get(position)
        return None if started is None else _nights(started)


@dataclass(frozen=True, slots=True)
class MachineMove:
    """A move of all regions of a machine at a commit: of the commit, or of its night.

    Parameters
    ----------
    regions, nights
        How many regions show it, and with how many nights it was compared.
    factor
        After over before, on average over regions and settings.
    as_far
        Earlier commits that lay as far out, to the same side.
    better
        Whether lower or higher values are.
    """

    machine: str
    metric: str
    regions: int
    nights: int
    factor: float
    as_far: int
    better: str

    @property
    def is_worse(self) -> bool:
        """Whether it is for the worse."""
        return (self.factor > 1) == (self.better == "lower")


@dataclass(frozen=True, slots=True)
class SeriesMove:
    """A series that differs from its nights before by more than nights do.

    Parameters
    ----------
    factor
        After over before, on average over the settings, with its 90 % interval.
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
    """A commit beside the nights before it.

    Parameters
    ----------
    known
        Ids of series that were measured on nights enough before.
    outstanding
        The moves of those that differ by more than nights do, by series.
    moves
        Machines all of whose regions moved.
    compared
        Machines and metrics of which that could be decided.
    usual
        Series by the factor of their level over the median of the commits before.
    begun
        Series whose level moved with a new state of their machine since the baseline:
        the states before and since.
    """

    known: frozenset[int]
    outstanding: Mapping[int, SeriesMove]
    moves: tuple[MachineMove, ...]
    compared: frozenset[tuple[str, str]]
    usual: Mapping[int, UsualFactor]
    begun: Mapping[int, tuple[int, int]] = field(default_factory=dict)


NOTHING: Final = NewestNights(frozenset(), {}, (), frozenset(), {})


def newest_nights(
    histories: Sequence[SeriesHistory],
    jobs: Mapping[int, Sequence[SeriesPool]],
    calendars: Mapping[int, Calendar],
    share: float,
) -> NewestNights:
    """Compare the newest commit of histories with the nights before it.

    Parameters
    ----------
    histories
        As `newest_histories` reads them.
    jobs
        Repetitions of the newest commit by series, job by job.
    calendars
        When each machine measured the commits.
    share
        Share of histories of 200 commits that may alarm although nothing changed.
    """
    groups = alike(histories)
    return _together(
        [
            _of_group(
                group, jobs, calendars[group[0].series.machine_id], share, len(groups)
            )
            for group in groups
        ]
    )


def newest_histories(
    session: Session,
    project_id: int,
    line: Lineage,
    metrics: Collection[str],
    machine: str | None = None,
) -> list[SeriesHistory]:
    """Read the histories of noisy series that the newest commit of a line measured.

    Of one machine, or of all.
    """
    newest = len(line.commits) - 1
    # A series measured under two names has one history: the later one.
    measured = {
        history.series.id: history
        for metric in sorted(metrics)
        for history in series_histories(
            session, project_id, line, metric=metric, machine=machine
        )
        if history.positions[-1] == newest and not history.series.is_exact
    }
    return [*measured.values()]


def calendar_of(session: Session, line: Lineage, machine_id: int) -> Calendar:
    """Return when a machine measured the commits of a line."""
    position_of = {commit.id: position for position, commit in enumerate(line.commits)}
    started = runs.started(session, machine_id, [*position_of])
    return Calendar({position_of[each]: at for each, at in started.items()})


def _of_group(
    measured: Sequence[SeriesHistory],
    jobs: Mapping[int, Sequence[SeriesPool]],
    calendar: Calendar,
    share: float,
    groups: int,
) -> NewestNights:
    """Compare the newest commit of series that a machine measured alike.

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
    group = [_kindest(*each) for each in zip(measured, by_job, strict=True)]
    nights, series = nights_of(group), group[0].series
    directions = directions_of(group)
    logs = [
        history.log if nights is None else without_nights(history, row, nights, ())
        for row, history in enumerate(group)
    ]
    length = np.array([len(log) for log in logs])
    moved = newest_commit(stacked(logs), length, directions, share / CAREFUL)
    beside = beside_earlier(logs, groups)
    moves, compared = [], set()
    if nights is not None:
        effect = nights.mode.effect[np.newaxis]
        whole = newest_commit(effect, np.array([effect.shape[1]]), directions, share)
        moved = beside_machine(moved, whole)
        if whole.is_known[0]:
            compared.add((series.machine, series.metric))
        speeds = speeds_of(nights) if whole.stands_out[0] else None
        is_usual = speeds is not None and abs(float(speeds.left[-1])) < FAR
        if whole.stands_out[0] and not is_usual:
            most = max(nights_before.values())
            level, size = effect[0].mean(axis=1), whole.size[0]
            reached = np.abs(level[-1] - level[:-1]) <= 2 * whole.error[0]
            beyond = np.sign(size) * (level[:-1] - level[-1]) > 0
            moves.append(
                MachineMove(
                    machine=series.machine,
                    metric=series.metric,
                    regions=len(group),
                    nights=most,
                    factor=float(np.exp(size)),
                    as_far=int((reached | beyond).sum()),
                    better=series.better,
                )
            )
    number_of_jobs = [len(each) for each in by_job]
    nights_at = calendar.nights_at(group[0].positions[-1])
    if nights is None and nights_at is not None:
        # The common mode of this night is not taken out: all jobs in it count as one.
        number_of_jobs = [min(each, nights_at) for each in number_of_jobs]
    ids = np.array([history.series.id for history in group])
    return NewestNights(
        frozenset(ids[moved.is_known].tolist()),
        {
            history.series.id: SeriesMove(
                factor=Bounds.of_logarithm(
                    float(moved.size[row]), float(moved.error[row])
                ),
                nights=nights_before[history.series.id],
                jobs=jobs_there,
                is_worse=(moved.size[row] > 0) == (history.series.better == "lower"),
            )
            for row, (history, jobs_there) in enumerate(
                zip(group, number_of_jobs, strict=True)
            )
            if moved.is_known[row] and moved.stands_out[row]
            # A single value may be a spike, which some series have at most commits.
            if not _is_single(by_job[row]) or beside.slower[row] or beside.faster[row]
        },
        tuple(moves),
        frozenset(compared),
        {
            history.series.id: factor
            for row, history in enumerate(group)
            if (factor := beside.factor_of(row)) is not None
        },
    )


def _is_single(jobs: Sequence[SeriesPool]) -> bool:
    """Tell whether one value at one setting is all that a commit has of a series."""
    return len(jobs) == 1 and jobs[0].values.size == 1


def _kindest(history: SeriesHistory, jobs: Sequence[SeriesPool]) -> SeriesHistory:
    """Return a history with the job of its newest commit that differs least from it."""
    if len(jobs) < 2 or any(job.parameters != history.parameters for job in jobs):
        return history
    usual = middle(history.log[:-1])
    located = [_located(history, job) for job in jobs]
    apart = [abs(float(filled(log - usual).mean())) for log in located]
    newest = located[int(np.argmin(apart))]
    return replace(history, log=np.vstack([history.log[:-1], newest]))


def _located(history: SeriesHistory, job: SeriesPool) -> Reals:
    """Return the locations of a job at the settings of a history, NaN where missing."""
    settings = map(tuple, job.settings.tolist())
    at = dict(zip(settings, locations(job.values).tolist(), strict=True))
    return np.array([at.get(setting, np.nan) for setting in history.settings])


def _together(parts: Sequence[NewestNights]) -> NewestNights:
    return NewestNights(
        known=frozenset().union(*(each.known for each in parts)),
        outstanding={k: move for each in parts for k, move in each.outstanding.items()},
        moves=tuple(move for each in parts for move in each.moves),
        compared=frozenset().union(*(each.compared for each in parts)),
        usual={key: of for each in parts for key, of in each.usual.items()},
    )


def _nights(moments: Sequence[datetime]) -> int:
    """Return into how many nights moments fall."""
    if not moments:
        return 0
    steps = pairwise(sorted(moments))
    return 1 + sum(later - earlier > APART for earlier, later in steps)

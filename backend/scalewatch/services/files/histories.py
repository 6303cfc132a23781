"""Histories that files hold: a version beside the commits before it.

Of series with one setting no growth tells anything, and one value may be a spike. The
commits before it, the common mode of the machine taken out, tell how far it scatters.
A value beyond them is a suspicion; a second run of the commit or the commit after it
bears it out, or shows that it has passed.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from scalewatch.importers import ImportedSeries
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.common_mode import LEAST_REGIONS, machine_mode
from scalewatch.modelling.common_mode.earlier_commits import (
    LASTING,
    EarlierCommits,
    UsualFactor,
    beside_earlier,
)
from scalewatch.modelling.histories.changes import exact
from scalewatch.services.analysis.versions import in_units_of, series_key

Key = tuple[str, str, tuple[str, ...], str]
Version = Sequence[ImportedSeries]


@dataclass(frozen=True, slots=True)
class FileHistory:
    """The commits around a version.

    Parameters
    ----------
    before
        Up to the baseline, oldest first.
    runs
        The version itself, run by run.
    later
        Those after it, oldest first.
    """

    before: Sequence[Version]
    runs: Sequence[Version]
    later: Sequence[Version] = ()


@dataclass(frozen=True, slots=True)
class WorseValue:
    """A value that is worse than those of the commits before.

    Parameters
    ----------
    factor
        Over the median of the commits before it.
    borne_out
        The measurement that bears it out, in words; None where nothing does.
    """

    factor: UsualFactor
    borne_out: str | None


@dataclass(frozen=True, slots=True)
class SeriesBeside:
    """A series beside the commits before.

    Parameters
    ----------
    usual
        Its factor; None where too few commits came before.
    worse
        It is worse than they are; None where it is not.
    runs
        How many runs of the version measured it.
    """

    usual: UsualFactor | None
    worse: WorseValue | None
    runs: int


@dataclass(frozen=True, slots=True)
class MachineBeside:
    """A machine all of whose series are worse than they were at the commits before.

    Parameters
    ----------
    machine
        Its name; None where files do not tell it or all are of one.
    series
        How many show it.
    """

    machine: str | None
    metric: str
    series: int
    factor: UsualFactor


@dataclass(frozen=True, slots=True)
class HistoryBeside:
    """A version beside the commits before it."""

    series: Mapping[Key, SeriesBeside] = field(default_factory=dict)
    machines: Sequence[MachineBeside] = ()


def beside_history(
    history: FileHistory, is_cost: Callable[[ImportedSeries], bool]
) -> HistoryBeside:
    """Compare each noisy series with one setting with the commits before it.

    Parameters
    ----------
    is_cost
        Tells whether less of a series is better.
    """
    now = {series_key(each): each for run in history.runs for each in run}
    units = [*now.values()]
    commits = [
        [_levels(in_units_of(version, units)) for version in versions]
        for versions in (history.before, history.runs, history.later)
    ]
    groups: dict[tuple[str, Any, bool], list[Key]] = defaultdict(list)
    for key, series in now.items():
        if len(series.settings) == 1 and not series.is_exact:
            machine = series.configuration.get("machine")
            groups[series.metric, machine, is_cost(series)].append(key)
    beside: dict[Key, SeriesBeside] = {}
    machines = []
    for (metric, machine, costs), keys in groups.items():
        before, runs, later = (
            _stacked(keys, versions) * (1 if costs else -1) for versions in commits
        )
        group = _Group.of(before, runs, later)
        beside |= {
            keys[row]: _as_measured(each, costs)
            for row, each in group.series(len(groups))
        }
        if factor := group.machine():
            factor = factor if costs else factor.inverse
            machines.append(MachineBeside(machine, metric, len(group.rows), factor))
    return HistoryBeside(beside, tuple(machines))


def _as_measured(beside: SeriesBeside, is_cost: bool) -> SeriesBeside:  # noqa: FBT001
    """Return the factors of values, not of their reciprocals."""
    if is_cost:
        return beside
    usual, worse = beside.usual, beside.worse
    return replace(
        beside,
        usual=usual and usual.inverse,
        worse=worse and replace(worse, factor=worse.factor.inverse),
    )


def _levels(version: Version) -> Mapping[Key, float]:
    """Return the logarithm of the median of each series with one setting."""
    levels = {}
    for series in version:
        values = series.values[~np.isnan(series.values)].tolist()
        if len(series.settings) == 1 and values and (middle := median(values)) > 0:
            levels[series_key(series)] = math.log(middle)
    return levels


def _stacked(keys: Sequence[Key], versions: Sequence[Mapping[Key, float]]) -> Reals:
    """Return levels by series and version, shape (S, versions); NaN where missing."""
    rows = [[version.get(key, np.nan) for version in versions] for key in keys]
    return np.array(rows, float).reshape(len(keys), len(versions))


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """The noisy series of a machine and metric that the version measured.

    Parameters
    ----------
    rows
        Their rows among all, S of them.
    log
        Levels by commit, the common mode taken out; more is worse, shape (S, T).
    at
        Column of the version.
    effect
        The common mode, shape (T,); None of too few series.
    runs
        How many runs measured each, shape (S,).
    """

    rows: NDArray[np.intp]
    log: Reals
    at: int
    effect: Reals | None
    runs: NDArray[np.intp]

    @classmethod
    def of(cls, before: Reals, runs: Reals, later: Reals) -> Self:
        """Take the common mode out of levels, each of shape (S, versions)."""
        at = before.shape[1]
        log = np.hstack([before, _kindest(before, runs), later])
        is_noisy = ~exact(log[..., np.newaxis])
        rows = np.flatnonzero(is_noisy & ~np.isnan(log[:, at]))
        log, effect = log[rows], None
        if len(rows) >= LEAST_REGIONS:
            log = log[..., np.newaxis]
            moves = machine_mode(log, np.arange(log.shape[1]), np.ones((1, 1)))
            effect = moves.mode.effect[:, 0]
            log = moves.taken_out_of_all(log)[..., 0]
        measured = np.count_nonzero(~np.isnan(runs[rows]), axis=1)
        return cls(rows, log, at, effect, measured)

    def series(self, groups: int) -> Iterator[tuple[int, SeriesBeside]]:
        """Yield each series with its row, of a group of so many."""
        if not len(self.rows):
            return
        known = [
            row[~np.isnan(row)][:, np.newaxis] for row in self.log[:, : self.at + 1]
        ]
        beside = beside_earlier(known, groups)
        for at, row in enumerate(self.rows.tolist()):
            worse = self._worse(at, beside)
            yield row, SeriesBeside(beside.factor_of(at), worse, int(self.runs[at]))

    def machine(self) -> UsualFactor | None:
        """Return the factor of the common mode if it is worse than those before."""
        if self.effect is None:
            return None
        beside = beside_earlier([self.effect[: self.at + 1, np.newaxis]])
        return beside.factor_of(0) if beside.slower[0] else None

    def _worse(self, row: int, beside: EarlierCommits) -> WorseValue | None:
        """Return that a series is worse since this commit."""
        factor, size, level = beside.factor_of(row), beside.size[row], self.log[row]
        if factor is None or not beside.slower[row]:
            return None
        since_last = level[self.at] - level[self.at - 1]
        if since_last <= (1 - LASTING) * size:
            return None  # it was so before
        later = level[self.at + 1 :]
        later = later[~np.isnan(later)]
        if later.size:
            lasts = later[0] - (level[self.at] - size) > LASTING * size
            return WorseValue(factor, "the commit after it") if lasts else None
        return WorseValue(factor, "a second run" if self.runs[row] > 1 else None)


def _kindest(before: Reals, runs: Reals) -> Reals:
    """Return of several runs the one that differs least from before, shape (S, 1)."""
    usual = np.full(len(runs), np.nan)
    known = ~np.isnan(before).all(axis=1)
    usual[known] = np.nanmedian(before[known], axis=1)
    apart = np.abs(runs - usual[:, np.newaxis])
    best = np.where(np.isnan(apart), np.inf, apart).argmin(axis=1)
    alone = np.take_along_axis(runs, best[:, np.newaxis], axis=1)
    first = np.where(np.isnan(runs), -np.inf, runs).max(axis=1, keepdims=True)
    first = np.where(np.isfinite(first), first, np.nan)
    return np.asarray(np.where(np.isnan(alone), first, alone))

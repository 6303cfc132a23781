"""Traced scans: metrics of a program from traces at several process counts."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.errors import ModellingError
from scalewatch.modelling import Model
from scalewatch.modelling.arrays import Reals
from scalewatch.services.selection.view import key_of
from scalewatch.services.series.judged import Judged
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.services.series.standing import Standing
from scalewatch.storage import tables
from scalewatch.storage.runs import points, samples, traces
from scalewatch.storage.runs.points import StoredMeasurement
from scalewatch.storage.runs.traces import PROGRAM, TRACED


class Repeat(StrEnum):
    """The trace that is taken of several at one number of processes."""

    BEST = "best"  # the one with the least time in MPI, as a whole
    MEDIAN = "median"


@dataclass(frozen=True, slots=True)
class TracesQuestion:
    """The traces that are asked for.

    Parameters
    ----------
    location
        Region whose table and figure are shown; the one that costs most unless given.
    target
        Number of processes for which locations are ranked; four times the largest
        one traced unless given.
    vs
        The other side: `commit=v1`, `machine=jureca` or
        `configuration=threads=4`.
    """

    location: str | None = None
    target: float | None = None
    repeat: Repeat = Repeat.BEST
    vs: str | None = None


SCALE: Final = "p"
SIZE: Final = "n"
WORK: Final = "n/p"
"""Work per process, which a weak scaling study holds fixed instead of the size."""

WAITS: Final = ("wait_late_sender", "wait_late_receiver", "wait_collective")
COUNTS: Final = ("calls", "messages", "bytes")
PROGRAM_TIMES: Final = ("runtime", "useful_mean", "useful_max", "ideal_runtime")
PATH: Final = ("path_mpi_time", "path_computing")
"""Metrics of the critical path: calls, and computation before them."""

METRICS: Final = frozenset({*TRACED, *WAITS, *COUNTS, *PROGRAM_TIMES, *PATH})

Key = tuple[str, str]
"""Region and metric."""


@dataclass(frozen=True, slots=True)
class TracedSeries:
    """The series of one machine and configuration, by region and metric."""

    machine: str
    slot: int
    configuration: Mapping[str, Any]
    series: Mapping[Key, Judged]


@dataclass(frozen=True, slots=True, eq=False)
class TracedScan:
    """The traces of a program over the number of processes, all else held fixed.

    Parameters
    ----------
    held
        Settings of the other parameters.
    processes
        In ascending order, shape (n,).
    values
        By region and metric, shape (n,); NaN where a trace has none.
    standings
        Model and growth of each series.
    traces
        How many there are, repeats included.
    environments
        Those of the jobs of the runs, by their processes.
    """

    machine: str
    slot: int
    configuration: Mapping[str, Any]
    held: Mapping[str, float]
    processes: Reals
    values: Mapping[Key, Reals]
    standings: Mapping[Key, Standing]
    traces: int
    environments: tuple[Mapping[str, Any], ...]

    def of(self, region: str, metric: str) -> Reals:
        """Return a metric of a region, NaN where it is unknown."""
        known = self.values.get((region, metric))
        return np.full(self.processes.shape, np.nan) if known is None else known

    @property
    def locations(self) -> tuple[str, ...]:
        """The places that call MPI."""
        named = dict.fromkeys(
            region for region, metric in self.values if metric in TRACED
        )
        return tuple(region for region in named if region != PROGRAM)

    def predicted(self, model: Model, processes: float) -> float | None:
        """Return the value of a model at a number of processes, None where unknown."""
        at = {**self.held, SCALE: processes}
        if (work := at.pop(WORK, None)) is not None:
            at[SIZE] = work * processes
        try:
            value = float(model(at))
        except ModellingError:
            return None
        return max(value, 0.0) if np.isfinite(value) else None

    @property
    def program_times(self) -> Mapping[str, Reals]:
        """Times of the program by metric."""
        return {
            metric: values
            for (region, metric), values in self.values.items()
            if region == PROGRAM
        }


def traced_series(
    session: Session, project: tables.Project, commit_id: int
) -> tuple[TracedSeries, ...]:
    """Return the traced series of a commit, by machine and configuration."""
    grouped: dict[tuple[Any, ...], list[Judged]] = defaultdict(list)
    for series in CommitSnapshot(session, project.id, commit_id).judged(METRICS):
        names = sorted(series.configuration)
        settings = tuple(zip(names, key_of(series.configuration, names), strict=True))
        grouped[series.slot, settings].append(series)
    return tuple(
        TracedSeries(
            members[0].machine,
            members[0].slot,
            members[0].configuration,
            {(each.region, each.metric): each for each in members},
        )
        for _, members in sorted(grouped.items(), key=lambda group: group[0][0])
        if any(e.region == PROGRAM and e.metric in TRACED for e in members)
    )


def traced_scan(
    session: Session, commit_id: int, traced: TracedSeries, repeat: Repeat
) -> TracedScan:
    """Return the traces of a machine and configuration where most were taken over p."""
    key_of_series = {each.series_id: key for key, each in traced.series.items()}
    taken = points.of_series(session, commit_id, list(key_of_series))
    held, runs = _most(taken)
    kept = samples.of_runs(session, {run for at in runs.values() for run in at})
    traced_runs: dict[int, dict[Key, Reals]] = defaultdict(dict)
    for point in taken:
        if point.count and point.run_id in kept:
            repetitions = kept[point.run_id][point.start : point.start + point.count]
            traced_runs[point.run_id][key_of_series[point.series_id]] = repetitions
    columns = {
        p: _column([traced_runs[run] for run in at], repeat) for p, at in runs.items()
    }
    processes = np.array(sorted(columns), dtype=np.float64)
    keys = dict.fromkeys(key for column in columns.values() for key in column)
    environments = traces.environments_of(session, kept)
    return TracedScan(
        machine=traced.machine,
        slot=traced.slot,
        configuration=traced.configuration,
        held=held,
        processes=processes,
        values={
            key: np.array([columns[p].get(key, np.nan) for p in processes])
            for key in keys
        },
        standings={key: traced.series[key].standing for key in keys},
        traces=sum(
            len(_repeats(traced_runs[run])) for at in runs.values() for run in at
        ),
        environments=tuple(
            environments[run]
            for _, at in sorted(runs.items())
            for run in at
            if run in environments
        ),
    )


def _most(
    taken: Sequence[StoredMeasurement],
) -> tuple[dict[str, float], dict[float, list[int]]]:
    """Return the settings at which most numbers of processes were traced, and the runs.

    Runs whose problem grows with the processes hold the work per process fixed.
    """
    coordinates = {point.run_id: point.coordinate for point in taken}
    groups: dict[tuple[tuple[str, float], ...], dict[float, list[int]]] = {}
    for run, coordinate in sorted(coordinates.items()):
        if SCALE not in coordinate:
            continue
        scale = float(coordinate[SCALE])
        rest = {each: float(at) for each, at in coordinate.items() if each != SCALE}
        ways = [rest]
        if SIZE in rest:
            others = {name: value for name, value in rest.items() if name != SIZE}
            ways.append(others | {WORK: rest[SIZE] / scale})
        for held in ways:
            runs_at = groups.setdefault(tuple(sorted(held.items())), {})
            runs_at.setdefault(scale, []).append(run)
    if not groups:
        return {}, {}
    # Among equals, a fixed size comes before fixed work, and a large one first.
    most = max(
        groups,
        key=lambda held: (len(groups[held]), WORK not in dict(held), held),
    )
    return dict(most), groups[most]


def _column(runs: Sequence[Mapping[Key, Reals]], repeat: Repeat) -> dict[Key, float]:
    """Return the values at one number of processes: of one trace, or medians."""
    repeats = [trace for run in runs for trace in _repeats(run)]
    if not repeats:
        return {}
    if repeat is Repeat.BEST:
        return min(repeats, key=_cost)
    keys = dict.fromkeys(key for trace in repeats for key in trace)
    return {
        key: float(np.median([trace[key] for trace in repeats if key in trace]))
        for key in keys
    }


def _repeats(run: Mapping[Key, Reals]) -> list[dict[Key, float]]:
    """Return the traces that a run holds: one for each repetition."""
    number = max((values.size for values in run.values()), default=0)
    return [
        {key: float(values[min(at, values.size - 1)]) for key, values in run.items()}
        for at in range(number)
    ]


def _cost(trace: Mapping[Key, float]) -> float:
    """Return the time in MPI of a trace, or the metric that stands for it."""
    known = ((PROGRAM, metric) for metric in (*TRACED, "runtime"))
    return next((trace[key] for key in known if key in trace), 0.0)

"""Traced scans: a program from traces at several process counts, and its locations.

Metrics of the program, and of source locations what they cost and how that grows.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.errors import ModellingError
from scalewatch.modelling import Extrapolation, Growth, Model, extrapolations
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.traces import Bend, bend_of, is_usable
from scalewatch.services.selection.view import key_of
from scalewatch.services.series.judged import Judged
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.services.series.standing import Standing
from scalewatch.storage import tables
from scalewatch.storage.runs import points, samples, traces
from scalewatch.storage.runs.points import StoredMeasurement
from scalewatch.storage.runs.source_locations import SourceLocation
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


LINEAR: Final = Growth.of(SCALE, 1).factor(SCALE).order
"""A sum over processes may grow like p: each of them takes what it took."""

LIKELY: Final = 0.5


@dataclass(frozen=True, slots=True)
class TimeOverProcesses:
    """A time over the number of processes, and its extrapolation.

    Parameters
    ----------
    values
        At each number of processes, over all of them; None where unknown.
    extrapolations
        The publication's table, a row for each S = 4 … N.
    reason
        Why it has none, in words.
    is_usable
        Whether it may be extrapolated; None where too few were tried.
    growth, probability
        The growth class of its model, and how probable that is, where known.
    beyond_linear
        How probable it is that it grows faster than p, where known.
    at_target
        By the model; by the quadratic where there is none and that may be used.
    """

    values: tuple[float | None, ...]
    extrapolations: tuple[Extrapolation, ...]
    reason: str | None
    bend: Bend
    is_usable: bool | None
    growth: Growth | None
    probability: float | None
    beyond_linear: float | None
    at_target: float | None

    @property
    def largest(self) -> float | None:
        """The value at the largest number of processes."""
        return self.values[-1] if self.values else None

    @property
    def is_faster(self) -> bool:
        """Whether it grows faster than p, by its quadratic or by its growth class."""
        return self.bend is Bend.FASTER or (self.beyond_linear or 0.0) >= LIKELY


@dataclass(frozen=True, slots=True)
class TracedLocation:
    """A place that calls MPI.

    Parameters
    ----------
    source
        Its file and line at this commit, where known.
    share
        Of the sum over all locations, at the largest number of processes.
    calls, messages, bytes
        Of one process, at the largest number of processes.
    waits
        Each kind over the number of processes, over all of them.
    wait
        The kind that takes longest at the largest number of processes.
    path
        Of the run time there, what its calls and the computation before them take on
        the critical path.
    """

    region: str
    source: SourceLocation | None
    time: TimeOverProcesses
    share: float | None
    calls: float | None
    messages: float | None
    bytes: float | None
    waits: dict[str, tuple[float | None, ...]]
    wait: str | None
    path: float | None = None


@dataclass(frozen=True, slots=True)
class ReportedMetric:
    """The subject of a report on locations: a metric, a target, the total there."""

    name: str
    target: float
    total: float


def time_of(
    scan: TracedScan, values: Reals, standing: Standing | None, target: float
) -> TimeOverProcesses:
    """Return a time with its growth and extrapolation, given its values."""
    is_known = np.isfinite(values)
    rows: tuple[Extrapolation, ...] = ()
    reason = None
    try:
        rows = extrapolations(scan.processes[is_known], values[is_known])
    except ModellingError as why:
        reason = str(why)
    finite = values[is_known]
    bend = bend_of(rows, float(finite[-1])) if finite.size else Bend.UNKNOWN
    time = TimeOverProcesses(
        values=known(values),
        extrapolations=rows,
        reason=reason,
        bend=bend,
        is_usable=is_usable(rows),
        growth=None,
        probability=None,
        beyond_linear=None,
        at_target=max(float(rows[-1](target)), 0.0) if is_usable(rows) else None,
    )
    if standing is None or standing.model is None:
        return time
    growth, shares = standing.growth, standing.class_probability
    explaining = standing.explaining
    return replace(
        time,
        growth=growth,
        probability=None if growth is None else shares.get(growth),
        beyond_linear=_beyond_linear(standing),
        at_target=scan.predicted(explaining, target) if explaining else None,
    )


def location_of(
    scan: TracedScan,
    region: str,
    metric: ReportedMetric,
    source: SourceLocation | None,
) -> TracedLocation:
    """Return a location with its time, counts and waits."""
    key = region, metric.name
    time = time_of(scan, scan.of(*key), scan.standings.get(key), metric.target)
    calls, messages, size = (
        known(scan.of(region, name) / scan.processes)[-1] for name in COUNTS
    )
    waits = {
        kind: known(scan.of(region, kind))
        for kind in WAITS
        if (region, kind) in scan.values
    }
    runtime = float(scan.of(PROGRAM, "runtime")[-1])
    on_path = sum(float(scan.of(region, name)[-1]) for name in PATH)
    longest = max(waits, key=lambda kind: waits[kind][-1] or 0.0, default=None)
    return TracedLocation(
        region=region,
        source=source,
        time=time,
        share=time.largest / metric.total
        if time.largest is not None and metric.total > 0
        else None,
        calls=calls,
        messages=messages,
        bytes=size,
        waits=waits,
        wait=longest if longest and waits[longest][-1] else None,
        path=on_path / runtime if runtime > 0 and np.isfinite(on_path) else None,
    )


def known(values: Reals) -> tuple[float | None, ...]:
    """Return values with None for unknown ones."""
    return tuple(float(value) if np.isfinite(value) else None for value in values)


def _beyond_linear(standing: Standing) -> float | None:
    """Return the probability of growths faster than p; for counts, it is sure."""
    shares = standing.class_probability
    if not shares:
        growth = standing.growth
        return None if growth is None else float(growth.factor(SCALE).order > LINEAR)
    return sum(
        share for growth, share in shares.items() if growth.factor(SCALE).order > LINEAR
    )

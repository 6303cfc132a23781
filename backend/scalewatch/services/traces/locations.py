"""Source locations of a traced program: their costs, and how these grow."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from scalewatch.errors import ModellingError
from scalewatch.modelling import Extrapolation, Growth, extrapolations
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.traces.linearity import Bend, bend_of, is_usable
from scalewatch.services.series.standing import Standing
from scalewatch.services.traces.scans import COUNTS, PATH, SCALE, WAITS, TracedScan
from scalewatch.storage.runs.source_locations import SourceLocation
from scalewatch.storage.runs.traces import PROGRAM

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

"""A traced program: its times, efficiencies, locations and the report on them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from scalewatch.modelling import Model
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.assumptions import ASSUMED as OF_ROOMS
from scalewatch.modelling.traces import (
    THRESHOLDS,
    Conclusion,
    Efficiency,
    TracedProgram,
    conclusions,
    falls_below,
    losses,
    quotients,
)
from scalewatch.services.analysis.questions import SeriesQuestion, find_all
from scalewatch.services.traces.scans import (
    SCALE,
    WAITS,
    ReportedMetric,
    TimeOverProcesses,
    TracedLocation,
    TracedScan,
    known,
    location_of,
    time_of,
)
from scalewatch.storage.runs.source_locations import SourceLocation
from scalewatch.storage.runs.traces import PROGRAM

CALIBRATION: Final = "calibration"
NOT_CALIBRATED: Final = "not_calibrated"
EXTRAPOLATED: Final = "extrapolated"
NONE: Final = "none"
CRITICAL_PATH: Final = "critical_path"
MOST_ON_PATH: Final = 3


@dataclass(frozen=True, slots=True)
class EfficiencyRow:
    """One efficiency over the number of processes.

    Parameters
    ----------
    values
        At each number of processes, None where unknown.
    at_target
        By the models of the times that it keeps and loses.
    below_from
        The number of processes from which it is below the threshold; None if never.
    is_forecast
        Whether the models say so, rather than the traces.
    """

    efficiency: Efficiency
    values: tuple[float | None, ...]
    at_target: float | None
    below_from: float | None
    is_forecast: bool


@dataclass(frozen=True, slots=True)
class CalibrationUsed:
    """The calibration that the best times of calls are taken from.

    Parameters
    ----------
    name
        By the configuration; None where overhead is all time in MPI.
    functions
        Those without a best time, all of whose time is overhead.
    extrapolated
        Those called beyond the calibrated table, and by which growth in p.
    share, time_share
        Of all calls, and of all time in MPI, at the largest number of processes: those
        of these functions.
    facts
        Further facts of it, by the jobs.
    """

    name: str | None
    functions: tuple[str, ...]
    extrapolated: tuple[str, ...]
    share: float | None
    time_share: float | None
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PathShown:
    """The critical path at the largest number of processes.

    `computing` is the share of the run time that it computes, `processes` the ones that
    do by the job's word, `locations` those that most of it lies at, first.
    """

    computing: float
    processes: str | None
    locations: tuple[TracedLocation, ...]


@dataclass(frozen=True, slots=True)
class Traced:
    """The traces of a program on a machine, over the number of processes.

    Parameters
    ----------
    metric
        The one that is reported on; `total` is that of the whole program.
    runtime, computing
        Of all processes together; without the time in MPI.
    waits
        Each kind over all locations and processes.
    locations
        Those that cost most at the target first.
    remarks
        Doubts of jobs about their traces.
    """

    machine: str
    slot: int
    configuration: Mapping[str, Any]
    held: Mapping[str, float]
    metric: str
    processes: tuple[float, ...]
    traces: int
    target: float
    total: TimeOverProcesses
    runtime: tuple[float | None, ...]
    computing: tuple[float | None, ...]
    waits: Mapping[str, tuple[float | None, ...]]
    efficiencies: tuple[EfficiencyRow, ...]
    locations: tuple[TracedLocation, ...]
    conclusions: tuple[Conclusion, ...]
    calibration: CalibrationUsed
    remarks: tuple[str, ...]
    path: "PathShown | None" = None

    @property
    def faster(self) -> tuple[TracedLocation, ...]:
        """The locations that matter and whose time grows faster than p."""
        forecasts = [each.time.at_target or 0.0 for each in self.locations]
        least = THRESHOLDS.mattering * sum(forecasts)
        return tuple(
            each
            for each, at_target in zip(self.locations, forecasts, strict=True)
            if each.time.is_faster
            and (at_target > least or (each.share or 0.0) > THRESHOLDS.mattering)
        )

    def location(self, region: str) -> TracedLocation | None:
        """Return the location of a name, if there is one."""
        return next((each for each in self.locations if each.region == region), None)


def traced_program(
    scan: TracedScan,
    metric: str,
    target: float,
    sources: Mapping[str, SourceLocation],
) -> Traced:
    """Return the report on the traces of a scan, which has at least one."""
    values = _total(scan, metric)
    total = time_of(scan, values, scan.standings.get((PROGRAM, metric)), target)
    reported = ReportedMetric(metric, target, total=float(_sum(scan, metric)[-1]))
    locations = [
        location_of(scan, region, reported, sources.get(region))
        for region in scan.locations
    ]
    ranked = tuple(sorted(locations, key=_cost, reverse=True))
    times = scan.program_times
    unknown = np.full(scan.processes.shape, np.nan)
    named = (
        remark
        for environment in scan.environments
        for remark in str(environment.get("remarks") or "").split("; ")
    )
    return Traced(
        machine=scan.machine,
        slot=scan.slot,
        configuration=scan.configuration,
        held=scan.held,
        metric=metric,
        processes=tuple(scan.processes.tolist()),
        traces=scan.traces,
        target=target,
        total=total,
        runtime=known(scan.processes * times.get("runtime", unknown)),
        computing=known(scan.processes * times.get("useful_mean", unknown)),
        waits={
            kind: known(_sum(scan, kind))
            for kind in WAITS
            if any(name == kind for _, name in scan.values)
        },
        efficiencies=efficiency_rows(scan, target),
        locations=ranked,
        conclusions=conclusions(_reported(scan, values, total, ranked)),
        calibration=_calibration(scan),
        remarks=tuple(dict.fromkeys(remark for remark in named if remark)),
        path=_path(scan, ranked),
    )


def efficiency_rows(scan: TracedScan, target: float) -> tuple[EfficiencyRow, ...]:
    """Return the efficiencies that are known."""
    times = scan.program_times
    return tuple(
        _row(scan, efficiency, values, lost, target)
        for efficiency in Efficiency
        if (values := quotients(efficiency, times)) is not None
        if (lost := losses(efficiency, times)) is not None
    )


def _row(
    scan: TracedScan, efficiency: Efficiency, values: Reals, lost: Reals, target: float
) -> EfficiencyRow:
    """Return an efficiency, by models of the times that it keeps and loses."""
    keeping = _model(scan, scan.program_times[efficiency.times[0]])
    losing = _model(scan, lost)
    known = np.flatnonzero(np.isfinite(values))
    is_forecast = bool(values[known[-1]] >= OF_ROOMS.least_efficiency)
    below_from = at_target = None
    if not is_forecast:
        above = known[values[known] >= OF_ROOMS.least_efficiency]
        below = known[known > above[-1]] if above.size else known
        below_from = float(scan.processes[below[0]])
    if keeping is not None and losing is not None:
        if is_forecast:
            largest = float(scan.processes[-1])
            below_from = falls_below(keeping, losing, start=largest)
        kept, missed = (max(float(m(p=target)), 0.0) for m in (keeping, losing))
        at_target = kept / (kept + missed) if kept + missed > 0 else None
    return EfficiencyRow(
        efficiency,
        tuple(float(v) if np.isfinite(v) else None for v in values),
        at_target,
        below_from,
        is_forecast and below_from is not None,
    )


def _model(scan: TracedScan, values: Reals) -> Model | None:
    """Return the model of a time over p; nothing is lost where it is always 0."""
    if not np.nan_to_num(values).any():
        return Model(0.0)
    is_known = np.isfinite(values) & (values > 0)
    question = SeriesQuestion(
        (SCALE,), scan.processes[is_known, np.newaxis], values[is_known, np.newaxis]
    )
    (finding,) = find_all([question], {})
    return finding.model


def _path(scan: TracedScan, locations: tuple[TracedLocation, ...]) -> PathShown | None:
    computing = float(_sum(scan, "path_computing")[-1])
    runtime = float(scan.of(PROGRAM, "runtime")[-1])
    if not (runtime > 0 and np.isfinite(computing)):
        return None
    on_path = [each for each in locations if each.path]
    longest = sorted(on_path, key=lambda place: place.path or 0.0, reverse=True)
    environment = scan.environments[-1] if scan.environments else {}
    processes = environment.get(CRITICAL_PATH)
    return PathShown(
        computing=computing / runtime,
        processes=None if processes is None else str(processes),
        locations=tuple(longest[:MOST_ON_PATH]),
    )


def _cost(location: TracedLocation) -> tuple[bool, float, float]:
    at_target = location.time.at_target
    return at_target is not None, at_target or 0.0, location.time.largest or 0.0


def _total(scan: TracedScan, metric: str) -> Reals:
    """Return a metric of the program; of a wait, the sum over its locations."""
    values = scan.of(PROGRAM, metric)
    return values if np.isfinite(values).any() else _sum(scan, metric)


def _sum(scan: TracedScan, metric: str) -> Reals:
    """Return the sum over all locations, NaN where none is known."""
    parts = [scan.of(region, metric) for region in scan.locations]
    if not parts:
        return scan.of(PROGRAM, metric)
    together = np.array(parts)
    is_known = np.isfinite(together).any(axis=0)
    return np.where(is_known, np.nansum(together, axis=0), np.nan)


def _reported(
    scan: TracedScan,
    values: Reals,
    total: TimeOverProcesses,
    locations: tuple[TracedLocation, ...],
) -> TracedProgram:
    return TracedProgram(
        processes=scan.processes,
        time=values,
        rows=total.extrapolations,
        location_rows={each.region: each.time.extrapolations for each in locations},
        mpi_time=_total(scan, "mpi_time"),
        overhead=_total(scan, "overhead"),
        late_sender=_sum(scan, "wait_late_sender"),
        late_receiver=_sum(scan, "wait_late_receiver"),
        collective=_sum(scan, "wait_collective"),
        messages=_sum(scan, "messages"),
        bytes=_sum(scan, "bytes"),
        load_balance=quotients(Efficiency.LOAD_BALANCE, scan.program_times),
        is_calibrated=scan.configuration.get(CALIBRATION, NONE) != NONE,
    )


def _calibration(scan: TracedScan) -> CalibrationUsed:
    name = scan.configuration.get(CALIBRATION, NONE)
    named = _listed(scan, NOT_CALIBRATED)
    return CalibrationUsed(
        name=None if name == NONE else str(name),
        functions=tuple(sorted(named)),
        extrapolated=tuple(sorted(_listed(scan, EXTRAPOLATED))),
        share=_share_of(scan, named, "calls"),
        time_share=_share_of(scan, named, "mpi_time"),
        facts={
            fact: value
            for environment in scan.environments
            for fact, value in environment.items()
            if fact.startswith(CALIBRATION)
        },
    )


def _listed(scan: TracedScan, fact: str) -> set[str]:
    """Return the names that jobs list under a fact."""
    return {
        name
        for environment in scan.environments
        for name in str(environment.get(fact) or "").split(", ")
        if name
    }


def _share_of(scan: TracedScan, functions: set[str], metric: str) -> float | None:
    """Return the share of functions in a metric at the largest number of processes."""
    values = {
        region: float(np.nan_to_num(scan.of(region, metric)[-1]))
        for region in scan.locations
    }
    together = sum(values.values())
    part = sum(
        value for region, value in values.items() if function_of(region) in functions
    )
    return part / together if together else None


def function_of(region: str) -> str:
    """Return the function of MPI of a location: MPI_Recv of `halo › MPI_Recv 2`."""
    return region.rpartition(" › ")[2].partition(" ")[0]

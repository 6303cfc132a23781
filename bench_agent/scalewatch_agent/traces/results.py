"""Results of a trace, those of the program and of its locations, and the run of it."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Final
from uuid import NAMESPACE_URL, uuid5

import numpy as np

from scalewatch import wire
from scalewatch_agent.counts.regions import MODULE, written_names
from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces import reduction, trace

PROGRAM: Final = "program"
UNCALIBRATED: Final = "not_calibrated"
EXTRAPOLATED: Final = "extrapolated"
"""The fact of a run's job that names functions without a best time."""

CRITICAL_PATH: Final = "critical_path"
"""The fact of a run's job that names the processes whose computation decides."""

SECONDS: Final = (
    "mpi_time",
    "overhead",
    "wait_late_sender",
    "wait_late_receiver",
    "wait_collective",
    "path_mpi_time",
    "path_computing",
)
COUNTS: Final[Mapping[str, str]] = {"calls": "1", "messages": "1", "bytes": "B"}
LONGEST: Final = 180
_UNADDRESSABLE: Final = re.compile(r"[\x00-\x1f\x7f/?#]")


Names = Mapping[tuple[str, trace.Site], str]
"""Regions by function of MPI and place."""


def results_of(reduced: reduction.Reduced, names: Names) -> list[wire.Result]:
    """Return the results of a trace, those of the whole program first."""
    program = {
        "runtime": reduced.runtime,
        "useful_mean": float(reduced.useful.mean()),
        "useful_max": float(reduced.useful.max()) if reduced.has_each else None,
        "ideal_runtime": reduced.ideal_runtime,
        "mpi_time": reduced.mpi_time,
        "overhead": reduced.overhead,
    }
    results = [
        wire.Result(
            region=PROGRAM, metric=metric, unit="s", better="lower", values=(value,)
        )
        for metric, value in program.items()
        if value is not None
    ]
    for location in reduced.locations:
        results += _of_location(names[location.function, location.site], location)
    return results


def region_names(traces: Iterable[reduction.Reduced]) -> Names:
    """Return names that stay when lines move: caller, function of MPI, and which one.

    The second MPI_Recv of `exchange` in the order of its source is `exchange ›
    MPI_Recv 2`. Places of all traces count: a place that few processes never come to
    would otherwise pass its number on to the next one.
    """
    places = {
        (location.function, location.site)
        for each in traces
        for location in each.locations
    }
    callers = written_names(_symbol(site) for _, site in places)
    together = defaultdict(list)
    for function, site in sorted(places):
        caller = callers[_symbol(site)] or site.file
        name = f"{caller} › {function}" if caller else function
        name = _UNADDRESSABLE.sub("_", name).strip()
        name = name if len(name) <= LONGEST else f"…{name[-LONGEST:]}"
        together[name].append((function, site))
    return {
        key: name if place == 1 else f"{name} {place}"
        for name, keys in together.items()
        for place, key in enumerate(sorted(keys, key=itemgetter(1)), start=1)
    }


def function_of(region: str) -> str:
    """Return the function of MPI of a location: MPI_Recv of `halo › MPI_Recv 2`."""
    return region.rpartition(" › ")[2].partition(" ")[0]


def _symbol(site: trace.Site) -> tuple[str, Path]:
    """Return what a caller is called by the linker, and its file.

    Where the file is unknown, the name tells Fortran.
    """
    is_fortran = MODULE.fullmatch(site.caller) is not None
    return site.caller, Path("unknown.f90" if is_fortran else site.file)


def _of_location(name: str, location: reduction.LocationSums) -> list[wire.Result]:
    site = location.site
    where = wire.Location(
        file=site.file or None,
        line=site.line or None,
        function=site.caller or None,
        call_path=site.call_path or None,
    )
    units = {**dict.fromkeys(SECONDS, "s"), **COUNTS}
    return [
        wire.Result(
            region=name,
            metric=metric,
            unit=unit,
            better="lower",
            exact=metric in COUNTS,
            values=(float(value),),
            location=where,
        )
        for metric, unit in units.items()
        if (value := getattr(location, metric)) is not None
    ]


MOST_NAMED: Final = 3
LEAST_NAMED: Final = 0.1


@dataclass(frozen=True, slots=True)
class TracedSubject:
    """Subject of a trace; `settings` join the coordinate beside p."""

    project: str
    suite: str
    commit: wire.Commit
    machine: wire.Machine
    settings: Mapping[str, float]


def traced_run(
    path: Path, subject: TracedSubject, reduced: reduction.Reduced, names: Names
) -> wire.RunReport:
    """Return the run of a trace; the same trace is the same run, however often read.

    Raises
    ------
    TraceUnusable
        If it has more locations than a run can hold, or another number of processes
        than the command line says.
    """
    stated = subject.settings.get("p", reduced.processes)
    if stated != reduced.processes:
        raise TraceUnusable(
            path, f"it has {reduced.processes} processes, not {stated:g}"
        )
    results = results_of(reduced, names)
    if len(results) > wire.MOST_RESULTS:
        raise TraceUnusable(
            path, f"{len(reduced.locations):,} locations are more than a run can hold"
        )
    configuration = trace_settings(reduced)
    content = {
        "project": subject.project,
        "suite": subject.suite,
        "commit": subject.commit.sha,
        "machine": subject.machine.name,
        "coordinate": {"p": reduced.processes, **subject.settings},
        "configuration": configuration,
        "results": [result.model_dump() for result in results],
    }
    return wire.RunReport(
        schema_version=1,
        id=uuid5(NAMESPACE_URL, json.dumps(content, sort_keys=True)),
        project=subject.project,
        suite=subject.suite,
        commit=subject.commit,
        machine=subject.machine,
        coordinate={**subject.settings, "p": reduced.processes},
        configuration=configuration,
        job=wire.Job(environment=trace_facts(reduced)),
        results=tuple(results),
    )


def trace_settings(reduced: reduction.Reduced) -> dict[str, wire.Fact]:
    """Return the configuration of a trace's run; the date of a table is none of it."""
    settings: dict[str, wire.Fact] = {
        "traced": True,
        "calibration": "t_max" if reduced.calibration else "none",
    }
    if reduced.is_truncated:
        settings["truncated"] = True
    return settings


def trace_facts(reduced: reduction.Reduced) -> dict[str, wire.Fact]:
    """Return what a run's job says of its trace."""
    facts: dict[str, wire.Fact] = {"unmatched_messages": reduced.unmatched}
    if reduced.calibration:
        facts["calibration"] = reduced.calibration
    if reduced.extrapolated:
        facts[EXTRAPOLATED] = ", ".join(sorted(reduced.extrapolated))
    if reduced.not_calibrated:
        facts[UNCALIBRATED] = ", ".join(sorted(reduced.not_calibrated))
    if reduced.path_computing is not None:
        shares = 100 * np.asarray(reduced.path_computing) / reduced.runtime
        longest = np.argsort(-shares, kind="stable")[:MOST_NAMED]
        named = [
            f"process {rank}: {shares[rank]:.1f} % of the run time"
            for rank in longest.tolist()
            if shares[rank] >= LEAST_NAMED
        ]
        facts[CRITICAL_PATH] = ", ".join(named) or "no process computes on it"
    if reduced.remarks:
        facts["remarks"] = "; ".join(reduced.remarks)
    return facts

"""Results of a trace: those of the program and of its locations."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Final

from scalewatch.wire import Location, Result
from scalewatch_agent.counts.names import MODULE, written_names
from scalewatch_agent.traces.reduction import LocationSums, Reduced
from scalewatch_agent.traces.trace import Site

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


Names = Mapping[tuple[str, Site], str]
"""Regions by function of MPI and place."""


def results_of(reduced: Reduced, names: Names) -> list[Result]:
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
        Result(region=PROGRAM, metric=metric, unit="s", better="lower", values=(value,))
        for metric, value in program.items()
        if value is not None
    ]
    for location in reduced.locations:
        results += _of_location(names[location.function, location.site], location)
    return results


def region_names(traces: Iterable[Reduced]) -> Names:
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
        together[_name(caller, function)].append((function, site))
    return {
        key: name if place == 1 else f"{name} {place}"
        for name, keys in together.items()
        for place, key in enumerate(sorted(keys, key=itemgetter(1)), start=1)
    }


def function_of(region: str) -> str:
    """Return the function of MPI of a location: MPI_Recv of `halo › MPI_Recv 2`."""
    return region.rpartition(" › ")[2].partition(" ")[0]


def _symbol(site: Site) -> tuple[str, Path]:
    """Return what a caller is called by the linker, and its file.

    Where the file is unknown, the name tells Fortran.
    """
    is_fortran = MODULE.fullmatch(site.caller) is not None
    return site.caller, Path("unknown.f90" if is_fortran else site.file)


def _name(caller: str, function: str) -> str:
    name = f"{caller} › {function}" if caller else function
    name = _UNADDRESSABLE.sub("_", name).strip()
    return name if len(name) <= LONGEST else f"…{name[-LONGEST:]}"


def _of_location(name: str, location: LocationSums) -> list[Result]:
    site = location.site
    where = Location(
        file=site.file or None,
        line=site.line or None,
        function=site.caller or None,
        call_path=site.call_path or None,
    )
    units = {**dict.fromkeys(SECONDS, "s"), **COUNTS}
    return [
        Result(
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

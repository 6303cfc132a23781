"""Read what TALP of DLB tells of a run: a JSON file with the times of its regions."""

import json
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any, Final

import numpy as np

from scalewatch.outcomes import judge_cell
from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces import reduction, trace

SUFFIXES: Final = (".json",)
LARGEST: Final = 64 * 2**20
"""Bytes of a file; one with a thousand regions has one of them."""

MOST_PROCESSES: Final = 10**8
REGIONS: Final = ("Application", "popMetrics", "popRaw")
"""Keys of the regions, by version: since 3.5, before, and of sums before."""

WHOLE: Final = ("Global", "Application", "MPI Execution")
"""Names of the region that is all of the run, by version."""

NEWER: Final[Mapping[str, str]] = {
    "numRanks": "numMpiRanks",
    "usefulCpuTotal": "usefulTime",
    "numMPICalls": "numMpiCalls",
    "loadBalance": "mpiLoadBalance",
}
"""Names before version 3.5, and those since."""

NANOSECOND: Final = 1e-9
CLOSE: Final = 0.02
"""How far TALP's own efficiency, of two digits, may be from that of the times."""

MPI: Final = "MPI"


def read_talp(path: Path) -> reduction.Reduced:
    """Return the sums of a file of TALP; each region of it is a location.

    Raises
    ------
    TraceUnusable
        If it is none, or lacks the time of the whole run.
    """
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        document = json.loads(content) if len(content) <= LARGEST else None
    except OSError as error:
        raise TraceUnusable(path, error.strerror or str(error)) from None
    except (ValueError, RecursionError):
        raise TraceUnusable(path, "it is no JSON") from None
    if not isinstance(document, dict):
        raise TraceUnusable(path, "it is no file of TALP")
    regions = _regions(document)
    for held in (document, *regions.values()):
        _require_success(path, held)
    if not regions:
        raise TraceUnusable(path, "it is no file of TALP: it names no regions")
    name = next((each for each in WHOLE if each in regions), next(iter(regions)))
    whole = regions.pop(name)
    processes = _processes(path, document.get("resources"), whole)
    runtime = _seconds(path, whole, "elapsedTime")
    if not runtime:
        raise TraceUnusable(path, "it does not say how long the run took")
    useful, has_each = _useful(path, whole, runtime, processes)
    mpi_time = _seconds(path, whole, "mpiTime")
    parallel = useful.mean() / runtime
    remarks = []
    if _number(path, whole, "mpiTime") is None:
        remarks.append("TALP did not tell the time in MPI")
    efficiency = _number(path, whole, "parallelEfficiency")
    if efficiency is not None and abs(efficiency - parallel) > CLOSE:
        remarks.append(
            f"TALP tells a parallel efficiency of {efficiency:.2f}, of the time in "
            f"which it saw threads: of the run time of all processors {parallel:.2f} "
            "is useful"
        )
    return reduction.Reduced(
        processes=processes,
        runtime=runtime,
        useful=useful,
        mpi_time=mpi_time,
        overhead=mpi_time,
        locations=_locations(path, regions),
        not_calibrated=frozenset({MPI}),
        remarks=tuple(remarks),
        has_each=has_each,
    )


def _require_success(path: Path, held: Mapping[str, Any]) -> None:
    """Refuse a run of which a key states an outcome that is no success."""
    for key, stated in held.items():
        if stated is None or isinstance(stated, dict | list):
            continue
        outcome = judge_cell(key, str(stated))
        if outcome and not outcome.is_absent and outcome.has_succeeded is not True:
            raise TraceUnusable(path, f"it is of a run that failed: {outcome.words}")


def _regions(document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the regions by their names; before version 3.5 they stood in lists."""
    regions: dict[str, Mapping[str, Any]] = {}
    for key in REGIONS:
        listed = document.get(key)
        if isinstance(listed, list):
            named = [each for each in listed if isinstance(each, dict)]
            listed = {str(each.get("name")): each for each in named}
        for name, region in listed.items() if isinstance(listed, dict) else ():
            if isinstance(region, dict):
                renamed = {NEWER.get(str(k), str(k)): v for k, v in region.items()}
                regions[name] = {**regions.get(name, {}), **renamed}
    return regions


def _processes(path: Path, resources: Any, whole: Mapping[str, Any]) -> int:
    sections = [each for each in (resources, whole) if isinstance(each, dict)]
    for name in ("numMpiRanks", "numCpus"):
        for section in sections:
            number = section.get(name)
            if isinstance(number, int) and 0 < number <= MOST_PROCESSES:
                return number
    reason = "it does not say how many processes there were"
    if resources is None:
        reason += ": before DLB 3.5, --talp-summary=pop-metrics,pop-raw does"
    raise TraceUnusable(path, reason)


def _useful(
    path: Path, region: Mapping[str, Any], runtime: float, processes: int
) -> tuple[np.ndarray[Any, np.dtype[np.float64]], bool]:
    """Return useful times whose mean, and largest if told, are those of the region.

    Only the mean and the balance are told: one process has the largest time, all
    others share what is left.
    """
    together = _seconds(path, region, "usefulTime")
    share = _number(path, region, "parallelEfficiency")
    if together is None and share is None:
        raise TraceUnusable(path, "it tells neither useful time nor efficiency")
    cpus = _number(path, region, "numCpus") or processes
    mean = runtime * (share or 0.0) if together is None else together / cpus
    balance = _number(path, region, "mpiLoadBalance")
    useful = np.full(processes, mean)
    if not balance or balance > 1 or processes == 1:
        return useful, processes == 1
    largest = min(mean / balance, mean * processes)
    useful[:] = (mean * processes - largest) / (processes - 1)
    useful[0] = largest
    return useful, True


def _locations(
    path: Path, regions: Mapping[str, Any]
) -> tuple[reduction.LocationSums, ...]:
    """Return the regions that tell a time in MPI."""
    locations = []
    for name, region in regions.items():
        time = _seconds(path, region, "mpiTime")
        if time is not None:
            calls = _number(path, region, "numMpiCalls")
            locations.append(
                reduction.LocationSums(
                    function=MPI,
                    site=trace.Site(caller=str(name)),
                    calls=None if calls is None else round(calls),
                    mpi_time=time,
                    overhead=time,
                )
            )
    return tuple(sorted(locations, key=lambda location: -location.mpi_time))


def _seconds(path: Path, region: Mapping[str, Any], name: str) -> float | None:
    nanoseconds = _number(path, region, name)
    return None if nanoseconds is None else nanoseconds * NANOSECOND


def _number(path: Path, region: Mapping[str, Any], name: str) -> float | None:
    """Return a number of a region; None where it is not told."""
    value = region.get(name) if isinstance(region, dict) else None
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not isfinite(value) or value < 0:
        raise TraceUnusable(path, f"its {name} is {value!r}")
    return float(value)

"""Reduce a profile of CUBE: call paths to MPI become locations."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces import limited, reduction, trace
from scalewatch_agent.traces.cube import child

SUFFIXES: Final = (".cubex",)
PATIENCE: Final = 600.0
LONGEST_PATH: Final = 1000
"""Letters of a call path, of which the innermost callers are kept."""


def read_cube(path: Path) -> reduction.Reduced:
    """Return the sums of a profile of Score-P or Scalasca.

    Raises
    ------
    TraceUnusable
        If it cannot be read, or no MPI is in it.
    """
    printed = limited.read_in_child(
        path,
        child.__name__,
        [str(limited.MEMORY)],
        reader="pycubexr",
        patience=PATIENCE,
    )
    content = json.loads(printed)
    if not content["paths"]:
        raise TraceUnusable(path, "no call of MPI is in it")
    if not content["runtime"] > 0:
        raise TraceUnusable(path, "the run took no time")
    useful, runtime = np.array(content["useful"]), float(content["runtime"])
    locations = _locations(content["paths"])
    together = sum(each.mpi_time for each in locations)
    return reduction.Reduced(
        processes=len(useful),
        runtime=runtime,
        useful=useful,
        mpi_time=together,
        overhead=together,
        locations=locations,
        not_calibrated=frozenset(each.function for each in locations),
    )


def _locations(paths: list[dict[str, Any]]) -> tuple[reduction.LocationSums, ...]:
    """Return locations, the longest first; paths of one place are one."""
    sums: dict[tuple[str, trace.Site], dict[str, float]] = defaultdict(dict)
    for entry in paths:
        path = entry["call_path"]
        if len(path) > LONGEST_PATH:
            path = f"{path[:LONGEST_PATH]} …"
        times = sums[
            entry["function"], trace.Site(entry["file"], 0, entry["caller"], path)
        ]
        for what, value in entry["sums"].items():
            times[what] = times.get(what, 0.0) + value
    locations = [
        _location(function, site, times) for (function, site), times in sums.items()
    ]
    return tuple(sorted(locations, key=lambda entry: -entry.mpi_time))


def _location(
    function: str, site: trace.Site, sums: dict[str, float]
) -> reduction.LocationSums:
    visits = sums.get("visits")
    sent, received = sums.get("bytes_sent"), sums.get("bytes_received")
    return reduction.LocationSums(
        function=function,
        site=site,
        calls=None if visits is None else round(visits),
        mpi_time=sums["time"],
        overhead=sums["time"],
        bytes=None if sent is None else round(sent or received or 0.0),
        wait_late_sender=sums.get("late_sender"),
        wait_late_receiver=sums.get("late_receiver"),
        wait_collective=sums.get("collective"),
    )

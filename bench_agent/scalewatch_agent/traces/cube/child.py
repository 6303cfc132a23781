"""The child process that reads a profile of CUBE, and prints its sums as JSON.

Called with the file and the largest memory in bytes. Values are those of the master
thread of each process, without those of called regions.
"""

import json
import logging
import sys
import warnings
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces.limited import Refused, limit, refuse, say


@dataclass(frozen=True, slots=True)
class CallPath:
    """A call path to a function of MPI, and its sums over all processes by name."""

    function: str
    caller: str
    file: str
    call_path: str
    sums: dict[str, float]


@dataclass(frozen=True, slots=True)
class ProfileSums:
    """A profile: run time and useful times in s, and the call paths to MPI."""

    runtime: float
    useful: list[float]
    paths: list[CallPath]


TIME, VISITS = "time", "visits"
METRICS: Final = {
    TIME: ("time",),
    VISITS: ("visits",),
    "bytes_sent": ("bytes_sent",),
    "bytes_received": ("bytes_received",),
    "late_sender": ("mpi_latesender",),
    "late_receiver": ("mpi_latereceiver",),
    "collective": (
        "mpi_barrier_wait",
        "mpi_wait_nxn",
        "mpi_latebroadcast",
        "mpi_earlyreduce",
        "mpi_earlyscan",
    ),
}
"""Metrics of Score-P and Scalasca by what they are to us."""

MOST_LOCATIONS: Final = 1_000_000

Values = NDArray[np.float64]


def main(path: str, memory: str) -> None:
    """Print the sums of a profile."""
    limit(int(memory))
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    try:
        sums = _read(path)
    except Refused as why:
        sys.exit(say(str(why)))
    except MemoryError:
        sys.exit(say("it needs too much memory"))
    except Exception as error:  # noqa: BLE001 - whatever a foreign parser raises
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        sys.exit(say(f"it is no profile of CUBE: {reason}"))
    print(json.dumps(asdict(sums)))  # noqa: T201 - read by the parent


def _read(path: str) -> ProfileSums:
    try:
        from pycubexr import CubexParser  # noqa: PLC0415 - an extra
    except ImportError:
        refuse("profiles of CUBE need pycubexr: pip install 'scalewatch[cube]'")
    with CubexParser(path) as profile:
        known = {each.id: at for at, each in enumerate(profile.get_locations())}
        if len(known) > MOST_LOCATIONS:
            refuse(f"{len(known):,} threads are too many")
        [system] = profile._anchor_result.system_tree_nodes  # noqa: SLF001 - no other way
        # The first thread of each process.
        masters = [
            known[group.all_locations()[0].id]
            for group in system.all_location_groups()
            if group.type in {None, "process"} and group.all_locations()
        ] or refuse("it names no process")
        nodes = profile.all_cnodes()
        arrays = {
            what: values
            for what, names in METRICS.items()
            if (values := _values(profile, nodes, names, masters)) is not None
        }
        if TIME not in arrays:
            refuse("it has no times")
        of_mpi = np.array([str(node.region.name).startswith("MPI_") for node in nodes])
        total = arrays[TIME].sum(axis=0)
        return ProfileSums(
            runtime=float(total.max()),
            useful=(total - arrays[TIME][of_mpi].sum(axis=0)).tolist(),
            paths=[
                _path(
                    node,
                    {
                        what: float(of_metric[at].sum())
                        for what, of_metric in arrays.items()
                    },
                )
                for at, node in enumerate(nodes)
                if of_mpi[at]
            ],
        )


def _values(
    profile: Any, nodes: list[Any], names: tuple[str, ...], masters: list[int]
) -> Values | None:
    """Return exclusive values of metrics together, shape (call paths, processes)."""
    from pycubexr.utils.exceptions import MissingMetricError  # noqa: PLC0415 - an extra

    together = None
    for metric in profile.all_metrics():
        if metric.name not in names:
            continue
        try:
            held = profile.get_metric_values(metric)
        except MissingMetricError:
            continue
        rows = [held.cnode_values(node, convert_to_exclusive=True) for node in nodes]
        values = np.array(rows, np.float64)[:, masters]
        if not np.isfinite(values).all():
            refuse(f"{metric.name} is not finite")
        values = np.maximum(values, 0.0)
        together = values if together is None else together + values
    return together


def _path(node: Any, sums: dict[str, float]) -> CallPath:
    names = []
    above = node.parent
    while above is not None:
        names.append(above)
        above = above.parent
    caller = names[0].region if names else None
    return CallPath(
        function=str(node.region.name),
        caller=str(caller.name) if caller else "",
        file=str(caller.mod or "").rpartition("/")[2] if caller else "",
        call_path=" < ".join(str(each.region.name) for each in names[1:]),
        sums=sums,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])

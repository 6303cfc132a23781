"""Traced programs as they are posted: times, waits and counts by location."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import NAMESPACE_OID, uuid5

import numpy as np

from scalewatch.wire import RunReport
from support.builders import result, run_report
from support.reference_tables import read

PROCESSES = (4, 8, 16, 32, 64, 128)

UNITS = {"calls": "1", "messages": "1", "bytes": "B"}

SWEEP3D = read("sweep3d_polynomials.json")
RELEASES = dict(zip(("blocking", "non-blocking"), SWEEP3D["variants"], strict=True))
"""Commits by the published variants of Sweep3D."""


def traced_run(
    p: int, regions: Mapping[str, Mapping[str, Any]], **fields: Any
) -> RunReport:
    """Return the run of a trace: values, or a list of them, by region and metric.

    A location's key `line` is its line in sweep.c.
    """
    key = f"{sorted((str(name), str(field)) for name, field in fields.items())} {p}"
    results = []
    for region, metrics in regions.items():
        line = metrics.get("line")
        located = {"location": {"file": "sweep.c", "line": line}} if line else {}
        results += [
            result(
                region=region,
                metric=metric,
                unit=UNITS.get(metric, "s"),
                exact=metric in UNITS,
                values=value if isinstance(value, list) else [value],
                **located,
            )
            for metric, value in metrics.items()
            if metric != "line"
        ]
    usual = {
        "id": str(uuid5(NAMESPACE_OID, key)),
        "project": "sweep",
        "suite": "trace",
        "coordinate": {"p": p},
        "configuration": {"traced": True, "calibration": "none"},
        "results": results,
    }
    return run_report(**usual | fields)


def wavefront(
    processes: Sequence[int] = PROCESSES, *, line: int = 32, **fields: Any
) -> list[RunReport]:
    """Return traces of a program whose receives wait ever longer, as in a wavefront.

    Receives take p + p²/16 of which nine tenths wait for late senders, sends take
    p/2, and the computation of 100 s is shared evenly. Messages per process stay.
    """
    return [
        traced_run(
            p,
            {
                "program": {
                    "runtime": 100 / p + 1.5 + p / 16 + 0.05,
                    "ideal_runtime": 100 / p + 1.5 + p / 20,
                    "useful_mean": 100 / p,
                    "useful_max": 101 / p,
                    "mpi_time": 1.5 * p + p**2 / 16,
                    "overhead": 1.5 * p + p**2 / 16,
                },
                "receive › MPI_Recv": {
                    "mpi_time": p + p**2 / 16,
                    "overhead": p + p**2 / 16,
                    "wait_late_sender": 0.9 * (p + p**2 / 16),
                    "wait_late_receiver": 0.0,
                    "wait_collective": 0.0,
                    "calls": 200 * p,
                    "messages": 200 * p,
                    "bytes": 4000 * p,
                    "path_mpi_time": 1.5 + p / 16,
                    "path_computing": 100 / p,
                    "line": line,
                },
                "send › MPI_Send": {
                    "mpi_time": 0.5 * p,
                    "overhead": 0.5 * p,
                    "wait_late_sender": 0.0,
                    "wait_late_receiver": 0.1 * p,
                    "wait_collective": 0.0,
                    "calls": 200 * p,
                    "messages": 200 * p,
                    "bytes": 4000 * p,
                    "path_mpi_time": 0.05,
                    "path_computing": 0.0,
                    "line": line + 20,
                },
            },
            **fields,
        )
        for p in processes
    ]


def sweep3d() -> list[RunReport]:
    """Return the published times of Sweep3D, a commit for each of its variants."""
    return [
        traced_run(
            p,
            {"program": {"mpi_time": seconds, "overhead": seconds}},
            project="sweep3d",
            commit={
                "sha": release,
                "committed_at": f"2026-09-0{day}T12:00:00Z",
            },
        )
        for day, (release, variant) in enumerate(RELEASES.items(), start=1)
        for p, seconds in zip(
            SWEEP3D["P"], SWEEP3D["variants"][variant]["T_seconds"], strict=True
        )
    ]


def noisy(
    reports: Sequence[RunReport], seed: int = 1, noise: float = 0.1
) -> list[RunReport]:
    """Return runs of three repeats each, of which the second is the fastest."""
    rng = np.random.default_rng(seed)
    return [
        report.model_copy(
            update={
                "results": tuple(
                    each
                    if each.exact
                    else each.model_copy(
                        update={
                            "values": tuple(
                                value * factor
                                for value in each.values
                                for factor in (
                                    1 + noise * (2 + rng.random()),
                                    1.0,
                                    1 + noise,
                                )
                            )
                        }
                    )
                    for each in report.results
                )
            }
        )
        for report in reports
    ]

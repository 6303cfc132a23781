"""Valid objects with every field defaulted; a test names only what it is about."""

from collections.abc import Callable, Mapping, Sequence
from math import log2
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

import numpy as np

from scalewatch.wire import Procedure, RunReport

PROCESSES = (2, 4, 8, 16, 32, 64)

COLLECTIVES: Mapping[str, Callable[[int], float]] = {
    "MPI_Bcast": lambda p: 1e-6 + 2e-6 * log2(p),
    "MPI_Allgather": lambda p: 5e-6 + 1e-6 * p,
}
"""Seconds that two regions take on p processes: log p and p."""


def result(**fields: Any) -> dict[str, Any]:
    """Return the JSON of one result."""
    defaults = {
        "region": "MPI_Bcast",
        "metric": "time",
        "unit": "s",
        "values": [1.1e-5, 1.2e-5, 1.3e-5],
    }
    return defaults | fields


def run(**fields: Any) -> dict[str, Any]:
    """Return the JSON of one run, as an agent posts it."""
    defaults = {
        "schema": 1,
        "id": str(UUID(int=1)),
        "project": "mpich",
        "suite": "mpi-collectives",
        "commit": {"sha": "v5.0.2"},
        "machine": {"name": "jureca", "fingerprint": {"cores": 128}},
        "coordinate": {"p": 4},
        "configuration": {"message_bytes": 256},
        "results": [result()],
    }
    return defaults | fields


def run_report(**fields: Any) -> RunReport:
    """Return one validated run."""
    return RunReport.model_validate(run(**fields), strict=False)


def sweep(
    processes: Sequence[int] = PROCESSES,
    growths: Mapping[str, Callable[[int], float]] = COLLECTIVES,
    *,
    repetitions: int = 10,
    noise: float = 0.02,
    seed: int = 1,
    **fields: Any,
) -> list[dict[str, Any]]:
    """Return one run per process count; each region takes `growths[region](p)`.

    Repetitions scatter around that by the relative deviation `noise`. Runs of other
    fields have other ids.
    """
    rng = np.random.default_rng(seed)
    return [
        run(
            **{
                "id": str(uuid5(NAMESPACE_OID, f"{sorted(fields.items())} {p} {seed}")),
                "coordinate": {"p": p},
                "results": [
                    result(
                        region=region,
                        values=(
                            growth(p) * rng.lognormal(0, noise, repetitions)
                        ).tolist(),
                    )
                    for region, growth in growths.items()
                ],
            }
            | fields
        )
        for p in processes
    ]


def sweep_reports(*arguments: Any, **fields: Any) -> list[RunReport]:
    """Return the runs of a `sweep`, validated."""
    return [
        RunReport.model_validate(one, strict=False)
        for one in sweep(*arguments, **fields)
    ]


def on_cores(cores: int, reports: Sequence[RunReport]) -> list[RunReport]:
    """Return runs as of a machine of so many cores, which more processes share."""
    shared = Procedure(synchronisation="barrier", oversubscribed=True)
    return [
        report.model_copy(
            update={
                "results": tuple(
                    each.model_copy(update={"procedure": shared})
                    for each in report.results
                )
            }
        )
        if report.coordinate["p"] > cores
        else report
        for report in reports
    ]

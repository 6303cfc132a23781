"""Runs as `scalewatch-agent openmp` posts them, of a machine with eight cores."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

FORMULA = "13*8*N/triad + 2*parallel + 2*reduction"
CORES = 8
Measured = tuple[str, str, str, float]
"""Region, metric, unit and value."""


def _run(
    number: int,
    coordinate: dict[str, int],
    results: list[Measured],
    commit: str,
    **configuration: int,
) -> dict[str, Any]:
    is_crowded = coordinate["threads"] > CORES
    return {
        "schema": 1,
        "id": str(UUID(int=number)),
        "project": "openmp-gcc",
        "suite": "openmp",
        "commit": {"sha": commit},
        "machine": {"name": "node"},
        "coordinate": coordinate,
        "configuration": {"placement": "spread", **configuration},
        "results": [
            {
                "region": region,
                "metric": metric,
                "unit": unit,
                "values": [0.99 * value, value, 1.01 * value],
                "procedure": {"oversubscribed": is_crowded},
            }
            for region, metric, unit, value in results
        ],
    }


def openmp_runs(
    factor: float = 1.0, power: float = 0.0, commit: str = "v12.2.0", first: int = 0
) -> Iterator[dict[str, Any]]:
    """Yield runs at 1 to 16 threads; those of 16 share cores, and tell nonsense.

    Parameters
    ----------
    factor, power
        Measured/composed is factor · threads^power.
    first
        The number before that of the first run.
    """
    number = first
    for threads in (1, 2, 4, 8, 16):
        rate, fork = 2e10 * threads**0.5, 1e-6 * threads
        if threads > CORES:
            rate, fork = 1.0, 1.0
        number += 10
        at = {"threads": threads}
        triad = ("triad", "bandwidth", "B/s", rate)
        yield _run(number, at, [triad], commit, elements=20_000_000)
        forks = [(name, "overhead", "s", fork) for name in ("parallel", "reduction")]
        yield _run(number + 1, at, forks, commit)
        for place, points in enumerate((10**6, 4 * 10**6)):
            ratio = factor * threads**power
            seconds = ratio * (104 * points / rate + 4 * fork)
            cg = ("cg", "time", "s", seconds)
            yield _run(number + 2 + place, {**at, "N": points}, [cg], commit)

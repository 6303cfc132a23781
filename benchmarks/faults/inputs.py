"""What the agents measure: runs whose content, id included, follows from a seed.

Projects follow each other, so that a history stays as short as that of a real project
is beside ten thousand runs. Half-way through each, a region begins to scale worse.
"""

from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import NAMESPACE_OID, UUID, uuid5

import numpy as np

from scalewatch.wire import RunReport

PROCESSES: Final = tuple(2**power for power in range(1, 11))
COMMITS: Final = 40
"""Of a project; the next ones are of another."""

REPETITIONS: Final = 5
NOISE: Final = 0.02
REGIONS: Final = ("MPI_Barrier", "MPI_Bcast", "MPI_Allgather")
"""That the built-in suite has expectations for."""

BEGINNING: Final = datetime(2026, 1, 1, tzinfo=UTC)


def uuid_of(seed: int, agent: int, count: int) -> UUID:
    """Return the id of the count-th run of an agent."""
    return uuid5(NAMESPACE_OID, f"{seed} {agent} {count}")


def report_of(seed: int, agent: int, count: int) -> RunReport:
    """Return the count-th run of an agent; ten of them are a commit."""
    number, setting = divmod(count, len(PROCESSES))
    project, commit = divmod(number, COMMITS)
    return RunReport.model_validate(
        {
            "schema": 1,
            "id": uuid_of(seed, agent, count),
            "project": f"faults-{agent}-{project}",
            "suite": "mpi-collectives",
            "commit": _commit(commit),
            "machine": {"name": f"machine-{agent}", "fingerprint": {"cores": 64}},
            "coordinate": {"p": PROCESSES[setting]},
            "configuration": {"message_bytes": 256},
            "results": _results(
                np.random.default_rng([seed, agent, count]),
                PROCESSES[setting],
                commit,
            ),
        }
    )


def _commit(number: int) -> dict[str, object]:
    return {
        "sha": f"{number + 1:040x}",
        "parents": (f"{number:040x}",) if number else (),
        "branch": "main",
        "committed_at": BEGINNING + timedelta(hours=number),
    }


def _results(
    rng: np.random.Generator, p: int, commit: int
) -> tuple[dict[str, object], ...]:
    seconds = (
        1e-6 * (1 + np.log2(p)),
        2e-6 * (1 + np.log2(p)),
        1e-6 * (5 + p) if commit < COMMITS // 2 else 1e-6 * (5 + p**2),
    )
    return tuple(
        {
            "region": region,
            "metric": "time",
            "unit": "s",
            "values": tuple((took * rng.lognormal(0, NOISE, REPETITIONS)).tolist()),
        }
        for region, took in zip(REGIONS, seconds, strict=True)
    )

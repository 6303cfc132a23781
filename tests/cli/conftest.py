import json
from collections.abc import Callable, Iterator
from math import log2
from pathlib import Path

import pytest
from fastapi import FastAPI

from scalewatch.jobs.worker import Worker
from scalewatch.storage.database.session import Sessions
from support.live import serving

PROCESSES = (2, 4, 8, 16, 32, 64)


def line(region: str, p: float, *values: float) -> str:
    measured = {"params": {"p": p}, "callpath": region, "metric": "time"}
    return json.dumps(measured | {"unit": "s", "value": list(values)}) + "\n"


def sweep(region: str, growth: Callable[[float], float]) -> str:
    return "".join(line(region, p, growth(p)) for p in PROCESSES)


@pytest.fixture
def measurements(tmp_path: Path) -> str:
    """A file with series that grow with log p and p, and one that is too short."""
    path = tmp_path / "measurements.jsonl"
    path.write_text(
        sweep("MPI_Bcast", lambda p: 1 + 2 * log2(p))
        + sweep("MPI_Alltoall", lambda p: 3 + 4 * p)
        + line("MPI_Barrier", 2, 1.0)
        + line("MPI_Barrier", 4, 2.0)
    )
    return str(path)


@pytest.fixture
def many_measurements(tmp_path: Path) -> str:
    """A file of so many series that what is said about them fills any pipe."""
    path = tmp_path / "many.jsonl"
    path.write_text("".join(sweep(f"f{number}", log2) for number in range(500)))
    return str(path)


@pytest.fixture
def user(tmp_path: Path, environment_variables: pytest.MonkeyPatch) -> None:
    """A user whose server and agent have nothing yet."""
    environment_variables.setenv("SCALEWATCH_HOME", str(tmp_path / "server"))
    environment_variables.setenv("SCALEWATCH_AGENT_HOME", str(tmp_path / "agent"))


@pytest.fixture
def server(app: FastAPI, sessions: Sessions) -> Iterator[str]:
    """A dashboard with its worker, as `scalewatch serve` runs it."""
    worker = Worker(sessions)
    worker.start()
    try:
        with serving(app) as address:
            yield address
    finally:
        worker.stop()

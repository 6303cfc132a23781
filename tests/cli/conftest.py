import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from math import log2
from pathlib import Path

import pytest

SCALEWATCH = [sys.executable, "-c", "from scalewatch.cli import main; main()"]
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
def user_environment(tmp_path: Path) -> dict[str, str]:
    return os.environ | {
        "SCALEWATCH_HOME": str(tmp_path / "server"),
        "SCALEWATCH_AGENT_HOME": str(tmp_path / "agent"),
        "PYTHONUNBUFFERED": "1",
    }


@pytest.fixture
def server(user_environment) -> Iterator[str]:
    """A served dashboard."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen(
        [*SCALEWATCH, "serve", "--port", str(port)],
        env=user_environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        address = re.search(r"http://\S+", process.stdout.readline())
        assert address
        yield address[0]
        process.terminate()

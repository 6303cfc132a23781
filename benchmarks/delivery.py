"""How long 1,000 spooled runs take to a local server, by the product's own commands.

Runs of the regions of the built-in suite with 100 repetitions each, posted by
`scalewatch-agent spool replay` to a server of its own on the same machine, whose worker
models meanwhile.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from uuid import uuid4

import httpx2
import numpy as np
from benchmarks.goals import Goal
from benchmarks.options import usual
from benchmarks.results import Results
from tests.support.servers.ports import free_port

from scalewatch.wire import RunReport
from scalewatch_agent.delivery.spool import Spool
from scalewatch_agent.suite.suites import RUNTIME

RUNS: Final = 1000
REPETITIONS: Final = 100
COMMITS: Final = 25
STARTING: Final = 60.0

DELIVERED: Final = Goal("1,000 spooled runs delivered", "{:.2f} s", most=10)


def main(results: Results) -> None:
    """Measure the seconds for all runs."""
    count = int(usual(RUNS, 100))
    with TemporaryDirectory() as folder:
        home = Path(folder)
        variables = {
            **os.environ,
            "SCALEWATCH_HOME": str(home / "server"),
            "SCALEWATCH_AGENT_HOME": str(home / "agent"),
        }
        with _server(home, variables) as url:
            _spool(home / "agent" / "spool", url, count)
            began = time.perf_counter()
            subprocess.run(
                [_program("scalewatch-agent"), "spool", "replay"],
                check=True,
                env=variables,
            )
            seconds = time.perf_counter() - began
            # The server models what it has while more of it comes in.
            known = httpx2.get(f"{url}/api/v1/status").json()
    regions = len(RUNTIME.regions)
    row = results.table(
        "runs", "regions × repetitions", "seconds", "runs/s", "jobs then open", words=2
    )
    row(
        f"{count:,}",
        f"{regions} × {REPETITIONS}",
        f"{seconds:.2f}",
        f"{count / seconds:.0f}",
        known["jobs"]["open"],
    )
    if count == RUNS:
        results.figure(DELIVERED, seconds)


def _spool(folder: Path, server: str, count: int) -> None:
    rng = np.random.default_rng(1)
    spool = Spool(folder)
    for number in range(count):
        spool.put(spool.entry(_run(number, rng), server))


def _run(number: int, rng: np.random.Generator) -> RunReport:
    p = 2 ** (1 + number // COMMITS % 5)
    return RunReport.model_validate(
        {
            "schema": 1,
            "id": uuid4(),
            "project": "delivery",
            "suite": RUNTIME.name,
            "commit": {"sha": f"v{number % COMMITS}"},
            "machine": {"name": "here"},
            "coordinate": {"p": p},
            "results": tuple(
                {
                    "region": region,
                    "metric": "time",
                    "unit": "s",
                    "values": tuple(
                        (1e-6 * p * rng.lognormal(0, 0.1, REPETITIONS))
                        .round(9)
                        .tolist()
                    ),
                }
                for region in RUNTIME.regions
            ),
        }
    )


@contextmanager
def _server(home: Path, variables: Mapping[str, str]) -> Iterator[str]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with (home / "server.log").open("w") as log:
        server = subprocess.Popen(
            [_program("scalewatch"), "serve", "--port", str(port)],
            env=variables,
            stdout=log,
            stderr=log,
        )
        try:
            _await(url)
            yield url
        finally:
            server.terminate()
            server.wait()


def _await(url: str) -> None:
    deadline = time.monotonic() + STARTING
    while time.monotonic() < deadline:
        try:
            if httpx2.get(f"{url}/healthz").is_success:
                return
        except httpx2.TransportError:
            time.sleep(0.1)
    sys.exit("the server did not start")


def _program(name: str) -> Path:
    return Path(sys.executable).with_name(name)

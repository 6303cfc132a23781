"""The agents of the bench as processes, each with a machine and a spool of its own."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Self
from uuid import UUID

from benchmarks.faults.agent import catch_up, spooled
from benchmarks.faults.inputs import report_of, uuid_of
from tests.support.servers.processes import environment

from scalewatch_agent.delivery.spool import Spool

NUMBER: Final = 4
PATIENCE_SECONDS: Final = 120.0
CHECKOUT: Final = Path(__file__).parents[2]
REPLAY: Final = (
    sys.executable,
    "-c",
    "from scalewatch_agent.cli import main; main()",
    "spool",
    "replay",
)


class Agents:
    """Processes that measure and post until the end of the block."""

    def __init__(self, folder: Path, server: str, seed: int) -> None:
        self.folders = [folder / f"agent-{number}" for number in range(NUMBER)]
        self.server = server
        self.seed = seed
        self.processes: dict[int, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        for number, folder in enumerate(self.folders):
            folder.mkdir()
            self.start(number)
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()
        for number, folder in enumerate(self.folders):
            catch_up(folder, self.seed, number)

    def start(self, number: int) -> None:
        """Start an agent; it goes on where it was killed."""
        folder = self.folders[number]
        command = [sys.executable, "-m", "benchmarks.faults.agent", str(folder)]
        with (folder / "log").open("ab") as log:
            self.processes[number] = subprocess.Popen(
                [*command, self.server, str(self.seed), str(number)],
                cwd=CHECKOUT,
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def kill(self, number: int) -> None:
        """End an agent as a crash does."""
        process = self.processes.pop(number)
        process.kill()
        process.wait()

    def check(self) -> None:
        """See that all work.

        Raises
        ------
        RuntimeError
            If one has ended by itself.
        """
        for number, process in self.processes.items():
            if process.poll() is not None:
                raise RuntimeError((self.folders[number] / "log").read_text())

    def bring_the_rest(self) -> None:
        """Deliver what is left, by the product's own command."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        for folder in self.folders:
            while (
                any(Spool(folder / "spool").pending()) and time.monotonic() < deadline
            ):
                replay(folder)

    def acknowledged(self) -> set[UUID]:
        """Return the ids of the runs that have left their spools."""
        return {
            uuid_of(self.seed, agent, count)
            for agent, folder in enumerate(self.folders)
            for count in range(spooled(folder))
        } - {UUID(path.stem) for folder in self.folders for path in _kept(folder)}

    def measured(self) -> list[int]:
        """Return how many runs each agent has measured."""
        return [spooled(folder) for folder in self.folders]

    def count(self) -> int:
        """Return how many runs have left their spools, about: agents are at work."""
        return sum(self.measured()) - sum(len(list(_kept(f))) for f in self.folders)

    def refused(self) -> int:
        """Return how many runs the server said it will never take."""
        return sum(len(list(Spool(f / "spool").refused())) for f in self.folders)


def replay(folder: Path) -> None:
    """Let `scalewatch-agent spool replay` deliver what is in the spool of a folder."""
    subprocess.run(
        REPLAY,
        env=environment(SCALEWATCH_AGENT_HOME=str(folder)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )


def put(folder: Path, server: str, seed: int, number: int, runs: int) -> None:
    """Spool all that an agent measured."""
    spool = Spool(folder / "spool")
    for count in range(runs):
        spool.put(spool.entry(report_of(seed, number, count), server))


def _kept(folder: Path) -> Iterator[Path]:
    """Yield the files of runs that wait, or were refused."""
    spool = Spool(folder / "spool")
    yield from spool.pending()
    yield from spool.refused()

"""Simulate jobs by SMPI, the MPI of SimGrid: one after the other, on one core each."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from scalewatch.wire import SIMULATED, Fact, Job
from scalewatch_agent.experiments.configured import Configured
from scalewatch_agent.experiments.journal import Journal
from scalewatch_agent.experiments.launchers.jobs import Executed, Request
from scalewatch_agent.experiments.launchers.section import Launcher
from scalewatch_agent.experiments.launchers.smpi.failures import failure_said
from scalewatch_agent.experiments.launchers.smpi.platforms import Platform
from scalewatch_agent.experiments.launchers.smpi.programs import COMPILERS
from scalewatch_agent.machine import cpu_model
from scalewatch_agent.programs import run_program

ALGORITHMS: Final[Mapping[str, str]] = {
    "allreduce": "rdb",
    "barrier": "ompi_recursivedoubling",
    "bcast": "binomial_tree",
    "reduce": "binomial",
}
"""Trees where nothing else is asked for: SimGrid's own choices are flat, in p steps."""


@dataclass(frozen=True, slots=True)
class SmpiJobs:
    """Simulates programs.

    Parameters
    ----------
    version
        Of SimGrid.
    speed
        Operations that this host does in a second, as SimGrid writes them.
    memory_limit
        Bytes that a simulation may use.
    """

    launcher: Launcher
    platform: Platform
    version: str
    speed: str
    memory_limit: int

    @property
    def machine(self) -> str:
        """The platform's name."""
        return self.platform.name

    def named(self, machine: str) -> str:
        """Return the name of a machine, which says that it is simulated."""
        return machine if SIMULATED in machine else f"{machine} {SIMULATED}"

    @property
    def provenance(self) -> str:
        """Where the numbers come from."""
        computation = (
            "computation takes as long as it did here, scaled to its cores"
            if self.launcher.computation == "measured"
            else "computation takes no time"
        )
        return (
            f"Not measured: simulated by SimGrid {self.version} (SMPI) on "
            f"{self.platform.title}; {computation}. Calibrated to no real machine: "
            "only growth is claimed."
        )

    @property
    def facts(self) -> Mapping[str, Fact]:
        """What is simulated."""
        chosen = {**ALGORITHMS, **self.launcher.algorithms}
        return {
            "simulator": f"SimGrid {self.version} (SMPI)",
            "platform": self.platform.title,
            "hosts": self.platform.hosts,
            "simulated on": cpu_model(),
            "collectives": ", ".join(f"{key} {chosen[key]}" for key in sorted(chosen)),
        }

    @property
    def settings(self) -> Mapping[str, Fact]:
        """Computation, and the algorithms that the experiment chooses."""
        return {
            "computation": self.launcher.computation,
            **self.launcher.algorithms,
        }

    @property
    def tools(self) -> Mapping[str, str]:
        """Nothing: its compilers are on the search path already."""
        return {}

    @property
    def compilers(self) -> Mapping[str, str]:
        """Those of SMPI."""
        return COMPILERS

    def is_oversubscribed(self, configured: Configured) -> bool:  # noqa: ARG002 - a protocol
        """Return no: each process has a host of the platform."""
        return False

    def execute(
        self,
        requests: Sequence[Request],
        journal: Journal,  # noqa: ARG002 - nothing outlives the agent here
    ) -> Iterator[Executed]:
        """Yield the jobs in their order, each as soon as it has ended."""
        for request in requests:
            # SMPI loads a copy of the program for each process from there.
            with TemporaryDirectory(prefix="scalewatch-smpi-") as copies:
                yield self._executed(request, Path(copies))

    def _executed(self, request: Request, copies: Path) -> Executed:
        configured = request.configured
        if any(len(word.split()) != 1 for word in request.words):
            # smpirun joins the arguments by blanks, and splits them again.
            failure = "smpirun takes no empty arguments, and none with blanks"
            return Executed(request, Job(), failure)
        ended = run_program(
            [*self._starter(request), *request.words],
            {**os.environ, "TMPDIR": str(copies), **request.environment},
            request.folder,
            configured.time_limit,
            request.work,
            memory_limit=self.memory_limit,
        )
        job = Job(
            nodes=configured.processes,
            started_at=ended.started_at,
            ended_at=ended.ended_at,
            environment={"host speed": self.speed, **self.launcher.algorithms},
        )
        return Executed(request, job, failure_said(request.folder) or ended.failure)

    def _starter(self, request: Request) -> Iterator[str]:
        """Yield the words that start the processes of a job on the platform."""
        yield from ("smpirun", "-np", str(request.configured.processes or 1))
        if request.wrapper:
            yield from ("-wrapper", " ".join(request.wrapper))
        yield from ("-platform", str(self.platform.path))
        is_measured = self.launcher.computation == "measured"
        options = {
            "simulate-computation": "yes" if is_measured else "no",
            "host-speed": self.speed,
            **ALGORITHMS,
            **self.launcher.algorithms,
        }
        yield from (f"--cfg=smpi/{key}:{value}" for key, value in options.items())
        yield "--log=root.thres:warning"

"""Launcher `smpi`: SimGrid's MPI simulates jobs one after the other, on one core each.

https://simgrid.org/doc/latest/app_smpi.html
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, ClassVar, Final, Literal, get_args

import click
from pydantic import AfterValidator, BeforeValidator, Field

from scalewatch.wire import SIMULATED, Fact, Job, wrong
from scalewatch_agent import errors, programs
from scalewatch_agent.experiments.journal import Journal
from scalewatch_agent.experiments.launchers import jobs
from scalewatch_agent.experiments.launchers.section import LauncherSection, register
from scalewatch_agent.experiments.launchers.smpi import simgrid
from scalewatch_agent.machine import cpu_model

ALGORITHMS: Final[Mapping[str, str]] = {
    "allreduce": "rdb",
    "barrier": "ompi_recursivedoubling",
    "bcast": "binomial_tree",
    "reduce": "binomial",
}
"""Trees unless the file chooses: SimGrid's own choices are flat, in p steps."""


MOST_MEMORY: Final = 0.8
"""Share of this host's memory that a simulation may use unless the file says more."""

BYTES: Final = {"MB": 10**6, "MiB": 2**20, "GB": 10**9, "GiB": 2**30}
_BYTES: Final = re.compile(rf"(\d+(?:\.\d+)?) ?({'|'.join(BYTES)})")
_SPEED: Final = re.compile(r"\d+(\.\d+)?(e\d+)?[kMGT]?f")

Collective = Literal[
    "allgather",
    "allgatherv",
    "allreduce",
    "alltoall",
    "alltoallv",
    "barrier",
    "bcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
]


def _bytes(value: object) -> object:
    match = _BYTES.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise wrong(f"write a number and one of {', '.join(BYTES)}, as 2 GiB")
    return int(float(match[1]) * BYTES[match[2]])


def _speed(value: str) -> str:
    if value != "auto" and not _SPEED.fullmatch(value):
        raise wrong("write auto, or operations a second, as 10Gf")
    return value


def _from_here(
    _context: click.Context, _option: click.Parameter, platform: str | None
) -> str | None:
    """Return the path of a platform's file from where the command is given."""
    is_file = platform is not None and platform.endswith(".xml")
    return str(Path(platform).absolute()) if platform and is_file else platform


def _collectives(
    _context: click.Context, _option: click.Parameter, stated: Sequence[str]
) -> dict[str, str]:
    """Return collectives and their algorithms."""
    chosen = {}
    for text in stated:
        name, _, algorithm = text.partition("=")
        if name not in get_args(Collective) or not algorithm:
            known = ", ".join(get_args(Collective))
            message = f"{text!r} is not NAME=ALGORITHM, NAME being one of {known}"
            raise click.BadParameter(message)
        chosen[name] = algorithm
    return chosen


@register
class SmpiSection(LauncherSection):
    """Keys of a simulation.

    Parameters
    ----------
    platform
        Network to simulate: one of ours, or a file of SimGrid's.
    computation
        Whether computation takes the time that it takes here, or none.
    host_speed
        Operations a second of this host, as `10Gf`, or `auto`.
    collectives
        Algorithm of each collective, by SimGrid's names.
    memory_limit
        Bytes that a simulation may use, as `2 GiB`.
    """

    title: ClassVar[str] = "SMPI"
    command_line: ClassVar[Mapping[str, Callable[[Any], Any]]] = {
        "platform": click.option(
            "--platform",
            callback=_from_here,
            metavar="NAME|FILE.xml",
            help="Platform to simulate: torus, fat-tree, dragonfly or a file of "
            "SimGrid's.",
        ),
        "computation": click.option(
            "--computation",
            type=click.Choice(["measured", "none"]),
            help="What simulated computation takes: the time measured here, or none.",
        ),
        "collectives": click.option(
            "--collective",
            "collectives",
            multiple=True,
            callback=_collectives,
            metavar="NAME=ALGORITHM",
            help="Simulate a collective by this algorithm of SimGrid's, as "
            "allreduce=rdb.",
        ),
    }

    kind: Literal["smpi"] = "smpi"
    platform: str = "torus"
    computation: Literal["measured", "none"] = "measured"
    host_speed: Annotated[str, AfterValidator(_speed)] = "auto"
    collectives: dict[Collective, str] = Field({})
    memory_limit: Annotated[int, BeforeValidator(_bytes)] | None = None

    @property
    def algorithms(self) -> Mapping[str, str]:
        """The algorithms of collectives that the file chooses."""
        return {str(name): algorithm for name, algorithm in self.collectives.items()}

    def cores(self, configured: jobs.Configured) -> int:  # noqa: ARG002 - whatever it simulates
        """Return one: a simulation keeps no more busy."""
        return 1

    def launcher(self, sweep: jobs.LaunchedSweep) -> jobs.JobLauncher:
        """Return what simulates the jobs of a sweep.

        Raises
        ------
        ToolMissing
            If SimGrid, or a compiler that the experiment names, is not installed.
        PlatformUnusable
            If the platform is none, or has too few hosts for some job.
        """
        platform = simgrid.platform_of(self.platform, sweep.folder)
        most = max(configured.processes or 1 for configured in sweep.configured)
        if most > platform.hosts:
            raise errors.PlatformUnusable(
                self.platform,
                f"it has {platform.hosts:,} hosts, and a job has {most:,} processes",
            )
        version = simgrid.simgrid_version()
        simgrid.check_compilers(sweep.compilers)
        speed = self.host_speed
        if self.computation == "none":
            speed = "1Gf"  # of no consequence, but SimGrid warns without any
        elif speed == "auto":
            speed = f"{simgrid.host_speed() / 1e9:.3g}Gf"
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return SmpiJobs(
            section=self,
            platform=platform,
            version=version,
            speed=speed,
            memory_limit=self.memory_limit or int(MOST_MEMORY * memory),
        )


@dataclass(frozen=True, slots=True)
class SmpiJobs(jobs.JobLauncher):
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

    section: SmpiSection
    platform: simgrid.Platform
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
            if self.section.computation == "measured"
            else "computation takes no time"
        )
        return (
            f"Not measured: simulated by SimGrid {self.version} (SMPI) on "
            f"{self.platform.title}; {computation}. Calibrated to no real machine: "
            "only growth is claimed."
        )

    @property
    def facts(self) -> Mapping[str, Fact]:
        """Facts of the simulation."""
        chosen = {**ALGORITHMS, **self.section.algorithms}
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
        return {"computation": self.section.computation, **self.section.algorithms}

    @property
    def compilers(self) -> Mapping[str, str]:
        """Compilers of SMPI."""
        return simgrid.COMPILERS

    def execute(
        self,
        requests: Sequence[jobs.Request],
        journal: Journal,  # noqa: ARG002 - nothing outlives the agent here
    ) -> Iterator[jobs.Executed]:
        """Yield the jobs in their order, each as soon as it has ended."""
        for request in requests:
            # SMPI loads a copy of the program for each process from there.
            with TemporaryDirectory(prefix="scalewatch-smpi-") as copies:
                yield self._executed(request, Path(copies))

    def _executed(self, request: jobs.Request, copies: Path) -> jobs.Executed:
        configured = request.configured
        if any(len(word.split()) != 1 for word in request.words):
            # smpirun joins the arguments by blanks, and splits them again.
            failure = "smpirun takes no empty arguments, and none with blanks"
            return jobs.Executed(request, Job(), failure)
        is_measured = self.section.computation == "measured"
        simulated = {
            "simulate-computation": "yes" if is_measured else "no",
            "host-speed": self.speed,
            **ALGORITHMS,
            **self.section.algorithms,
        }
        starter = [
            *("smpirun", "-np", str(configured.processes or 1)),
            *(("-wrapper", " ".join(request.wrapper)) if request.wrapper else ()),
            *("-platform", str(self.platform.path)),
            *(f"--cfg=smpi/{key}:{value}" for key, value in simulated.items()),
            "--log=root.thres:warning",
        ]
        ended = programs.run_program(
            [*starter, *request.words],
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
            environment={"host speed": self.speed, **self.section.algorithms},
        )
        return jobs.Executed(
            request, job, simgrid.failure_said(request.folder) or ended.failure
        )

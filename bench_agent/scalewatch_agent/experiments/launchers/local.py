"""Launcher `local`: this host's mpiexec executes the jobs, one after the other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from scalewatch.wire import Fact, Job
from scalewatch_agent import programs
from scalewatch_agent.experiments.journal import Journal
from scalewatch_agent.experiments.launchers import jobs, section
from scalewatch_agent.machine import hardware, machine_name, processors, surroundings
from scalewatch_agent.mpi.libraries import Library
from scalewatch_agent.mpi.mpiexec import TRANSPORTS, Launcher


@section.register
class LocalSection(section.LauncherSection):
    """Keys of this host's mpiexec: how its processes are connected."""

    title: ClassVar[str] = "this host"
    starter: ClassVar[str | None] = "mpiexec"

    kind: Literal["local"] = "local"
    transport: Literal["shm", "tcp"] = "shm"

    def launcher(self, sweep: jobs.LaunchedSweep) -> jobs.JobLauncher:
        """Return what starts the jobs of a sweep, by its MPI library where it has one.

        Raises
        ------
        MpiMissing, MpiUnusable, MpiNotInstalled
            If processes need a library that is not there.
        """
        starts_mpi = sweep.starts_processes and sweep.starter != "none"
        library = Library("none", "0", Path("mpiexec"))
        if starts_mpi or self.mpi:
            library = sweep.library()
        crowded = any(each.cores > processors() for each in sweep.configured)
        return LocalJobs(Launcher(library, self.transport, crowded), starts_mpi)


@dataclass(frozen=True, slots=True)
class LocalJobs(jobs.JobLauncher):
    """Starts programs by this host's mpiexec, and those without MPI as they are."""

    launcher: Launcher
    starts_mpi: bool

    @property
    def machine(self) -> str:
        """The host's name, with the transport of its processes."""
        return machine_name(self.launcher.transport)

    @property
    def facts(self) -> Mapping[str, Fact]:
        """Facts of the host."""
        facts: dict[str, Fact] = {"interconnect": TRANSPORTS[self.launcher.transport]}
        facts |= hardware()
        if self.starts_mpi:
            facts["mpi"] = self.launcher.library.title
        return facts

    @property
    def settings(self) -> Mapping[str, Fact]:
        """The transport, which decides how fast messages are."""
        return {"transport": self.launcher.transport} if self.starts_mpi else {}

    @property
    def tools(self) -> Mapping[str, str]:
        """The search path of the jobs, where `mpicc` lies beside `mpiexec`."""
        if not self.starts_mpi:
            return {}
        return {"PATH": self.launcher.program_environment(1)["PATH"]}

    def is_oversubscribed(self, configured: jobs.Configured) -> bool:
        """Tell whether a job wants more cores than there are."""
        return configured.cores > processors()

    def execute(
        self,
        requests: Sequence[jobs.Request],
        journal: Journal,  # noqa: ARG002 - nothing outlives the agent here
    ) -> Iterator[jobs.Executed]:
        """Yield the jobs in their order, each as soon as it has ended."""
        for request in requests:
            wanted = request.configured.processes
            threads = request.configured.threads
            environment = self.launcher.program_environment(wanted or 1, threads)
            environment |= {"OMP_NUM_THREADS": str(threads)}
            environment |= request.environment
            words = (*request.wrapper, *request.words)
            if self.starts_mpi and wanted is not None:
                words = tuple(self.launcher.program(wanted, *words))
            ended = programs.run_program(
                words,
                environment,
                request.folder,
                request.configured.time_limit,
                request.work,
            )
            job = Job(
                nodes=1,
                started_at=ended.started_at,
                ended_at=ended.ended_at,
                environment={**surroundings(environment), **ended.activity},
            )
            yield jobs.Executed(request, job, ended.failure)

"""How processes are started on this host: command and environment of mpiexec.

What a user would otherwise have to know is set here: that root may start processes,
that there may be more of them than cores, and which transport connects them. Every
process is started on this host.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from scalewatch_agent import machine, plan
from scalewatch_agent.mpi.libraries import Library

Transport = Literal["shm", "tcp"]

TRANSPORTS: Final[Mapping[Transport, str]] = {
    "shm": "shared memory",
    "tcp": "TCP over loopback",
}


@dataclass(frozen=True, slots=True)
class Launcher:
    """Starts jobs with one library and transport, the same way for a whole sweep.

    `crowded` says that some job of the sweep has more processes than cores: what
    idle processes do about it is then set for all its jobs, so that they compare.
    `level` is the thread level to ask for; the cheapest one without it.
    """

    library: Library
    transport: Transport
    crowded: bool
    level: plan.ThreadLevel | None = None

    @property
    def thread_level(self) -> plan.ThreadLevel:
        """The level asked for, or the cheapest at which waiting processes yield.

        MPICH yields its core only in its threaded progress loop, and only from
        version 5.
        """
        if self.level is not None:
            return self.level
        needs_threads = self.library.name == "mpich" and self.library.major >= 5
        return "multiple" if self.crowded and needs_threads else "single"

    @property
    def settings(self) -> dict[str, str | bool]:
        """Settings of the start, for the configuration of a run."""
        settings: dict[str, str | bool] = {
            "thread_level": self.thread_level,
            "transport": self.transport,
        }
        if self.library.name == "openmpi":
            settings["yield_when_idle"] = self.crowded
        return settings

    def command(self, processes: int, *arguments: str) -> list[str]:
        """Return the command that runs this interpreter in so many processes."""
        return self.bound(processes, sys.executable, *arguments)

    def bound(self, processes: int, *words: str) -> list[str]:
        """Return the command that runs a program with each process on its core."""
        is_alone = processes <= machine.physical_cores()
        return self.program(
            processes,
            *(
                ("-bind-to", "core")
                if is_alone and self.library.name == "mpich"
                else ()
            ),
            *words,
        )

    def program(self, processes: int, *words: str) -> list[str]:
        """Return the command that runs any program in so many processes."""
        return [str(self.library.mpiexec), "-n", str(processes), *words]

    def environment(self, processes: int) -> dict[str, str]:
        """Return all variables of a job of this interpreter."""
        # The job imports what the agent would, from a checkout or a wheel.
        modules = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        return self.program_environment(processes) | modules

    def program_environment(self, processes: int, threads: int = 1) -> dict[str, str]:
        """Return all variables of a job of any program with so many processes.

        Open MPI binds each process to a core, which all its threads would share.
        """
        variables = _variables(self, processes)
        variables |= {**self.library.environment, "PATH": self.library.search_path}
        if threads > 1 and self.library.name == "openmpi":
            variables |= {
                "OMPI_MCA_hwloc_base_binding_policy": "none",
                "PRTE_MCA_hwloc_default_binding_policy": "none",
            }
        return os.environ | variables


def is_oversubscribed(processes: int) -> bool:
    """Tell whether so many processes have to share cores."""
    return processes > machine.processors()


def root_variables(library: Library) -> dict[str, str]:
    """Return what lets root start processes by a library that would rather not."""
    if library.name != "openmpi" or os.geteuid() != 0:
        return {}
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def _variables(launcher: Launcher, processes: int) -> dict[str, str]:
    """Return what each library needs on this host."""
    over_tcp = launcher.transport == "tcp"
    match launcher.library.name:
        case "openmpi":
            is_old = launcher.library.major < 5
            variables = {
                "OMPI_MCA_pml": "ob1",
                "OMPI_MCA_osc": "^ucx",
                "OMPI_MCA_btl": f"self,{'vader' if is_old else 'sm'}",
            }
            if over_tcp:
                variables["OMPI_MCA_btl"] = "self,tcp"
                variables["OMPI_MCA_btl_tcp_if_include"] = "lo"
            if launcher.crowded:
                variables["OMPI_MCA_mpi_yield_when_idle"] = "1"
            if processes > machine.physical_cores() and is_old:
                variables["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
            elif processes > machine.physical_cores():
                variables["PRTE_MCA_rmaps_default_mapping_policy"] = ":oversubscribe"
            return variables | root_variables(launcher.library)
        case "mpich":
            # Its starter need not resolve the host's name, which containers often lack.
            starter = {"HYDRA_LAUNCHER": "fork", "HYDRA_IFACE": "lo"}
            if over_tcp:
                return starter | {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp,self"}
            # It would look for networks, in each process, and use none of them.
            return starter | {"UCX_TLS": "sm,self"}
        case "impi-rt" if over_tcp:
            return {
                "I_MPI_FABRICS": "ofi",
                # Otherwise collectives of one host go through shared memory.
                "I_MPI_COLL_INTRANODE": "pt2pt",
                "FI_PROVIDER": "tcp",
                "FI_TCP_IFACE": "lo",
            }
        case "impi-rt":
            return {"I_MPI_FABRICS": "shm"}
    return {}


ENOUGH: Final = 6
"""Cores from which there are five settings with a core for each process."""

_SMALL: Final = (2, 3, 4, 6, 8)
_MEMORY: Final = (2, 4, 8, 16, 32)
_STEP: Final = 1.5
"""By so much the last setting exceeds the one before at least."""


def timed_counts(cores: int) -> tuple[int, ...]:
    """Return process counts for times: 2, 3, 4, 6, 8, 16, 32, … up to the cores."""
    if cores < _SMALL[-1]:
        return tuple(range(2, cores + 1))
    counts = [*_SMALL, *_doubled(_SMALL[-1], cores)]
    if cores >= _STEP * counts[-1]:
        counts.append(cores)
    return tuple(counts)


def memory_counts(cores: int) -> tuple[int, ...]:
    """Return process counts for memory: 2, 4, 8, 16, 32, and on up to the cores."""
    return (*_MEMORY, *_doubled(_MEMORY[-1], cores))


def _doubled(last: int, cores: int) -> Iterator[int]:
    while (last := 2 * last) <= cores:
        yield last

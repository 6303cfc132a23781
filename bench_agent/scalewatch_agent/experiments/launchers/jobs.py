"""The jobs of an experiment, as launchers take them and give them back."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scalewatch.wire import Fact, Job
from scalewatch_agent.experiments.journal import Journal
from scalewatch_agent.experiments.parameters import COMPILERS, Combination
from scalewatch_agent.mpi.libraries import Library


@dataclass(frozen=True, slots=True)
class Configured:
    """One combination, and the resources that its jobs want.

    `nodes` and `tasks_per_node` are None where the scheduler may choose; `seconds`
    is what a job is expected to take, where the file estimates it.
    """

    combination: Combination
    processes: int | None
    threads: int
    nodes: int | None
    tasks_per_node: int | None
    time_limit: float
    seconds: float | None

    @property
    def cores(self) -> int:
        """How many cores a job keeps busy."""
        return (self.processes or 1) * self.threads


@dataclass(frozen=True, slots=True)
class LaunchedSweep:
    """A sweep whose jobs a launcher is to start.

    Parameters
    ----------
    title
        Name of the experiment, and of its jobs in a queue.
    folder
        Where the file of the experiment lies; its paths begin there.
    starter
        What is to start the processes of a job, if the file says.
    compilers
        Names of compilers, such as `mpicc`, that its steps use.
    library
        Finds, or installs, the MPI library that the file wants.
    """

    title: str
    folder: Path
    configured: tuple[Configured, ...]
    starter: str | None
    compilers: frozenset[str]
    library: Callable[[], Library]

    @property
    def starts_processes(self) -> bool:
        """Whether some job consists of processes that something has to start."""
        return any(each.processes for each in self.configured)


@dataclass(frozen=True, slots=True)
class Request:
    """A job to be executed.

    Parameters
    ----------
    key
        Names the job in the journal: the same for the same job in a later sweep.
    folder
        Where it runs, and which takes its output; no other job uses it.
    words
        The program and its arguments.
    environment
        Variables beside those that it inherits.
    work
        Where the program runs, if that is not the folder.
    wrapper
        Words before those of the program, in each of its processes.
    """

    key: str
    configured: Configured
    repeat: int
    folder: Path
    words: tuple[str, ...]
    environment: Mapping[str, str]
    work: Path | None = None
    wrapper: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Executed:
    """A job that has ended, well or with a `failure`.

    `facts` describe the node on which it ran, where that was another one.
    """

    request: Request
    job: Job
    failure: str | None = None
    facts: Mapping[str, Fact] | None = None


class JobLauncher(ABC):
    """Executes jobs: on this host, or by asking a scheduler."""

    __slots__ = ()

    @property
    @abstractmethod
    def machine(self) -> str:
        """The name of the machine, where the experiment gives none."""

    @property
    def provenance(self) -> str | None:
        """Where the numbers come from, if nobody measures them."""
        return None

    @property
    @abstractmethod
    def facts(self) -> Mapping[str, Fact]:
        """Facts of the machine that are known before any job has run."""

    @property
    def settings(self) -> Mapping[str, Fact]:
        """Settings that the launcher fixes, for the configuration of the runs."""
        return {}

    @property
    def tools(self) -> Mapping[str, str]:
        """Variables by which steps find the compilers of the MPI library in use."""
        return {}

    @property
    def compilers(self) -> Mapping[str, str]:
        """Values of `{mpicc}`, `{mpicxx}` and `{mpif90}` in the steps that compile.

        They lie on the search path, which begins beside `mpiexec`.
        """
        return {name: name for name in COMPILERS}

    def named(self, machine: str) -> str:
        """Return the name of a machine as its runs give it."""
        return machine

    def is_oversubscribed(self, configured: Configured) -> bool:  # noqa: ARG002
        """Tell whether the processes of such a job have to share cores."""
        return False

    @abstractmethod
    def execute(
        self, requests: Sequence[Request], journal: Journal
    ) -> Iterator[Executed]:
        """Yield the jobs as they end, whatever becomes of them.

        The journal knows the jobs that an earlier sweep has left in a queue.
        """

    def cancel_command(self, ids: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """Return the command by which a user ends jobs of those ids.

        Empty where no job outlives the agent.
        """
        return ()

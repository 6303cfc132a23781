"""The jobs of an experiment, as launchers take them and give them back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from scalewatch.wire import Fact, Job
from scalewatch_agent.experiments.commands import COMPILERS
from scalewatch_agent.experiments.configured import Configured
from scalewatch_agent.experiments.journal import Journal


@dataclass(frozen=True, slots=True)
class Request:
    """A job to be executed.

    Parameters
    ----------
    key
        Names the job in the journal: the same for the same job in a later sweep.
    folder
        Its own, in which it runs and which takes its output.
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


class JobLauncher(Protocol):
    """Executes jobs: on this host, or by asking a scheduler."""

    @property
    def machine(self) -> str:
        """The name of the machine, where the experiment gives none."""

    @property
    def provenance(self) -> str | None:
        """Where the numbers come from, if nobody measures them."""

    @property
    def facts(self) -> Mapping[str, Fact]:
        """What is known of the machine before any job has run."""

    @property
    def settings(self) -> Mapping[str, Fact]:
        """What the launcher fixes, for the configuration of the runs."""

    @property
    def tools(self) -> Mapping[str, str]:
        """Variables by which steps find the compilers of the MPI library in use."""

    @property
    def compilers(self) -> Mapping[str, str]:
        """What `{mpicc}`, `{mpicxx}` and `{mpif90}` mean to the steps that compile."""

    def named(self, machine: str) -> str:
        """Return the name of a machine as its runs give it."""

    def is_oversubscribed(self, configured: Configured) -> bool:
        """Tell whether the processes of such a job have to share cores."""

    def execute(
        self, requests: Sequence[Request], journal: Journal
    ) -> Iterator[Executed]:
        """Yield the jobs as they end, whatever becomes of them.

        The journal knows the jobs that an earlier sweep has left in a queue.
        """


class MeasuredJobs:
    """What launchers have in common whose jobs really run."""

    __slots__ = ()

    @property
    def provenance(self) -> None:
        """Nothing: its numbers are measured."""
        return

    @property
    def compilers(self) -> Mapping[str, str]:
        """Those on the search path, which begins beside `mpiexec`."""
        return {name: name for name in COMPILERS}

    def named(self, machine: str) -> str:
        """Return the name as it is."""
        return machine

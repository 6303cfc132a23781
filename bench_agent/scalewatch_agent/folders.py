"""Where the agent keeps what outlives a command.

Both folders lie below SCALEWATCH_AGENT_HOME where it is set, and where the XDG base
directories say otherwise: MPI libraries are a cache, undelivered runs are not.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from scalewatch_agent.errors import FolderUnwritable


def libraries_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder that holds one environment per installed MPI library."""
    return _home(environment, "XDG_CACHE_HOME", ".cache") / "mpi"


def loops_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder that holds what the agent compiled."""
    return _home(environment, "XDG_CACHE_HOME", ".cache") / "loops"


def interposers_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder that holds one interposer per MPI library."""
    return _home(environment, "XDG_CACHE_HOME", ".cache") / "interposers"


def calibrations_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder that holds a calibration per machine and library."""
    return _home(environment, "XDG_STATE_HOME", ".local/state") / "calibrations"


def spool_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder that holds the runs until they are delivered."""
    return _home(environment, "XDG_STATE_HOME", ".local/state") / "spool"


def make_folder(folder: Path) -> Path:
    """Create `folder` where it is missing, and return it.

    Raises
    ------
    FolderUnwritable
        If it cannot be created or nothing can be written into it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolderUnwritable(folder, error.strerror or str(error)) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FolderUnwritable(folder, "permission denied")
    return folder


def _home(environment: Mapping[str, str], variable: str, default: str) -> Path:
    if home := environment.get("SCALEWATCH_AGENT_HOME"):
        return Path(home).absolute()
    base = environment.get(variable) or Path("~").expanduser() / default
    return Path(base).absolute() / "scalewatch-agent"

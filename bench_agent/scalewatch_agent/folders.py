"""Where the agent keeps what outlives a command.

Both folders lie below SCALEWATCH_AGENT_HOME where it is set, and where the XDG base
directories say otherwise: MPI libraries are a cache, undelivered runs are not.
"""

import errno
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from scalewatch_agent.errors import FolderUnwritable

PRIVATE: Final = 0o700
OTHERS_WRITE: Final = 0o022


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


def private_folder(folder: Path) -> Path:
    """Return `folder`, made where it is missing: its owner's alone, whatever the umask.

    Raises
    ------
    FolderUnwritable
        If it cannot be created or nothing can be written into it.
    """
    _make_private(folder)
    # One of an earlier version, or of a group that shares it, which may keep it.
    with suppress(PermissionError):
        if folder.stat().st_mode & 0o777 != PRIVATE:
            folder.chmod(PRIVATE)
    return folder


def code_folder(folder: Path) -> Path:
    """Return `folder` for what is compiled or installed: nobody else may write there.

    Raises
    ------
    FolderUnwritable
        If it cannot be created or nothing can be written into it.
    """
    _make_private(folder)
    # Others may go on to read one that is there already.
    with suppress(PermissionError):
        if (mode := folder.stat().st_mode & 0o777) & OTHERS_WRITE:
            folder.chmod(mode & ~OTHERS_WRITE)
    return folder


def sweep_folder(folder: Path) -> Path:
    """Return the folder of a sweep, as `make_folder` does."""
    return make_folder(folder, named_by="by --folder")


def make_folder(
    folder: Path, mode: int = 0o777, named_by: str = "in SCALEWATCH_AGENT_HOME"
) -> Path:
    """Create `folder` where it is missing, and return it; the umask limits `mode`.

    Raises
    ------
    FolderUnwritable
        If it cannot be created or nothing can be written into it.
    """
    try:
        folder.mkdir(mode, parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FolderUnwritable(folder, reason, named_by) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        is_read_only = os.statvfs(folder).f_flag & os.ST_RDONLY
        reason = os.strerror(errno.EROFS if is_read_only else errno.EACCES)
        raise FolderUnwritable(folder, reason, named_by)
    return folder


def _make_private(folder: Path) -> None:
    """Create `folder` and all missing ones above it, their owner's alone.

    Who may write to one of these can put another folder in its place.
    """
    for missing in reversed([each for each in folder.parents if not each.exists()]):
        make_folder(missing, PRIVATE)
    make_folder(folder, PRIVATE)


def _home(environment: Mapping[str, str], variable: str, default: str) -> Path:
    if home := environment.get("SCALEWATCH_AGENT_HOME"):
        return Path(home).absolute()
    base = environment.get(variable) or Path("~").expanduser() / default
    return Path(base).absolute() / "scalewatch-agent"

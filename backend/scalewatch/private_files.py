"""Files and folders for their owner alone, whatever the umask says."""

import os
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

FOLDER_MODE: Final = 0o700
FILE_MODE: Final = 0o600


def make_folder(folder: Path) -> None:
    """Create a folder, and those above it, where they are missing.

    Raises
    ------
    OSError
        If it cannot be created.
    """
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(FOLDER_MODE, exist_ok=True)


def make_file(file: Path) -> None:
    """Create an empty file; one that is there is closed to others.

    Raises
    ------
    OSError
        If it cannot be created.
    """
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))
    except FileExistsError:
        close_to_others(file)


def open_file(file: Path, mode: str) -> IO[Any]:
    """Open a file for writing, as `open` does; one that is there is closed to others.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    close_to_others(file)
    return open(file, mode, opener=_opened)


def write_whole(file: Path, content: bytes, mode: int = FILE_MODE) -> None:
    """Write a file whole or not at all, so that not even a power failure halves it.

    Parameters
    ----------
    mode
        Who may read and write it, as far as the umask says.

    Raises
    ------
    OSError
        If the disk is full, for example; a file that was there is as it was.
    """
    partial = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with open(partial, "wb", opener=lambda p, flags: os.open(p, flags, mode)) as to:
            to.write(content)
            to.flush()
            os.fsync(to.fileno())
        partial.replace(file)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def close_to_others(file: Path) -> None:
    """Let nobody but its owner read or write a file, if it is there and ours."""
    # What cannot be changed, as on a read-only file system, can still be read.
    with suppress(OSError):
        present = file.stat()
        if present.st_uid == os.geteuid() and present.st_mode & 0o077:
            file.chmod(FILE_MODE)


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags, FILE_MODE)

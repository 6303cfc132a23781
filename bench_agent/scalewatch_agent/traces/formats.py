"""Find traces in files and folders, and read them by their format."""

import gzip
import zlib
from pathlib import Path
from typing import Final

from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces.paraver.reader import SUFFIXES, read_paraver
from scalewatch_agent.traces.trace import Trace

PARAVER: Final = b"#Paraver"


def traces_in(path: Path) -> list[Path]:
    """Return the traces that a file is, or that a folder holds.

    Raises
    ------
    TraceUnusable
        If there is none.
    """
    if not path.is_dir():
        return [path]
    found = sorted(one for one in path.iterdir() if one.name.endswith(SUFFIXES))
    if not found:
        raise TraceUnusable(path, "no trace is in this folder (.prv, .prv.gz)")
    return found


def read_trace(path: Path) -> Trace:
    """Return the trace in a file of any known format, told by its content.

    Raises
    ------
    TraceUnusable
        If it cannot be read.
    """
    if _beginning(path) != PARAVER:
        raise TraceUnusable(path, "it is no trace of a known format: Paraver (.prv)")
    return read_paraver(path)


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            first = file.read(len(PARAVER))
        if first.startswith(b"\x1f\x8b"):
            with gzip.open(path) as packed:
                first = packed.read(len(PARAVER))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise TraceUnusable(path, f"it cannot be unpacked: {error}") from None
    except OSError as error:
        raise TraceUnusable(path, error.strerror or str(error)) from None
    return first

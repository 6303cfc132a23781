"""Find traces and profiles in files and folders, and reduce them by their format."""

import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces import reduction, talp
from scalewatch_agent.traces.calibration.table import Calibration, reduced_by
from scalewatch_agent.traces.cube import reader as cube
from scalewatch_agent.traces.otf2 import reader as otf2
from scalewatch_agent.traces.own.reader import is_own_trace, read_own
from scalewatch_agent.traces.paraver import reader as paraver

Reader = Callable[[Path, Calibration | None], reduction.Reduced]

READERS: Final[tuple[tuple[int, bytes, Reader], ...]] = (
    (0, b"#Paraver", lambda path, best: reduced_by(best, paraver.read_paraver(path))),
    (2, b"OTF2", lambda path, best: reduced_by(best, otf2.read_otf2(path))),
    (257, b"ustar", lambda path, _: cube.read_cube(path)),
    (0, b"{", lambda path, _: talp.read_talp(path)),
)
"""Readers by what their files hold at the beginning, and where.

Profiles hold no calls, from which a calibration could take anything off.
"""

SUFFIXES: Final = (*paraver.SUFFIXES, *otf2.SUFFIXES, *cube.SUFFIXES)
"""Files that stand for a run in a folder; those of TALP have to be named."""

LONGEST: Final = max(start + len(mark) for start, mark, _ in READERS)


def traces_in(path: Path) -> list[Path]:
    """Return the traces that a file is, or that a folder holds, at any depth.

    Raises
    ------
    TraceUnusable
        If there is none.
    """
    if not path.is_dir() or is_own_trace(path):
        return [path]
    paths = sorted(_traces_below(path))
    if not paths:
        known = ", ".join(SUFFIXES)
        reason = f"no trace is in this folder ({known}, or one of the agent's)"
        raise TraceUnusable(path, reason)
    return paths


def _traces_below(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        recorded = [name for name in folders if is_own_trace(Path(place, name))]
        yield from (Path(place, name) for name in recorded)
        yield from (Path(place, name) for name in files if name.endswith(SUFFIXES))
        # An own trace may hold itself once more, as an archive of OTF2.
        folders[:] = [name for name in folders if name not in recorded]


def read_reduced(
    path: Path, calibration: Calibration | None = None
) -> reduction.Reduced:
    """Return the sums of a file of any known format, told by its content.

    Raises
    ------
    TraceUnusable
        If it cannot be read.
    """
    if path.is_dir():
        return reduced_by(calibration, read_own(path))
    try:
        with path.open("rb") as file:
            first = file.read(LONGEST)
        if first.startswith(b"\x1f\x8b"):
            with gzip.open(path) as packed:
                first = packed.read(LONGEST)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise TraceUnusable(path, f"it cannot be unpacked: {error}") from None
    except OSError as error:
        raise TraceUnusable(path, error.strerror or str(error)) from None
    for start, mark, read in READERS:
        if first.startswith(mark, start):
            return read(path, calibration)
    raise TraceUnusable(
        path,
        "it is no trace of a known format: Paraver (.prv), OTF2 (its anchor, .otf2), "
        "CUBE (.cubex), TALP (.json)",
    )

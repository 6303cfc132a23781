"""Read the counters that a process of an instrumented program has written."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scalewatch_agent.counts.gcov.notes import FUNCTION, Notes, Reader, Unreadable

COUNTERS: Final = 0x01A10000
SUMMARY: Final = 0xA1000000


@dataclass(frozen=True, slots=True)
class Counters:
    """Counters of the arcs of each function, added up over `processes`.

    A function that no process has reached may be missing.
    """

    processes: int
    arcs: Mapping[int, tuple[int, ...]]


def read_counters(path: Path, notes: Notes) -> Counters:
    """Return what the file at `path` holds of the functions in `notes`.

    Raises
    ------
    Unreadable
        If it stems from another build, or is damaged.
    """
    reader = Reader(path, b"gcda")
    if reader.stamp != notes.stamp:
        raise Unreadable(
            f"{path.name} was counted by another build than the one that lies there "
            "now: build again"
        )
    processes = 0
    arcs: dict[int, tuple[int, ...]] = {}
    ident = None
    try:
        for tag, length in reader.records():
            if tag == SUMMARY:
                processes = reader.word()
            elif tag == FUNCTION:
                ident = _function(reader, notes) if length else None
            elif tag == COUNTERS and ident is not None:
                # Zeros are not written; their length is negative.
                arcs[ident] = (
                    reader.counters(length) if length > 0 else (0,) * (-length // 8)
                )
    except struct.error:
        raise Unreadable(f"{path.name} is cut off: count again") from None
    return Counters(processes, arcs)


def _function(reader: Reader, notes: Notes) -> int:
    ident = reader.word()
    checksums = (reader.word(), reader.word())
    graph = notes.graphs.get(ident)
    if graph is None or graph.checksums != checksums:
        raise Unreadable(
            f"{reader.path.name} was counted by another build than the one that lies "
            "there now: build again"
        )
    return ident

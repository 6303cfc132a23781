"""Processor time of processes and of what they started, as Linux counts it."""

import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PARENT, _TIMES = 1, slice(11, 15)
"""Where the fields behind the name of a process stand: see proc(5)."""


def seconds(pid: int) -> float:
    """Return what a process, its descendants and those that have ended consumed."""
    ticks = {own: used for own, _, used in _processes()}
    return sum(ticks.get(each, 0) for each in family(pid)) / _TICKS


def family(pid: int) -> list[int]:
    """Return a process and its descendants, the oldest generation first."""
    children: dict[int, list[int]] = defaultdict(list)
    for own, parent, _ in _processes():
        children[parent].append(own)
    found = [pid]
    for each in found:
        found += children[each]
    return found


def own_seconds(pid: int) -> float:
    """Return what a process of one thread consumed, to the nanosecond."""
    told = Path(f"/proc/{pid}/schedstat").read_text()
    return int(told.split()[0]) / 1e9


def _processes() -> Iterable[tuple[int, int, int]]:
    """Yield process, parent and ticks of all processes."""
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            told = (folder / "stat").read_text()
        except OSError:  # it has just ended
            continue
        fields = told.rpartition(")")[2].split()
        yield int(folder.name), int(fields[_PARENT]), sum(map(int, fields[_TIMES]))

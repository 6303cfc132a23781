"""Read an archive of OTF2: by libotf2, which a child process calls within limits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.folders import loops_folder
from scalewatch_agent.traces.limited import MEMORY, read_in_child
from scalewatch_agent.traces.otf2 import child
from scalewatch_agent.traces.otf2.build import build_collector
from scalewatch_agent.traces.otf2.calls import Calls, calls_of
from scalewatch_agent.traces.otf2.child import DEFINITIONS, events_file
from scalewatch_agent.traces.otf2.definitions import Definitions
from scalewatch_agent.traces.otf2.events import EVENT, Events
from scalewatch_agent.traces.otf2.library import library_path
from scalewatch_agent.traces.records import Flag
from scalewatch_agent.traces.trace import Indices, Process, Site, Trace

T = TypeVar("T")

SUFFIXES: Final = (".otf2",)

PATIENCE_PER_BYTE: Final = 2e-6
"""Seconds for each byte of an archive: without a compiler, ten events take that."""

LEAST_PATIENCE: Final = 60.0
GROWTH: Final = 100
"""A location's events are at most so many times as large as the archive's files."""

TICKS: Final = 10**9
LONGEST: Final = 2**60
"""Nanoseconds of a run; longer ones are no times."""


def read_otf2(anchor: Path) -> Trace:
    """Return the trace of an archive, given its anchor file (.otf2).

    The first thread of each process stands for it.

    Raises
    ------
    TraceUnusable
        If it cannot be read, or no MPI is in it.
    """
    if library_path() is None:
        raise TraceUnusable(
            anchor, "archives of OTF2 need libotf2: pip install 'scalewatch[otf2]'"
        )
    with TemporaryDirectory(prefix="otf2-") as folder:
        _run_child(anchor, Path(folder))
        definitions = Definitions.load(Path(folder, DEFINITIONS))
        if definitions.resolution < 1:
            raise TraceUnusable(anchor, "its clock has no resolution")
        ranks = definitions.ranks()
        events = [_mapped(events_file(Path(folder), each)) for each in ranks]
        return _trace(anchor, definitions, events)


def _run_child(anchor: Path, folder: Path) -> None:
    collector = build_collector(loops_folder())
    size = _size(anchor)
    read_in_child(
        anchor,
        child.__name__,
        [
            *(str(folder), str(collector or "")),
            *(str(MEMORY), str(GROWTH * size + 2**20)),
        ],
        reader="libotf2",
        patience=max(LEAST_PATIENCE, PATIENCE_PER_BYTE * size),
    )


def _size(anchor: Path) -> int:
    """Return the size of an archive in bytes: its anchor, and what lies beside it."""
    try:
        beside = anchor.parent.glob(f"{anchor.stem}*")
        named = [anchor, *beside, *anchor.with_suffix("").glob("*")]
        return sum(each.stat().st_size for each in {*named} if each.is_file())
    except OSError as error:
        raise TraceUnusable(anchor, error.strerror or str(error)) from None


def _mapped(path: Path) -> Events:
    count = path.stat().st_size // EVENT.itemsize
    return np.memmap(path, EVENT, "r", shape=(count,)) if count else np.zeros(0, EVENT)


def _trace(anchor: Path, definitions: Definitions, events: Sequence[Events]) -> Trace:
    filled = [own for own in events if len(own)]
    if not filled:
        raise TraceUnusable(anchor, "it holds no events")
    base = min(int(own["time"].min()) for own in filled)
    of_mpi = np.array(definitions.functions_of_mpi(), np.int64)
    found: list[_ProcessCalls] = []
    last = 0
    for own in events:
        times = _nanoseconds(anchor, own["time"], base, definitions.resolution)
        own_last = int(times.max(initial=0))
        first = int(times.min(initial=own_last))
        found.append(_ProcessCalls(calls_of(own, times, of_mpi), first, own_last))
        last = max(last, own_last)
    if not any(len(each.calls.records) for each in found):
        raise TraceUnusable(anchor, "no call of MPI is in it")
    if not last:
        raise TraceUnusable(anchor, "the run took no time")
    return _of_calls(definitions, found, last)


def _nanoseconds(
    anchor: Path, ticks: NDArray[np.uint64], base: int, resolution: int
) -> Indices:
    since = np.asarray(ticks) - np.uint64(base)
    if resolution == TICKS:
        longest = int(since.max(initial=0))
    else:
        scaled = since.astype(np.float64) * (TICKS / resolution)
        longest = int(scaled.max(initial=0))
    if longest > LONGEST:
        raise TraceUnusable(anchor, "its times are beyond those of any run")
    return (since if resolution == TICKS else scaled).astype(np.int64)


@dataclass(frozen=True, slots=True)
class _ProcessCalls:
    """The calls of a process, and when its first and last event were in ns."""

    calls: Calls
    first: int
    last: int

    @property
    def running(self) -> Indices:
        """When it was outside of MPI: begins and ends, shape (k, 2)."""
        records = self.calls.records
        whole = records[(records["flags"] & Flag.PART) == 0]
        start = whole["start"].astype(np.int64)
        end = np.maximum.accumulate(start + whole["took"].astype(np.int64))
        begins, ends = np.r_[self.first, end], np.r_[start, self.last]
        return np.stack([begins, np.maximum(begins, ends)], axis=1)


def _of_calls(
    definitions: Definitions, found: Sequence[_ProcessCalls], runtime: int
) -> Trace:
    functions, function_of = _numbered(
        [each.calls.function for each in found], lambda n: definitions.region(n).name
    )
    sites, site_of = _numbered(
        [each.calls.caller for each in found], lambda n: _site(definitions, n)
    )
    members = definitions.members(len(found))
    # Numbers from 1 on: 0 is the world, of calls of which nothing else is known.
    numbers = {reference: place for place, reference in enumerate(members, start=1)}
    communicators = {0: np.arange(len(found), dtype=np.int64)}
    for reference, ranks in members.items():
        communicators[numbers[reference]] = np.array(ranks, np.int64)
    processes = []
    for rank, each in enumerate(found):
        records = each.calls.records
        records["function"], records["site"] = function_of[rank], site_of[rank]
        has_told = (records["flags"] != 0) | (records["bytes"] > 0)
        used, place = np.unique(records["communicator"], return_inverse=True)
        renumbered = np.array([numbers.get(one, 0) for one in used.tolist()], np.int64)
        told = renumbered[place.reshape(-1)] if len(used) else place
        records["communicator"] = np.where(has_told, told, 0)
        running = each.running
        useful = int((running[:, 1] - running[:, 0]).sum())
        processes.append(Process(rank, records, useful, running))
    return Trace(
        processes,
        functions,
        sites,
        communicators,
        runtime,
        remarks=_remarks(definitions, [each.calls for each in found]),
    )


def _numbered(
    parts: Sequence[Indices], named: Callable[[int], T]
) -> tuple[list[T], list[Indices]]:
    """Return the names of regions, each once, and the number of the name of each."""
    regions, place = np.unique(np.concatenate(parts), return_inverse=True)
    names = [named(region) for region in regions.tolist()]
    once = {name: number for number, name in enumerate(dict.fromkeys(names))}
    numbers = np.array([once[name] for name in names], np.int64)[place.reshape(-1)]
    ends = np.cumsum([len(part) for part in parts])
    return list(once), np.split(numbers, ends[:-1])


def _site(definitions: Definitions, number: int) -> Site:
    """Return the place of a caller; EZTrace's own regions are none."""
    region = definitions.region(number)
    return Site(region.file, caller=region.name) if "." in region.file else Site()


def _remarks(definitions: Definitions, found: Sequence[Calls]) -> tuple[str, ...]:
    left_open = sum(calls.left_open for calls in found)
    backwards = sum(calls.backwards for calls in found)
    remarks = []
    if definitions.repeated:
        remarks.append(f"{definitions.repeated} definitions came twice, the last holds")
    if left_open:
        remarks.append(f"{left_open} calls have no end")
    if backwards:
        remarks.append(f"in {backwards} calls time ran backwards: they took none")
    return tuple(remarks)

"""Read a trace that the agent has recorded: a folder with files of each process."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces.matching import calls_of
from scalewatch_agent.traces.own.clocks import Timeline, timeline
from scalewatch_agent.traces.own.definitions import (
    Definitions,
    common_communicators,
    read_definitions,
)
from scalewatch_agent.traces.own.sites import common_sites
from scalewatch_agent.traces.records import (
    Flag,
    RecordFile,
    Records,
    open_records,
)
from scalewatch_agent.traces.trace import Process, Trace

HEADER: Final = "trace.json"
NOTHING: Final = (
    "no MPI call was recorded: the program calls none, ended before MPI_Init, or is "
    "linked so that nothing can come between it and its MPI library (statically, or "
    "with -Bsymbolic)"
)
_RANK: Final = re.compile(r"rank\.(\d+)(?:\.(\d+))?\.swt")


@dataclass(frozen=True, slots=True)
class _Recorded:
    """What a process has left: the records of its threads, and their meaning."""

    rank: int
    threads: Sequence[RecordFile]
    definitions: Definitions
    times: Timeline


def is_own_trace(path: Path) -> bool:
    """Tell whether a folder holds a trace of the agent's."""
    return path.is_dir() and ((path / HEADER).is_file() or any(path.glob("rank.*.swt")))


def read_own(path: Path) -> Trace:
    """Return the trace in a folder.

    Raises
    ------
    TraceUnusable
        If a process is missing, files are of two runs, or nothing was recorded.
    """
    header = _header(path)
    files = _files(path)
    recorded = [_recorded(path, rank, threads) for rank, threads in files.items()]
    functions = next(one.definitions.functions for one in recorded if one.rank == 0)
    roots = [Path(root) for root in header.get("roots", ())]
    program = header.get("program")
    all_definitions = [one.definitions for one in recorded]
    sites, places = common_sites(
        all_definitions, Path(program) if program else None, roots
    )
    communicators, meanings = common_communicators(all_definitions)
    processes = []
    backwards = 0
    for one, table, meaning in zip(recorded, places, meanings, strict=True):
        records = _joined(one.threads)
        _check(path, one.rank, records, len(functions), len(table))
        backwards += one.times.apply(records, len(one.threads) == 1)
        _translate(records, table, meaning)
        if len(one.threads) > 1:
            records = _in_order(records)
        processes.append(_process(one, records))
    if not any(len(process.records) for process in processes):
        raise TraceUnusable(path, NOTHING)
    begin = min(one.times.begin for one in recorded)
    return Trace(
        processes=processes,
        functions=functions,
        sites=sites,
        communicators=communicators,
        runtime=max(one.times.end for one in recorded) - begin,
        is_truncated=any(file.is_truncated for one in recorded for file in one.threads),
        remarks=tuple(_remarks(recorded, sites, backwards)),
    )


def _header(path: Path) -> Mapping[str, Any]:
    try:
        content = json.loads((path / HEADER).read_text())
    except FileNotFoundError:
        return {}  # recorded by hand
    except (OSError, ValueError) as error:
        raise TraceUnusable(path / HEADER, f"it cannot be read: {error}") from None
    if not isinstance(content, dict):
        raise TraceUnusable(path / HEADER, "it holds no object")
    return content


def _files(path: Path) -> Mapping[int, list[RecordFile]]:
    """Return the files of each process, those of its threads in order."""
    if not path.is_dir():
        raise TraceUnusable(path, NOTHING)
    names = [
        (int(match[1]), int(match[2] or 0), file)
        for file in path.iterdir()
        if (match := _RANK.fullmatch(file.name))
    ]
    if not names:
        raise TraceUnusable(path, NOTHING)
    files: dict[int, list[RecordFile]] = {}
    runs, sizes = set(), set()
    for rank, _, file in sorted(names):
        opened = open_records(file)
        runs.add(opened.run)
        sizes.add(opened.processes)
        files.setdefault(rank, []).append(opened)
    if len(runs) > 1 or len(sizes) > 1:
        raise TraceUnusable(path, "its files are of two runs: keep each in a folder")
    missing = sorted(set(range(sizes.pop())) - files.keys())
    if missing:
        raise TraceUnusable(
            path, f"the records of process {missing[0]} are missing, of {len(missing)}"
        )
    return files


def _recorded(path: Path, rank: int, threads: Sequence[RecordFile]) -> _Recorded:
    definitions = read_definitions(path / f"rank.{rank}.def", threads[0].processes)
    if rank == 0 and not definitions.functions:
        raise TraceUnusable(definitions.path, "it does not name the functions")
    return _Recorded(rank, threads, definitions, timeline(definitions, threads))


def _joined(threads: Sequence[RecordFile]) -> Records:
    if len(threads) == 1:
        return threads[0].records
    return np.concatenate([one.records for one in threads])


def _check(path: Path, rank: int, records: Records, functions: int, sites: int) -> None:
    if not len(records):
        return
    if records["function"].max() >= functions or records["site"].max() >= sites:
        raise TraceUnusable(
            path, f"the records of process {rank} name what it has not defined"
        )


def _translate(
    records: Records,
    places: NDArray[np.uint32],
    meaning: Mapping[int, tuple[int, int]],
) -> None:
    """Put the numbers of the trace in the place of those of a process."""
    if not np.array_equal(places, np.arange(len(places))):
        records["site"] = places[records["site"]]
    if any(number != common or shift for number, (common, shift) in meaning.items()):
        table = np.zeros((max(meaning) + 1, 2), np.int64)
        for number, pair in meaning.items():
            table[number] = pair
        own = np.minimum(records["communicator"], max(meaning))
        records["communicator"] = table[own, 0]
        if table[:, 1].any():
            records["peer"] += np.where(records["peer"] >= 0, table[own, 1], 0).astype(
                np.int32
            )


def _in_order(records: Records) -> Records:
    """Return the records of several threads by the start of their calls."""
    calls = calls_of(records)
    return records[np.lexsort((calls, records["start"][calls]))]


def _process(one: _Recorded, records: Records) -> Process:
    master = one.threads[0].records
    calls = (np.asarray(master["flags"]) & Flag.PART) == 0
    in_mpi = int(master["took"][calls].sum()) if len(master) else 0
    begin, end = one.times.begin, one.times.end
    return Process(one.rank, records, end - begin - in_mpi, span=(begin, end))


def _remarks(
    recorded: Sequence[_Recorded], sites: Sequence[Any], backwards: int
) -> list[str]:
    remarks = []
    if lost := [one for one in recorded if one.definitions.lost]:
        first = lost[0]
        reason = first.definitions.lost
        remarks.append(f"process {first.rank} has lost records: {reason}")
    if any(one.definitions.end is None for one in recorded):
        remarks.append("the program did not reach MPI_Finalize")
    if backwards:
        remarks.append(f"time runs backwards {backwards} times, and was held there")
    if any(site.caller and not site.line for site in sites):
        remarks.append("places without a line: compile with -g")
    if any(len(one.threads) > 1 for one in recorded):
        remarks.append("several threads call MPI: the useful time is that of the first")
    return remarks

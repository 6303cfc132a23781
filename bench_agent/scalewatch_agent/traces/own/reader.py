"""Read a trace that the agent has recorded: a folder with files of each process."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces import stored, trace
from scalewatch_agent.traces.own.definitions import (
    Definitions,
    common_communicators,
    read_definitions,
)
from scalewatch_agent.traces.own.records import (
    Timeline,
    Translation,
    forwards,
    merged,
    seen,
    timeline,
)
from scalewatch_agent.traces.own.sites import common_sites
from scalewatch_agent.traces.records import RecordFile, Records, open_records

HEADER: Final = "trace.json"
NOTHING: Final = (
    "no MPI call was recorded: the program calls none, ended before MPI_Init, or is "
    "linked so that nothing can come between it and its MPI library (statically, or "
    "with -Bsymbolic)"
)
_RANK: Final = re.compile(r"rank\.(\d+)(?:\.(\d+))?\.swt")


@dataclass(frozen=True, slots=True)
class _Recorded:
    """Files of a process: the records of its threads, and their meaning."""

    rank: int
    threads: Sequence[RecordFile]
    definitions: Definitions
    times: Timeline


def is_own_trace(path: Path) -> bool:
    """Tell whether a folder holds a trace of the agent's."""
    return path.is_dir() and ((path / HEADER).is_file() or any(path.glob("rank.*.swt")))


def read_own(path: Path) -> trace.Trace:
    """Return the trace in a folder.

    Raises
    ------
    TraceUnusable
        If a process is missing, files are of two runs, or nothing was recorded.
    """
    header = _header(path)
    files = _files(path)
    recorded = []
    for rank, threads in files.items():
        definitions = read_definitions(path / f"rank.{rank}.def", threads[0].processes)
        times = timeline(definitions, threads)
        recorded.append(_Recorded(rank, threads, definitions, times))
    first = next(each.definitions for each in recorded if each.rank == 0)
    if not (functions := first.functions):
        raise TraceUnusable(first.path, "it does not name the functions")
    roots = [Path(root) for root in header.get("roots", ())]
    program = header.get("program")
    all_definitions = [each.definitions for each in recorded]
    sites, places = common_sites(
        all_definitions, Path(program) if program else None, roots
    )
    communicators, meanings = common_communicators(all_definitions)
    processes = []
    backwards = 0
    for left, table, meaning in zip(recorded, places, meanings, strict=True):
        translation = Translation.of(left.times, table, meaning)
        process, turns = _process(path, left, translation, len(functions), len(table))
        backwards += turns
        processes.append(process)
    if not any(len(process.records) for process in processes):
        raise TraceUnusable(path, NOTHING)
    begin = min(each.times.begin for each in recorded)
    return trace.Trace(
        processes=processes,
        functions=functions,
        sites=sites,
        communicators=communicators,
        runtime=max(each.times.end for each in recorded) - begin,
        is_truncated=any(
            file.is_truncated for each in recorded for file in each.threads
        ),
        remarks=_remarks(recorded, sites, backwards),
    )


def _header(path: Path) -> Mapping[str, Any]:
    try:
        content = json.loads((path / HEADER).read_text())
    except FileNotFoundError:
        return {}  # recorded by hand
    except (OSError, ValueError, RecursionError) as error:
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
        others = f", and {len(missing) - 1} others" if len(missing) > 1 else ""
        reason = f"the records of process {missing[0]} are missing{others}"
        raise TraceUnusable(path, reason)
    return files


def _process(
    path: Path,
    left: _Recorded,
    translation: Translation,
    functions: int,
    sites: int,
) -> tuple[trace.Process, int]:
    """Return a process, and how often time ran backwards in it."""

    def check(records: Records) -> None:
        if records["function"].max() >= functions or records["site"].max() >= sites:
            raise TraceUnusable(
                path,
                f"the records of process {left.rank} name what it has not defined",
            )

    summaries = [seen(thread.records, left.times, check) for thread in left.threads]
    threads = [thread.records.translated(translation) for thread in left.threads]
    records: stored.Rows
    if len(threads) > 1:
        records, backwards = merged(threads), 0
    elif backwards := summaries[0].backwards:
        records = forwards(threads[0])
    else:
        records = threads[0]
    begin, end = left.times.begin, left.times.end
    useful = end - begin - summaries[0].in_mpi
    return trace.Process(left.rank, records, useful, span=(begin, end)), backwards


def _remarks(
    recorded: Sequence[_Recorded], sites: Sequence[trace.Site], backwards: int
) -> tuple[str, ...]:
    remarks = []
    if lost := [each for each in recorded if each.definitions.lost]:
        first = lost[0]
        reason = first.definitions.lost
        remarks.append(f"process {first.rank} has lost records: {reason}")
    if any(each.definitions.end is None for each in recorded):
        remarks.append("the program did not reach MPI_Finalize")
    elif cut := [
        each.rank
        for each in recorded
        if any(file.is_truncated for file in each.threads)
    ]:
        remarks.append(f"records of process {cut[0]} are cut off at the end")
    if backwards:
        remarks.append(f"time runs backwards {backwards} times, and was held there")
    if any(site.caller and not site.line for site in sites):
        remarks.append("places without a line: compile with -g")
    if any(len(each.threads) > 1 for each in recorded):
        remarks.append("several threads call MPI: the useful time is that of the first")
    return tuple(remarks)

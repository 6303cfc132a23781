"""Read a trace of Extrae."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces import trace
from scalewatch_agent.traces.paraver.calls import (
    KINDS,
    THREAD,
    CallCollector,
    Calls,
    read_labels,
)
from scalewatch_agent.traces.paraver.lines import Header, Numbers, read_lines
from scalewatch_agent.traces.stored import Spool, part
from scalewatch_agent.traces.trace import MESSAGE as FOUND

RUNNING: Final = 1
SUFFIXES: Final = (".prv", ".prv.gz")
MOST_SITES: Final = 65_536
MOST_FUNCTIONS: Final = 1_000
_STATE_TASK, _STATE_THREAD, _BEGIN, _END, _STATE = 3, 4, 5, 6, 7
_SENDER, _SENT, _RECEIVER, _RECEIVED, _SIZE = 3, 5, 9, 12, 13

SPAN: Final = np.dtype([("span", "<i8", 2)])
RUN: Final = np.dtype([("task", "<i4"), ("span", "<i8", 2)])
MESSAGE: Final = np.dtype(
    [
        ("sender", "<i4"),
        ("receiver", "<i4"),
        ("sent", "<i8"),
        ("received", "<i8"),
        ("size", "<i8"),
    ]
)
"""Fields of messages: tasks, times of the calls in ns, bytes."""


def read_paraver(path: Path) -> trace.Trace:
    """Return the trace in a .prv or .prv.gz file.

    Names come from the .pcf file beside it. The master thread stands for its process.

    Raises
    ------
    TraceUnusable
        If it cannot be read, or no MPI is in it.
    """
    header, blocks = read_lines(path, KINDS)
    running, messages, collector = Spool(RUN), Spool(MESSAGE), CallCollector()
    for block in blocks:
        columns = (
            block.states[:, _STATE_TASK],
            block.events[:, 0],
            block.messages[:, _SENDER],
            block.messages[:, _RECEIVER],
        )
        for tasks in columns:
            outside = (tasks < 1) | (tasks > header.tasks)
            if outside.any():
                raise TraceUnusable(
                    path, f"task {tasks[outside][0]} is none of {header.tasks}"
                )
        if (block.states[:, _END] < block.states[:, _BEGIN]).any():
            raise TraceUnusable(path, "a state ends before it begins")
        is_running = (block.states[:, _STATE] == RUNNING) & (
            block.states[:, _STATE_THREAD] == 1
        )
        chosen = block.states[is_running]
        rows = np.zeros(len(chosen), RUN)
        rows["task"], rows["span"] = chosen[:, _STATE_TASK], chosen[:, [_BEGIN, _END]]
        running.add(rows)
        messages.add(_sent(block.messages))
        collector.add(block.events[block.events[:, THREAD] == 1])
        if collector.sites > MOST_SITES or collector.functions > MOST_FUNCTIONS:
            raise TraceUnusable(path, f"it has over {MOST_SITES} locations of calls")
    calls = collector.calls(header.tasks, read_labels(_labels_beside(path)))
    if not len(calls.records):
        raise TraceUnusable(path, "no call of MPI is in it")
    return _trace(path, header, calls, messages.rows(), _by_task(header, running))


def _labels_beside(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(".gz").removesuffix(".prv") + ".pcf")


def _sent(messages: Numbers) -> NDArray[Any]:
    rows = np.zeros(len(messages), MESSAGE)
    rows["sender"], rows["receiver"] = messages[:, _SENDER], messages[:, _RECEIVER]
    rows["sent"], rows["received"] = messages[:, _SENT], messages[:, _RECEIVED]
    rows["size"] = messages[:, _SIZE]
    return rows


def _by_task(header: Header, running: Spool) -> list[Numbers]:
    """Return the begins and ends of each task, shape (k, 2), mapped."""
    rows = running.rows()
    order = np.lexsort((rows["span"][:, 0], rows["task"]))
    bounds = np.searchsorted(rows["task"][order], np.arange(1, header.tasks + 2))
    ordered = Spool(SPAN)
    for begin, end in itertools.pairwise(bounds):
        ordered.add(rows["span"][order[begin:end]].view(SPAN).reshape(-1))
    spans = ordered.rows()["span"].reshape(-1, 2)
    return [spans[begin:end] for begin, end in itertools.pairwise(bounds)]


def _trace(
    path: Path,
    header: Header,
    calls: Calls,
    messages: NDArray[Any],
    running: Sequence[Numbers],
) -> trace.Trace:
    world = np.arange(header.tasks, dtype=np.int64)
    communicators = {0: world, **header.communicators}
    processes = []
    for rank in range(header.tasks):
        records = calls.records[calls.bounds[rank] : calls.bounds[rank + 1]]
        roots = np.flatnonzero(records["tag"])
        for number in np.unique(records["communicator"][roots]).tolist():
            members = communicators.get(number, world)
            position = np.flatnonzero(members == rank)
            inside = roots[records["communicator"][roots] == number]
            records["peer"][inside] = position[0] if len(position) else -1
        records["tag"] = 0
        computing = running[rank]
        useful = int((computing[:, 1] - computing[:, 0]).sum())
        processes.append(trace.Process(rank, records, useful, computing))
    matched = _messages(processes, messages)
    stored = calls.spool.stored()
    processes = [
        replace(process, records=part(stored, begin, end))
        for process, (begin, end) in zip(
            processes, itertools.pairwise(calls.bounds.tolist()), strict=True
        )
    ]
    remarks = []
    if calls.left_open:
        remarks.append(f"{calls.left_open} calls have no end")
    if not _labels_beside(path).exists():
        remarks.append(f"without {_labels_beside(path).name} functions have no names")
    return trace.Trace(
        processes,
        calls.functions,
        calls.sites,
        communicators,
        header.runtime,
        matched,
        remarks=tuple(remarks),
    )


def _messages(processes: list[trace.Process], messages: NDArray[Any]) -> trace.Messages:
    """Find the calls that messages were sent and received by, and note them there."""
    sender = messages["sender"].astype(np.int64) - 1
    receiver = messages["receiver"].astype(np.int64) - 1
    send = _calls_at(processes, sender, messages["sent"])
    receive = _calls_at(processes, receiver, messages["received"])
    known = (send >= 0) & (receive >= 0)
    sender, send = sender[known], send[known]
    receiver, receive = receiver[known], receive[known]
    sizes = np.maximum(0, messages["size"][known]).astype(np.uint64)
    rows = np.zeros(len(sender), FOUND)
    rows["sender"], rows["send"] = sender, send
    rows["receiver"], rows["receive"] = receiver, receive
    for number, process in enumerate(processes):
        inside = sender == number
        np.add.at(process.records["bytes"], send[inside], sizes[inside])
        inside = receiver == number
        np.add.at(process.records["bytes"], receive[inside], sizes[inside])
        rows["posted"][inside] = process.records["start"][receive[inside]]
    return trace.Messages(rows, 2 * int(len(known) - known.sum()))


def _calls_at(
    processes: list[trace.Process], ranks: trace.Indices, times: Numbers
) -> trace.Indices:
    """Return the calls during which something happened; -1 outside of all."""
    calls = np.full(len(ranks), -1, np.int64)
    for number, process in enumerate(processes):
        inside = np.flatnonzero(ranks == number)
        start = process.records["start"].astype(np.int64)
        at = np.searchsorted(start, times[inside], "right") - 1
        # At the very moment of an end the next call may have begun already.
        ended = start + process.records["took"].astype(np.int64)
        good = at >= 0
        good[good] = times[inside[good]] <= ended[at[good]]
        calls[inside[good]] = at[good]
    return calls

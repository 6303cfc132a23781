"""Read a trace of Extrae."""

from pathlib import Path
from typing import Final

import numpy as np

from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces.paraver.calls import KINDS, Calls, calls_of
from scalewatch_agent.traces.paraver.labels import read_labels
from scalewatch_agent.traces.paraver.lines import Block, Header, Numbers, read_lines
from scalewatch_agent.traces.trace import Indices, Messages, Process, Trace

RUNNING: Final = 1
SUFFIXES: Final = (".prv", ".prv.gz")
MOST_SITES: Final = 65_536
_STATE_TASK, _STATE_THREAD, _BEGIN, _END, _STATE = 3, 4, 5, 6, 7
_SENDER, _SENT, _RECEIVER, _RECEIVED, _SIZE, _TAG = 3, 5, 9, 12, 13, 14
_TYPE_COLUMN = 3


def read_paraver(path: Path) -> Trace:
    """Return the trace in a .prv or .prv.gz file.

    Names come from the .pcf file beside it. The master thread stands for its process.

    Raises
    ------
    TraceUnusable
        If it cannot be read, or no MPI is in it.
    """
    header, blocks = read_lines(path)
    running = [np.zeros((0, 8), np.int64)]
    events, messages = [np.zeros((0, 5), np.int64)], [np.zeros((0, 15), np.int64)]
    for block in blocks:
        _check(path, header, block)
        running.append(_running(block.states))
        masters = block.events[block.events[:, 1] == 1]
        events.append(masters[np.isin(masters[:, _TYPE_COLUMN], KINDS)])
        messages.append(block.messages)
    labels = read_labels(_labels_beside(path))
    calls = calls_of(np.concatenate(events), labels)
    if not len(calls.records):
        raise TraceUnusable(path, "no call of MPI is in it")
    if len(calls.sites) > MOST_SITES:
        raise TraceUnusable(path, f"it has {len(calls.sites)} locations of calls")
    return _trace(
        path, header, calls, np.concatenate(messages), np.concatenate(running)
    )


def _labels_beside(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(".gz").removesuffix(".prv") + ".pcf")


def _check(path: Path, header: Header, block: Block) -> None:
    """See that every number of a task is one, and that time does not run backwards."""
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


def _running(states: Numbers) -> Numbers:
    is_running = states[:, _STATE] == RUNNING
    running: Numbers = states[is_running & (states[:, _STATE_THREAD] == 1)]
    return running


def _trace(
    path: Path, header: Header, calls: Calls, messages: Numbers, running: Numbers
) -> Trace:
    world = np.arange(header.tasks, dtype=np.int64)
    communicators = {0: world, **header.communicators}
    processes = []
    bounds = np.searchsorted(calls.task, np.arange(1, header.tasks + 2))
    for rank in range(header.tasks):
        records = calls.records[bounds[rank] : bounds[rank + 1]].copy()
        roots = np.flatnonzero(records["tag"])
        for number in np.unique(records["communicator"][roots]).tolist():
            members = communicators.get(number, world)
            own = np.flatnonzero(members == rank)
            inside = roots[records["communicator"][roots] == number]
            records["peer"][inside] = own[0] if len(own) else -1
        records["tag"] = 0
        computing = running[running[:, _STATE_TASK] == rank + 1][:, [_BEGIN, _END]]
        computing = computing[np.argsort(computing[:, 0], kind="stable")]
        useful = int((computing[:, 1] - computing[:, 0]).sum())
        processes.append(Process(rank, records, useful, computing))
    found = _messages(processes, messages)
    remarks = []
    if calls.left_open:
        remarks.append(f"{calls.left_open} calls have no end")
    if not _labels_beside(path).exists():
        remarks.append(f"without {_labels_beside(path).name} functions have no names")
    return Trace(
        processes,
        calls.functions,
        calls.sites,
        communicators,
        header.runtime,
        found,
        remarks=tuple(remarks),
    )


def _messages(processes: list[Process], messages: Numbers) -> Messages:
    """Find the calls that messages were sent and received by, and note them there."""
    sender, receiver = messages[:, _SENDER] - 1, messages[:, _RECEIVER] - 1
    send = _calls_at(processes, sender, messages[:, _SENT])
    receive = _calls_at(processes, receiver, messages[:, _RECEIVED])
    known = (send >= 0) & (receive >= 0)
    sender, send = sender[known], send[known]
    receiver, receive = receiver[known], receive[known]
    sizes = np.maximum(0, messages[known, _SIZE]).astype(np.uint64)
    posted = np.zeros(len(sender), np.int64)
    for number, process in enumerate(processes):
        inside = sender == number
        np.add.at(process.records["bytes"], send[inside], sizes[inside])
        inside = receiver == number
        np.add.at(process.records["bytes"], receive[inside], sizes[inside])
        posted[inside] = process.records["start"][receive[inside]]
    return Messages(
        sender, send, receiver, receive, posted, 2 * int(len(known) - known.sum())
    )


def _calls_at(processes: list[Process], ranks: Indices, times: Numbers) -> Indices:
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

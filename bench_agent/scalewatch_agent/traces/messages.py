"""Find the messages of a trace: which send goes with which receive.

MPI delivers messages of one communicator, sender, receiver and tag in order, so that
the k-th send matches the k-th receive in the order in which receives were posted, not
in which they were completed. Receives know their source and tag from the status, also
where the program has left them open.

A request is posted by one record and completed by another one, perhaps much later. A
first look at the records of a process finds for each mark, a record that has posted a
receive or brought a message, which record brought what was posted there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces import stored
from scalewatch_agent.traces.records import (
    RECORD,
    WINDOW,
    Flag,
    Open,
    Records,
    blocks,
    calls_of,
    pairs,
    windows,
)
from scalewatch_agent.traces.trace import MESSAGE, Indices, Messages, Process, Trace

MARK: Final = np.dtype([("record", "<i8"), ("call", "<i8")])
"""Positions, plus one, of the record that brought a message and of its call; or 0."""


@dataclass(frozen=True, slots=True)
class Received:
    """Messages by the records that brought them, their calls, and when posted in ns."""

    records: Records
    calls: Indices
    posted: Indices


class Posts:
    """The receives of all processes by where they were posted.

    `has_messages` tells whether any end of a message is in the trace.
    """

    def __init__(self, processes: Sequence[Process]) -> None:
        """Look at all records once."""
        self._processes = processes
        lengths = [len(process.records) for process in processes]
        self._begins = np.r_[0, np.cumsum(lengths)].tolist()
        self._marks: stored.Rows = stored.zeros(self._begins[-1], MARK)
        self._done = [0] * len(processes)
        self.has_messages = False
        for number, process in enumerate(processes):
            marks = stored.part(self._marks, *self._begins[number : number + 2])
            requests, count = Open(), 0
            for begin, block in blocks(process.records):
                flags = block["flags"]
                at = np.flatnonzero(flags & (Flag.RECEIVED | Flag.POSTED))
                self.has_messages |= bool(len(at)) or bool((flags & Flag.SENT).any())
                if not len(at):
                    continue
                rows, marked = np.zeros(len(at), MARK), block[at]
                is_brought = (marked["flags"] & Flag.RECEIVED) != 0
                rows["record"] = np.where(is_brought, begin + at + 1, 0)
                if (block["flags"] & Flag.PART).any():
                    rows["call"] = np.where(
                        is_brought, begin + calls_of(block)[at] + 1, 0
                    )
                else:
                    rows["call"] = rows["record"]
                posted = np.flatnonzero(marked["flags"] & Flag.POSTED)
                ended = np.flatnonzero(is_brought & (marked["request"] > 0))
                known, goals = requests.ended(
                    marked["request"][posted].astype(np.int64),
                    count + posted,
                    marked["request"][ended].astype(np.int64),
                )
                moved = rows[ended[known]]
                rows[ended[known]] = 0
                marks[count : count + len(rows)] = rows
                marks[goals] = moved
                count += len(rows)

    def received(self, number: int, begin: int, block: Records) -> Received:
        """Return the messages that were posted in a block of a process's records.

        Blocks have to come in order.
        """
        at = np.flatnonzero(block["flags"] & (Flag.RECEIVED | Flag.POSTED))
        first = self._begins[number] + self._done[number]
        marks = self._marks[first : first + len(at)]
        self._done[number] += len(at)
        is_known = marks["record"] > 0
        marks, at = marks[is_known], at[is_known]
        brought = marks["record"] - 1
        records = np.zeros(len(at), RECORD)
        inside = (brought >= begin) & (brought < begin + len(block))
        records[inside] = block[brought[inside] - begin]
        records[~inside] = self._processes[number].records[brought[~inside]]
        posted = block["start"][at].astype(np.int64)
        return Received(records, marks["call"] - 1, posted)


END: Final = np.dtype(
    [
        ("communicator", "u4"),
        ("source", "i4"),
        ("goal", "i4"),
        ("tag", "i4"),
        ("process", "i4"),
        ("call", "i8"),
        ("posted", "i8"),
    ]
)
"""An end of a message; `posted` is when it was, in ns."""

MOST_KEYS: Final = 1 << 30
"""Possible keys that are numbered as they are; with 2³² ends of each in 63 bits."""

_KEY = ("communicator", "source", "goal", "tag")

Ends = NDArray[Any]
"""Ends of messages of one direction, shape (n,), of type `END`, in order."""


def matched(trace: Trace, size: int = WINDOW) -> Messages:
    """Return the messages of a trace; ends that nothing matches are counted.

    The trace is gone through once, some records of all processes at about one moment
    at a time; ends whose partner comes later wait for it.

    Parameters
    ----------
    size
        Records that are taken at a time.
    """
    if trace.messages is not None:
        return trace.messages
    posts = Posts(trace.processes)
    if not posts.has_messages:
        return Messages(np.zeros(0, MESSAGE))
    messages = stored.Spool(MESSAGE)
    sends = receives = np.zeros(0, END)
    new: list[tuple[Ends, Ends]] = []
    for window in windows([process.records for process in trace.processes], size):
        new.append(_ends_in(trace, posts, window))
        if 2 * sum(len(a) + len(b) for a, b in new) < len(sends) + len(receives):
            continue  # what waits would be sorted far too often
        sends, receives = _put(messages, sends, receives, new)
        new = []
    sends, receives = _put(messages, sends, receives, new)
    alone = np.concatenate([sends["communicator"], receives["communicator"]])
    return Messages(messages.stored(), len(alone), frozenset(np.unique(alone).tolist()))


def _put(
    messages: stored.Spool,
    sends: Ends,
    receives: Ends,
    new: Iterable[tuple[Ends, Ends]],
) -> tuple[Ends, Ends]:
    """Match ends, put the messages down, and return the ends that are left."""
    sends = np.concatenate([sends, *(each for each, _ in new)])
    receives = np.concatenate([receives, *(each for _, each in new)])
    key = _keys(sends, receives)
    first, second = pairs(key[: len(sends)], key[len(sends) :])
    # In the order of the receives, so that those of one process stay together.
    order = np.argsort(second)
    first, second = first[order], second[order]
    rows = np.zeros(len(first), MESSAGE)
    rows["sender"], rows["send"] = sends["process"][first], sends["call"][first]
    rows["receiver"] = receives["process"][second]
    rows["receive"] = receives["call"][second]
    rows["posted"] = receives["posted"][second]
    rows["communicator"] = receives["communicator"][second]
    messages.add(rows)
    return _without(sends, first), _without(receives, second)


def _without(ends: Ends, chosen: Indices) -> Ends:
    is_left = np.ones(len(ends), bool)
    is_left[chosen] = False
    return ends[is_left]


def world_ranks(
    communicators: Mapping[int, NDArray[np.int64]], numbers: Indices, ranks: Indices
) -> Indices:
    """Return ranks in MPI_COMM_WORLD; -1 of what a communicator does not hold."""
    world = np.full(len(ranks), -1, np.int64)
    for number in np.unique(numbers):
        members = communicators.get(int(number))
        if members is not None:
            inside = (numbers == number) & (ranks >= 0) & (ranks < len(members))
            world[inside] = members[ranks[inside]]
    return world


def _ends_in(
    trace: Trace, posts: Posts, window: list[tuple[int, int]]
) -> tuple[Ends, Ends]:
    """Return the sends and the receives of all processes in a window."""
    sends, receives = [np.zeros(0, END)], [np.zeros(0, END)]
    for number, (begin, end) in enumerate(window):
        if begin == end:
            continue
        process = trace.processes[number]
        block = process.records[begin:end]
        wanted = np.flatnonzero(block["flags"] & Flag.SENT)
        ends = _ends(trace, number, block, wanted)
        has_parts = (block["flags"] & Flag.PART).any()
        calls = calls_of(block) if has_parts else np.arange(len(block))
        ends["call"] = begin + calls[wanted]
        ends["goal"], ends["source"] = ends["source"], process.rank
        sends.append(ends[ends["goal"] >= 0])
        brought = posts.received(number, begin, block)
        ends = _ends(trace, number, brought.records, slice(None))
        ends["call"], ends["posted"] = brought.calls, brought.posted
        ends["goal"] = process.rank
        receives.append(ends[ends["source"] >= 0])
    return np.concatenate(sends), np.concatenate(receives)


def _ends(trace: Trace, number: int, records: Records, wanted: Any) -> Ends:
    """Return the ends of messages at some records; `source` is their partner."""
    chosen = records[wanted]
    ends = np.zeros(len(chosen), END)
    ends["communicator"], ends["tag"] = chosen["communicator"], chosen["tag"]
    ends["process"] = number
    ends["source"] = world_ranks(
        trace.communicators,
        chosen["communicator"].astype(np.int64),
        chosen["peer"].astype(np.int64),
    )
    return ends


def _keys(sends: NDArray[np.void], receives: NDArray[np.void]) -> Indices:
    """Return numbers of the keys of all ends, the same for the same key."""
    key = np.zeros(len(sends) + len(receives), np.int64)
    largest = 0
    for name in _KEY:
        column = np.concatenate([sends[name], receives[name]]).astype(np.int64)
        low, high = (int(column.min()), int(column.max())) if len(column) else (0, 0)
        span = high - low + 1
        if (largest + 1) * span > MOST_KEYS:
            # Few of all possible keys occur: number those alone.
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            column = np.unique(column, return_inverse=True)[1].astype(np.int64)
            low, span = 0, int(column.max()) + 1
            largest = int(key.max())
        key = key * span + (column - low)
        largest = (largest + 1) * span - 1
    if largest > MOST_KEYS:
        key = np.unique(key, return_inverse=True)[1].astype(np.int64)
    return key

"""Find the messages of a trace: which send goes with which receive.

MPI delivers messages of one communicator, sender, receiver and tag in order, so that
the k-th send matches the k-th receive in the order in which receives were posted, not
in which they were completed. Receives know their source and tag from the status, also
where the program has left them open.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces.records import Flag, Records
from scalewatch_agent.traces.trace import Indices, Messages, Trace

END = np.dtype(
    [
        ("communicator", "i8"),
        ("source", "i8"),
        ("goal", "i8"),
        ("tag", "i8"),
        ("order", "i8"),
        ("process", "i8"),
        ("call", "i8"),
    ]
)
"""An end of a message; `order` is when it was posted, in ns."""

_KEY = ("communicator", "source", "goal", "tag")


def matched(trace: Trace) -> Messages:
    """Return the messages of a trace; ends that nothing matches are counted."""
    if trace.messages is not None:
        return trace.messages
    sends = _joined([_sends(trace, number) for number in range(len(trace.processes))])
    receives = _joined(
        [_receives(trace, number) for number in range(len(trace.processes))]
    )
    first, second = _pairs(sends, receives)
    unmatched = len(sends) + len(receives) - 2 * len(first)
    sends, receives = sends[first], receives[second]
    return Messages(
        sends["process"],
        sends["call"],
        receives["process"],
        receives["call"],
        receives["order"],
        unmatched,
    )


def calls_of(records: Records) -> Indices:
    """Return the position of each record's call, its own or that of a part, (n,)."""
    numbers = np.arange(len(records))
    return np.maximum.accumulate(
        np.where(records["flags"] & Flag.PART, 0, numbers), dtype=np.int64
    )


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


def _ends(trace: Trace, number: int, wanted: Indices) -> NDArray[np.void]:
    """Return the ends of messages at some records of a process, without direction."""
    process = trace.processes[number]
    chosen = process.records[wanted]
    ends: NDArray[np.void] = np.zeros(len(wanted), END)
    ends["communicator"] = chosen["communicator"]
    ends["tag"] = chosen["tag"]
    ends["order"] = chosen["start"]
    ends["process"] = number
    ends["call"] = wanted
    ends["source"] = ends["goal"] = world_ranks(
        trace.communicators,
        chosen["communicator"].astype(np.int64),
        chosen["peer"].astype(np.int64),
    )
    return ends


def _sends(trace: Trace, number: int) -> NDArray[np.void]:
    process = trace.processes[number]
    wanted = np.flatnonzero(process.records["flags"] & Flag.SENT)
    ends = _ends(trace, number, wanted)
    ends["source"] = process.rank
    return ends[ends["goal"] >= 0]


def _receives(trace: Trace, number: int) -> NDArray[np.void]:
    process = trace.processes[number]
    records = process.records
    flags = np.asarray(records["flags"])
    wanted = np.flatnonzero(flags & Flag.RECEIVED)
    ends = _ends(trace, number, wanted)
    ends["goal"] = process.rank
    if (flags & Flag.PART).any():
        ends["call"] = calls_of(records)[wanted]
        _take_posts(ends, records, wanted, np.flatnonzero(flags & Flag.POSTED))
    return ends[ends["source"] >= 0]


def _take_posts(
    ends: NDArray[np.void], records: Records, wanted: Indices, posts: Indices
) -> None:
    """Date receives of requests back to where they were posted."""
    requests = records["request"][posts]
    order = np.argsort(requests, kind="stable")
    sought = records["request"][wanted]
    place = np.searchsorted(requests[order], sought)
    known = (sought > 0) & (place < len(order))
    known[known] = requests[order[place[known]]] == sought[known]
    posted = posts[order[place[known]]]
    ends["order"][known] = records["start"][posted]
    ends["communicator"][known] = records["communicator"][posted]


def _joined(parts: list[NDArray[np.void]]) -> NDArray[np.void]:
    return np.concatenate(parts) if parts else np.zeros(0, END)


def _pairs(
    sends: NDArray[np.void], receives: NDArray[np.void]
) -> tuple[Indices, Indices]:
    """Return positions of the k-th ends of equal keys."""
    key = _keys(sends, receives)
    split = len(sends)
    ordered = [
        np.lexsort((ends["order"], part))
        for ends, part in ((sends, key[:split]), (receives, key[split:]))
    ]
    marks = [
        _numbered(part[order])
        for part, order in zip((key[:split], key[split:]), ordered, strict=True)
    ]
    _, first, second = np.intersect1d(
        marks[0], marks[1], assume_unique=True, return_indices=True
    )
    return ordered[0][first], ordered[1][second]


def _keys(sends: NDArray[np.void], receives: NDArray[np.void]) -> Indices:
    """Return numbers of the keys of all ends, the same for the same key."""
    key = np.zeros(len(sends) + len(receives), np.int64)
    for name in _KEY:
        column = np.concatenate([sends[name], receives[name]])
        values, place = np.unique(column, return_inverse=True)
        key = np.unique(key * max(1, len(values)) + place, return_inverse=True)[1]
    return key


def _numbered(key: Indices) -> Indices:
    """Return each sorted key with its number among equal ones, in one integer."""
    begins = np.r_[True, key[1:] != key[:-1]] if len(key) else np.zeros(0, bool)
    starts = np.flatnonzero(begins)
    rank = np.arange(len(key)) - np.repeat(starts, np.diff(np.r_[starts, len(key)]))
    return key * (1 << 32) + rank

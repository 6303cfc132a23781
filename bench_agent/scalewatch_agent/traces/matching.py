"""Find the messages of a trace: which send goes with which receive.

MPI delivers messages of one communicator, sender, receiver and tag in order, so that
the k-th send matches the k-th receive in the order in which receives were posted, not
in which they were completed. Receives know their source and tag from the status, also
where the program has left them open.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces.records import Flag, Records
from scalewatch_agent.traces.trace import Indices, Messages, Nanoseconds, Trace

END = np.dtype(
    [
        ("communicator", "u4"),
        ("source", "i4"),
        ("goal", "i4"),
        ("tag", "i4"),
        ("process", "i4"),
        ("order", "i8"),
        ("call", "i8"),
    ]
)
"""An end of a message; `order` is when it was posted, in ns."""

MOST_KEYS: Final = 1 << 30
"""Possible keys that are numbered as they are; with 2³² ends of each in 63 bits."""

MOST_ENDS: Final = 1_000_000
"""Receives whose messages are matched at a time, so that memory follows the largest
receiver of a trace, and not all of it."""

LAST_RANK: Final = 1 << 31

_KEY = ("communicator", "source", "goal", "tag")


def matched(trace: Trace, most_ends: int = MOST_ENDS) -> Messages:
    """Return the messages of a trace; ends that nothing matches are counted.

    Parameters
    ----------
    most_ends
        Receives that are matched at a time, or all those of one process.
    """
    if trace.messages is not None:
        return trace.messages
    groups = [_matched_to(trace, goals) for goals in _goals(trace, most_ends)]
    return Messages(
        np.concatenate([one.sender for one in groups]),
        np.concatenate([one.send for one in groups]),
        np.concatenate([one.receiver for one in groups]),
        np.concatenate([one.receive for one in groups]),
        np.concatenate([one.posted for one in groups]),
        sum(one.unmatched for one in groups),
        frozenset[int]().union(*(one.doubtful for one in groups)),
    )


def _goals(trace: Trace, most_ends: int) -> Iterator[range]:
    """Yield ranges of ranks, all of them together, that receive so many messages."""
    begin = count = 0
    for process in sorted(trace.processes, key=lambda one: one.rank):
        own = int(np.count_nonzero(process.records["flags"] & Flag.RECEIVED))
        if count and count + own > most_ends:
            yield range(begin, process.rank)
            begin, count = process.rank, 0
        count += own
    yield range(begin, LAST_RANK)


def _matched_to(trace: Trace, goals: range) -> Messages:
    """Return the messages to some ranks."""
    sends = _joined([_sends(trace, at, goals) for at in range(len(trace.processes))])
    receives = _joined(
        [
            _receives(trace, at)
            for at, process in enumerate(trace.processes)
            if process.rank in goals
        ]
    )
    first, second = _pairs(sends, receives)
    # Column by column: whole ends are larger than what is wanted of them.
    return Messages(
        sends["process"][first].astype(np.int64),
        sends["call"][first],
        receives["process"][second].astype(np.int64),
        receives["call"][second],
        receives["order"][second],
        len(sends) + len(receives) - 2 * len(first),
        _doubtful(sends, first) | _doubtful(receives, second),
    )


def _doubtful(ends: NDArray[np.void], known: Indices) -> frozenset[int]:
    """Return the communicators of ends that have no partner."""
    if len(known) == len(ends):
        return frozenset()
    is_alone = np.ones(len(ends), bool)
    is_alone[known] = False
    return frozenset(np.unique(ends["communicator"][is_alone]).tolist())


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


def _ends(
    trace: Trace, number: int, wanted: Indices, partners: Indices
) -> NDArray[np.void]:
    """Return the ends of messages at some records of a process, without direction."""
    records = np.asarray(trace.processes[number].records)
    ends: NDArray[np.void] = np.zeros(len(wanted), END)
    ends["communicator"] = records["communicator"][wanted]
    ends["tag"] = records["tag"][wanted]
    ends["order"] = records["start"][wanted]
    ends["process"] = number
    ends["call"] = wanted
    ends["source"] = ends["goal"] = partners
    return ends


def _partners(trace: Trace, number: int, wanted: Indices) -> Indices:
    """Return the ranks in MPI_COMM_WORLD with which records exchange messages."""
    records = np.asarray(trace.processes[number].records)
    return world_ranks(
        trace.communicators,
        records["communicator"][wanted].astype(np.int64),
        records["peer"][wanted].astype(np.int64),
    )


def _sends(trace: Trace, number: int, goals: range) -> NDArray[np.void]:
    process = trace.processes[number]
    wanted = np.flatnonzero(process.records["flags"] & Flag.SENT)
    partners = _partners(trace, number, wanted)
    inside = (partners >= goals.start) & (partners < goals.stop)
    wanted = wanted[inside]
    ends = _ends(trace, number, wanted, partners[inside])
    ends["source"] = process.rank
    if (process.records["flags"][wanted] & Flag.PART).any():
        ends["call"] = calls_of(process.records)[wanted]
    return ends


def _receives(trace: Trace, number: int) -> NDArray[np.void]:
    process = trace.processes[number]
    records = process.records
    flags = np.asarray(records["flags"])
    wanted = np.flatnonzero(flags & Flag.RECEIVED)
    ends = _ends(trace, number, wanted, _partners(trace, number, wanted))
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


def _joined(parts: list[NDArray[np.void]]) -> NDArray[np.void]:
    return np.concatenate(parts) if parts else np.zeros(0, END)


def _pairs(
    sends: NDArray[np.void], receives: NDArray[np.void]
) -> tuple[Indices, Indices]:
    """Return positions of the k-th ends of equal keys."""
    key = _keys(sends, receives)
    first, sent = _numbered(key[: len(sends)], sends["order"])
    second, received = _numbered(key[len(sends) :], receives["order"])
    at = np.searchsorted(received, sent)
    known = at < len(received)
    known[known] = received[at[known]] == sent[known]
    return first[known], second[at[known]]


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


def _numbered(key: Indices, order: Nanoseconds) -> tuple[Indices, Indices]:
    """Return the positions of ends by key and time, and a number for each of these.

    The number holds the key and how many of the same key were before.
    """
    # Nearly always each process has posted in the order of its records already.
    by_key = np.argsort(key, kind="stable")
    key, times = key[by_key], order[by_key]
    if ((times[1:] < times[:-1]) & (key[1:] == key[:-1])).any():
        again = np.lexsort((times, key))
        by_key, key = by_key[again], key[again]
    starts = np.flatnonzero(np.r_[True, key[1:] != key[:-1]][: len(key)])
    lengths = np.diff(np.r_[starts, len(key)])
    before = np.arange(len(key)) - np.repeat(starts, lengths)
    return by_key, key * (1 << 32) + before

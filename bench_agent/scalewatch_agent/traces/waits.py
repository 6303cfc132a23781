"""Wait states: time in a call that another process causes by being late.

    late sender    clip(enter(send) - enter(receive), 0, time of the receive)
    late receiver  clip(posted(receive) - enter(send), 0, time of the send)
    barrier, N x N clip(last enter - own enter, 0, own time)
    late broadcast clip(enter(root) - own enter, 0, own time)
    early reduce   clip(last enter - enter(root), 0, time of the root)

Of a wait for several messages the latest one counts. A send can only wait for a
receiver that was ready before the send ended: otherwise the message went eagerly. Of
a communicator on which ends of messages are missing no late senders and receivers are
told, since the wrong ones may have been matched.

References
----------
Scalasca, "Performance properties": late sender, late receiver, wait at barrier, wait
at N x N, late broadcast, early reduce.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces.functions import (
    ALL_TO_ALL,
    ALL_TO_ROOT,
    BLOCKING_SENDS,
    COLLECTIVES,
    ROOT_TO_ALL,
    numbers_of,
)
from scalewatch_agent.traces.records import Flag
from scalewatch_agent.traces.trace import (
    Indices,
    Messages,
    Nanoseconds,
    Process,
    Trace,
)


@dataclass(frozen=True, slots=True)
class Waits:
    """Waiting of some calls of one process in ns, at positions in its records."""

    calls: Indices
    waited: Nanoseconds


@dataclass(frozen=True, slots=True)
class WaitStates:
    """Waiting of each process, by its cause, in the order of `Trace.processes`."""

    late_sender: tuple[Waits, ...]
    late_receiver: tuple[Waits, ...]
    collective: tuple[Waits, ...]


def wait_states(trace: Trace, messages: Messages) -> WaitStates:
    """Return what the calls of a trace wait for."""
    late_sender, late_receiver = _of_messages(trace, messages)
    return WaitStates(late_sender, late_receiver, _of_collectives(trace))


def _of_messages(
    trace: Trace, messages: Messages
) -> tuple[tuple[Waits, ...], tuple[Waits, ...]]:
    messages = _reliable(trace, messages)
    sent, send_took = _times(trace, messages.sender, messages.send)
    entered, receive_took = _times(trace, messages.receiver, messages.receive)
    late_sender = np.clip(sent - entered, 0, receive_took)
    late_receiver = np.clip(messages.posted - sent, 0, send_took)
    may_wait = _is_blocking_send(trace, messages)
    late_receiver[~may_wait | (sent + send_took <= messages.posted)] = 0
    count = len(trace.processes)
    return (
        _largest(messages.receiver, messages.receive, late_sender, count),
        _largest(messages.sender, messages.send, late_receiver, count),
    )


def _reliable(trace: Trace, messages: Messages) -> Messages:
    """Leave out messages of communicators of which some ends are missing.

    Where only the ends of files are missing, the messages before are what they were.
    """
    if trace.is_truncated or not messages.doubtful:
        return messages
    on = np.zeros(len(messages.send), np.int64)
    for number, process in enumerate(trace.processes):
        inside = messages.sender == number
        on[inside] = process.records["communicator"][messages.send[inside]]
    kept = ~np.isin(on, list(messages.doubtful))
    return replace(
        messages,
        sender=messages.sender[kept],
        send=messages.send[kept],
        receiver=messages.receiver[kept],
        receive=messages.receive[kept],
        posted=messages.posted[kept],
    )


def _times(
    trace: Trace, numbers: Indices, calls: Indices
) -> tuple[Nanoseconds, Nanoseconds]:
    """Return when calls began and what they took."""
    start, took = np.zeros(len(calls), np.int64), np.zeros(len(calls), np.int64)
    for number, process in enumerate(trace.processes):
        inside = numbers == number
        start[inside] = process.records["start"][calls[inside]]
        took[inside] = process.records["took"][calls[inside]]
    return start, took


def _is_blocking_send(trace: Trace, messages: Messages) -> NDArray[np.bool_]:
    wanted = numbers_of(trace.functions, BLOCKING_SENDS)
    blocking = np.zeros(len(messages.send), bool)
    for number, process in enumerate(trace.processes):
        inside = messages.sender == number
        functions = process.records["function"][messages.send[inside]]
        blocking[inside] = np.isin(functions, wanted)
    return blocking


def _largest(
    numbers: Indices, calls: Indices, waited: Nanoseconds, count: int
) -> tuple[Waits, ...]:
    """Return for each process its calls that wait, and the longest wait of each."""
    waits = []
    for number in range(count):
        inside = (numbers == number) & (waited > 0)
        unique, place = np.unique(calls[inside], return_inverse=True)
        longest = np.zeros(len(unique), np.int64)
        np.maximum.at(longest, place, waited[inside])
        waits.append(Waits(unique, longest))
    return tuple(waits)


@dataclass(frozen=True, slots=True)
class Operations:
    """The collective operations of a communicator: the calls of its members.

    All arrays have the shape (members, operations of the communicator).
    """

    numbers: Indices
    calls: Indices
    start: Nanoseconds
    took: Nanoseconds
    function: Indices
    is_root: NDArray[np.bool_]


def _of_collectives(trace: Trace) -> tuple[Waits, ...]:
    kinds = [
        numbers_of(trace.functions, names)
        for names in (ALL_TO_ALL, ROOT_TO_ALL, ALL_TO_ROOT)
    ]
    found: list[list[Waits]] = [[] for _ in trace.processes]
    for operations in operations_of(trace):
        waited = _waited(operations, *kinds)
        for number, calls, times in zip(
            operations.numbers, operations.calls, waited, strict=True
        ):
            late = times > 0
            found[number].append(Waits(calls[late], times[late]))
    nothing = np.zeros(0, np.int64)
    return tuple(
        Waits(
            np.concatenate([nothing, *(one.calls for one in waits)]),
            np.concatenate([nothing, *(one.waited for one in waits)]),
        )
        for waits in found
    )


def _waited(
    operations: Operations,
    all_to_all: list[int],
    root_to_all: list[int],
    all_to_root: list[int],
) -> Nanoseconds:
    start, function = operations.start, operations.function[0]
    waited = np.zeros_like(start)
    last = start.max(axis=0)
    roots = np.where(operations.is_root, start, -1).max(axis=0)
    chosen = np.isin(function, all_to_all)
    waited[:, chosen] = (last - start)[:, chosen]
    chosen = np.isin(function, root_to_all) & (roots >= 0)
    waited[:, chosen] = (roots - start)[:, chosen]
    chosen = np.isin(function, all_to_root) & (roots >= 0)
    waited[:, chosen] = np.where(operations.is_root, last - start, 0)[:, chosen]
    return np.clip(waited, 0, operations.took)


def operations_of(trace: Trace) -> Iterator[Operations]:
    """Yield the collective operations of each communicator.

    Where members disagree about which operations there were (a part of the trace is
    missing) none of that communicator can be told.
    """
    wanted = numbers_of(trace.functions, COLLECTIVES)
    positions = {process.rank: at for at, process in enumerate(trace.processes)}
    collectives = [_Collectives.of(process, wanted) for process in trace.processes]
    used = {number for one in collectives for number in np.unique(one.on).tolist()}
    for communicator in sorted(used & trace.communicators.keys()):
        members = trace.communicators[communicator].tolist()
        if len(members) < 2 or any(rank not in positions for rank in members):
            continue
        numbers = np.array([positions[rank] for rank in members])
        calls = [collectives[at].calls_on(communicator) for at in numbers]
        if len({len(one) for one in calls}) == 1 and len(calls[0]):
            operations = _together(trace, numbers, np.array(calls))
            if (operations.function == operations.function[0]).all():
                yield operations


@dataclass(frozen=True, slots=True)
class _Collectives:
    """The collective calls of a process by their communicator, then by their start."""

    calls: Indices
    on: NDArray[np.uint32]

    @classmethod
    def of(cls, process: Process, functions: list[int]) -> Self:
        records = process.records
        calls = np.flatnonzero(
            np.isin(records["function"], functions)
            & ((records["flags"] & Flag.PART) == 0)
        )
        on = records["communicator"][calls]
        order = np.argsort(on, kind="stable")
        return cls(calls[order], on[order])

    def calls_on(self, communicator: int) -> Indices:
        wanted = np.uint32(communicator)
        begin = np.searchsorted(self.on, wanted)
        return self.calls[begin : np.searchsorted(self.on, wanted, "right")]


def _together(trace: Trace, numbers: Indices, calls: Indices) -> Operations:
    rows = [
        trace.processes[at].records[one] for at, one in zip(numbers, calls, strict=True)
    ]
    peers = np.array([row["peer"] for row in rows])
    return Operations(
        numbers,
        calls,
        np.array([row["start"] for row in rows]).astype(np.int64),
        np.array([row["took"] for row in rows]).astype(np.int64),
        np.array([row["function"] for row in rows]).astype(np.int64),
        peers == np.arange(len(numbers))[:, np.newaxis],
    )

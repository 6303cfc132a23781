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
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces import functions, stored
from scalewatch_agent.traces.collectives import Collectives, Operations
from scalewatch_agent.traces.trace import Indices, Messages, Nanoseconds, Trace

WAITED: Final = np.dtype(
    [
        ("late_sender", "<i8"),
        ("late_receiver", "<i8"),
        ("collective", "<i8"),
        ("cause", "<i4"),
    ]
)
"""Waiting time of a call in ns, by its kind; `cause` is the late process, plus one."""

KINDS: Final = ("late_sender", "late_receiver", "collective")


@dataclass(frozen=True, slots=True)
class WaitStates:
    """Waiting of all calls by its cause.

    `rows` are of type `WAITED`, one for each record of all processes, those of each
    process from one of `begins` on.
    """

    rows: stored.Rows
    begins: Indices

    def of(self, number: int) -> stored.Rows:
        """Return those of a process, by its position in the trace."""
        return stored.part(self.rows, *self.begins[number : number + 2].tolist())


def wait_states(
    trace: Trace, messages: Messages, collectives: Collectives
) -> WaitStates:
    """Return what the calls of a trace wait for."""
    lengths = [len(process.records) for process in trace.processes]
    begins = np.r_[0, np.cumsum(lengths, dtype=np.int64)]
    states = WaitStates(stored.zeros(int(begins[-1]), WAITED), begins)
    for block in messages.blocks():
        _put_messages(trace, states, _reliable(trace, messages, block))
    kinds = [
        functions.numbers_of(trace.functions, names)
        for names in (
            functions.ALL_TO_ALL,
            functions.ROOT_TO_ALL,
            functions.ALL_TO_ROOT,
        )
    ]
    for operations in collectives.operations():
        waited = _waited(operations, *kinds)
        last = operations.start.argmax(axis=0)
        roots = operations.is_root.argmax(axis=0)
        is_from_root = np.isin(operations.function[0], kinds[1])
        latest: Indices = np.where(is_from_root, roots, last)
        causes = operations.numbers[latest]
        for number, calls, times in zip(
            operations.numbers.tolist(), operations.calls, waited, strict=True
        ):
            late = times > 0
            at = states.begins[number] + calls[late]
            _put_largest(states.rows, "collective", at, times[late], causes[late])
    return states


def _put_messages(trace: Trace, states: WaitStates, messages: NDArray[Any]) -> None:
    send, receive = messages["send"], messages["receive"]
    sent, send_took, function = _calls(trace, messages["sender"], send)
    entered, receive_took, _ = _calls(trace, messages["receiver"], receive)
    late_sender = np.clip(sent - entered, 0, receive_took)
    posted = messages["posted"]
    late_receiver = np.clip(posted - sent, 0, send_took)
    may_wait = np.isin(
        function, functions.numbers_of(trace.functions, functions.BLOCKING_SENDS)
    )
    late_receiver[~may_wait | (sent + send_took <= posted)] = 0
    for name, rank, other, calls, waited in (
        ("late_sender", "receiver", "sender", receive, late_sender),
        ("late_receiver", "sender", "receiver", send, late_receiver),
    ):
        is_late = waited > 0
        at = states.begins[messages[rank][is_late]] + calls[is_late]
        causes = messages[other][is_late]
        _put_largest(states.rows, name, at, waited[is_late], causes)


def _reliable(trace: Trace, messages: Messages, block: NDArray[Any]) -> NDArray[Any]:
    """Leave out messages of communicators of which some ends are missing.

    Where only the ends of files are missing, the messages before are what they were.
    """
    if trace.is_truncated or not messages.doubtful:
        return block
    return block[~np.isin(block["communicator"], list(messages.doubtful))]


def by_process(numbers: Indices) -> Iterator[tuple[int, Indices]]:
    """Yield the numbers of processes, and where each of them stands."""
    order = np.argsort(numbers, kind="stable")
    present, begins = np.unique(numbers[order], return_index=True)
    if len(order):
        parts = np.split(order, begins[1:])
        yield from zip(present.tolist(), parts, strict=True)


def _calls(
    trace: Trace, numbers: Indices, calls: Indices
) -> tuple[Nanoseconds, Nanoseconds, Indices]:
    """Return when calls began, what they took, and their functions."""
    start, took = np.zeros(len(calls), np.int64), np.zeros(len(calls), np.int64)
    function = np.zeros(len(calls), np.int64)
    for number, chosen in by_process(numbers):
        records = trace.processes[number].records[calls[chosen]]
        start[chosen], took[chosen] = records["start"], records["took"]
        function[chosen] = records["function"]
    return start, took, function


def _put_largest(
    rows: stored.Rows, name: str, at: Indices, waited: Nanoseconds, causes: Indices
) -> None:
    """Note waiting of calls, of each the longest, and for which process."""
    order = np.lexsort((waited, at))
    at = at[order]
    last = order[np.r_[at[1:] != at[:-1], True][: len(at)]]
    at = np.unique(at)
    known = rows[at]
    is_longer = waited[last] > known[name]
    known[name][is_longer] = waited[last][is_longer]
    known["cause"][is_longer] = causes[last][is_longer] + 1
    rows[at] = known


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

"""Replay a trace on an ideal network, on which messages take no time.

Each process computes as long as it did; a receive ends when its message has been sent,
a collective operation when those have entered whom it waits for. What remains of the
run time is due to computation and to the order of the messages.

References
----------
POP, "serialisation efficiency"; Dimemas with latency 0 and infinite bandwidth.
"""

import itertools
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces import stored
from scalewatch_agent.traces.collectives import Collectives, Operations
from scalewatch_agent.traces.records import Flag, blocks
from scalewatch_agent.traces.trace import Indices, Messages, Nanoseconds, Process, Trace

LAST: Final = np.array([np.iinfo(np.int64).max])
"""A moment after all others."""

MOST_STEPS: Final = 2_000_000
"""Calls with messages, or collective ones, that a replay takes on: half a GB."""


@dataclass(slots=True)
class _Script:
    """The steps of one process: each computes, sends, receives, meets the others.

    `work` has one more entry than there are steps: the time after the last one.
    """

    work: list[int]
    sends: list[list[int]]
    receives: list[list[int]]
    meeting: list[int]
    at: int = 0
    clock: int = 0
    has_entered: bool = False


@dataclass(slots=True)
class _Stage:
    """State of a replay: events so far, and processes that wait."""

    sent: dict[int, int] = field(default_factory=dict)
    waits_for_message: dict[int, int] = field(default_factory=dict)
    entered: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    clocks: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))


def ideal_runtime(
    trace: Trace, messages: Messages, collectives: Collectives
) -> int | None:
    """Return the run time on an ideal network in ns.

    None where the trace is too long, or lacks messages that processes wait for.
    """
    steps = _steps(trace, messages, collectives)
    if steps is None:
        return None
    operations, held = list(collectives.operations()), messages.rows[:]
    members = [
        len(each.numbers) for each in operations for _ in range(each.calls.shape[1])
    ]
    scripts = [
        _script(process, number, calls, held, operations)
        for number, (process, calls) in enumerate(
            zip(trace.processes, steps, strict=True)
        )
    ]
    _play(scripts, members)
    if any(script.at < len(script.meeting) for script in scripts):
        return None
    return max(script.clock + script.work[-1] for script in scripts)


def _steps(
    trace: Trace, messages: Messages, collectives: Collectives
) -> list[Indices] | None:
    """Return the calls of each process that others take part in; None if too many."""
    lengths = [len(process.records) for process in trace.processes]
    begins = np.r_[0, np.cumsum(lengths, dtype=np.int64)]
    takes_part = stored.zeros(int(begins[-1]), np.dtype(bool))
    count = 0
    for calls in _taking_part(messages, collectives, begins):
        unique = np.unique(calls)
        count += int(np.count_nonzero(~takes_part[unique]))
        if count > MOST_STEPS:
            return None
        takes_part[unique] = np.ones(len(unique), bool)
    return [
        np.flatnonzero(stored.part(takes_part, begin, end)[:])
        for begin, end in itertools.pairwise(begins.tolist())
    ]


def _taking_part(
    messages: Messages, collectives: Collectives, begins: Indices
) -> Iterator[Indices]:
    """Yield calls that others take part in, counted over all processes."""
    for block in messages.blocks():
        yield begins[block["sender"]] + block["send"]
        yield begins[block["receiver"]] + block["receive"]
    for operation in collectives.operations():
        yield (begins[operation.numbers][:, np.newaxis] + operation.calls).reshape(-1)


def _script(
    process: Process,
    number: int,
    steps: Indices,
    messages: NDArray[Any],
    operations: Sequence[Operations],
) -> _Script:
    meeting = np.full(len(steps), -1, np.int64)
    first = 0
    for operation in operations:
        count = operation.calls.shape[1]
        for calls in operation.calls[operation.numbers == number]:
            meeting[np.searchsorted(steps, calls)] = np.arange(first, first + count)
        first += count
    return _Script(
        _work(process, steps).tolist(),
        _by_step(steps, messages["send"], messages["sender"] == number),
        _by_step(steps, messages["receive"], messages["receiver"] == number),
        meeting.tolist(),
    )


def _by_step(
    steps: Indices, calls: Indices, chosen: NDArray[np.bool_]
) -> list[list[int]]:
    places: list[list[int]] = [[] for _ in steps]
    wanted = np.flatnonzero(chosen)
    for step, message in zip(
        np.searchsorted(steps, calls[wanted]).tolist(), wanted.tolist(), strict=True
    ):
        places[step].append(message)
    return places


def _work(process: Process, steps: Indices) -> Nanoseconds:
    """Return the time that a process computes before each step, and at last."""
    worked, done, now = [np.zeros(1, np.int64)], 0, process.span and process.span[0]
    for begin, block in blocks(process.records):
        calls = np.flatnonzero((block["flags"] & Flag.PART) == 0)
        start = block["start"][calls].astype(np.int64)
        end = start + block["took"][calls].astype(np.int64)
        if process.running is None:
            before = np.r_[start[0] if now is None else now, end[:-1]]
            gaps = np.maximum(0, start - before)
        else:
            before = np.r_[0 if now is None else now, end[:-1]]
            gaps = time_within(process.running, start)
            gaps -= time_within(process.running, before)
        sums = done + np.cumsum(gaps)
        first, last = np.searchsorted(steps, (begin, begin + len(block)))
        worked.append(sums[np.searchsorted(calls, steps[first:last] - begin)])
        done, now = int(sums[-1]), int(end[-1])
    if now is None or not len(process.records):
        done = process.useful
    elif process.running is not None:
        computed = time_within(process.running, np.array([now]))[0]
        done += int(time_within(process.running, LAST)[0] - computed)
    elif process.span is not None:
        done += max(0, process.span[1] - now)
    work: Nanoseconds = np.diff(np.r_[np.concatenate(worked), done])
    return work


def time_within(running: Nanoseconds, times: Nanoseconds) -> Nanoseconds:
    """Return how much of some spans has passed at some moments, shape (n,).

    Parameters
    ----------
    running
        Begins and ends of spans, in order, shape (k, 2).
    """
    if not len(running):
        return np.zeros(len(times), np.int64)
    begins, ends = running[:, 0], running[:, 1]
    sums = np.r_[0, np.cumsum(ends - begins)]
    at = np.searchsorted(begins, times, "right") - 1
    past = np.maximum(at, 0)
    inside = np.minimum(times, ends[past]) - begins[past]
    return np.where(at >= 0, sums[past] + inside, 0).astype(np.int64)


def _play(scripts: list[_Script], members: list[int]) -> None:
    """Let the processes go on until all have ended, or wait for ever."""
    stage = _Stage()
    ready = deque(range(len(scripts)))
    while ready:
        number = ready.popleft()
        script = scripts[number]
        while script.at < len(script.meeting):
            if not script.has_entered:
                script.clock += script.work[script.at]
                script.has_entered = True
                for message in script.sends[script.at]:
                    stage.sent[message] = script.clock
                    if (
                        waiting := stage.waits_for_message.pop(message, None)
                    ) is not None:
                        ready.append(waiting)
                meeting = script.meeting[script.at]
                if meeting >= 0:
                    stage.entered[meeting].append(number)
                    stage.clocks[meeting].append(script.clock)
                    if len(stage.entered[meeting]) == members[meeting]:
                        ready.extend(
                            each for each in stage.entered[meeting] if each != number
                        )
            if not _may_leave(script, number, stage, members):
                break
            script.at += 1
            script.has_entered = False


def _may_leave(script: _Script, number: int, stage: _Stage, members: list[int]) -> bool:
    for message in script.receives[script.at]:
        if message not in stage.sent:
            stage.waits_for_message[message] = number
            return False
    meeting = script.meeting[script.at]
    if meeting >= 0:
        if len(stage.entered[meeting]) < members[meeting]:
            return False
        script.clock = max(script.clock, *stage.clocks[meeting])
    for message in script.receives[script.at]:
        script.clock = max(script.clock, stage.sent[message])
    return True

"""The collector in Python, for machines without a C compiler: collector.c, in short.

Both write the same rows; this one takes some microseconds an event.
"""

import struct
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from scalewatch_agent.traces.otf2.definitions import NOTHING

HEADING: Final = struct.Struct("<7Q")
ROW: Final = struct.Struct("<4Q4I2i")

SENT, RECEIVED, POSTED, PART = 1, 2, 4, 8
REQUESTED, STARTED, COMPLETED = 16, 32, 64
MOST_WAITING: Final = 1 << 18


@dataclass(slots=True)
class _Message:
    """Attributes of an event: its message or its collective."""

    flags: int
    peer: int = -1
    communicator: int = NOTHING
    tag: int = 0
    bytes: int = 0
    request: int = 0


@dataclass(slots=True)
class _Frame:
    """A region that is open, and how many calls and messages waited before it."""

    region: int
    entered: int
    is_call: bool
    calls: int
    messages: int


@dataclass(slots=True)
class _Call:
    """A call that has ended, and where its messages are among those that wait."""

    start: int
    took: int
    function: int
    caller: int
    messages: slice


@dataclass(slots=True)
class Collector:
    """The calls of one location.

    `functions` are the regions of MPI, `sizes` the parameter that tells bytes of calls.
    """

    path: Path
    functions: Collection[int]
    sizes: int
    first: int = 2**64 - 1
    last: int = 0
    events: int = 0
    rows: int = 0
    left_open: int = 0
    backwards: int = 0
    frames: list[_Frame] = field(default_factory=list)
    calls: list[_Call] = field(default_factory=list)
    messages: list[_Message] = field(default_factory=list)
    open: int = 0
    file: IO[bytes] = field(init=False)

    def __post_init__(self) -> None:
        """Open the file."""
        self.file = self.path.open("wb")
        self.file.write(bytes(HEADING.size))

    def callbacks(self) -> dict[str, Callable[..., int]]:
        """Return what libotf2 calls, without the arguments at the head."""
        return {
            "on_enter": self.enter,
            "on_leave": self.leave,
            "on_send": lambda time, *rest: self._tell(time, _message(SENT, *rest)),
            "on_isend": lambda time, *rest: self._tell(
                time, _message(SENT | REQUESTED, *rest)
            ),
            "on_sent": lambda time, request: self._tell(
                time, _Message(REQUESTED, request=request)
            ),
            "on_receive": lambda time, *rest: self._tell(
                time, _message(RECEIVED, *rest)
            ),
            "on_post": lambda time, request: self._tell(
                time, _Message(POSTED | REQUESTED, request=request)
            ),
            "on_complete": lambda time, *rest: self._tell(
                time, _message(RECEIVED | REQUESTED, *rest)
            ),
            "on_collective": lambda time, _kind, comm, root, sent, _received: (
                self._tell(time, _message(0, root, comm, 0, sent))
            ),
            "on_started": lambda time, request: self._tell(
                time, _Message(STARTED | REQUESTED, request=request)
            ),
            "on_completed": lambda time, _kind, comm, root, sent, _received, request: (
                self._tell(
                    time,
                    _message(COMPLETED | REQUESTED, root, comm, 0, sent, request),
                )
            ),
            "on_parameter": self.parameter,
            "on_begin": lambda time, *_: self._see(time),
            "on_end": lambda time, _status: self._see(time),
        }

    def enter(self, time: int, region: int) -> int:
        """Enter a region."""
        self._see(time)
        is_call = region in self.functions
        self.open += is_call
        waiting = len(self.calls), len(self.messages)
        self.frames.append(_Frame(region, time, is_call, *waiting))
        return 0

    def leave(self, time: int, region: int) -> int:
        """Leave the region that was entered last."""
        self._see(time)
        if not self.frames or not (left := self.frames.pop()).is_call:
            return 0
        self.open -= 1
        if left.region == region:
            del self.calls[left.calls :]
            caller = self.frames[-1].region if self.frames else NOTHING
            self.backwards += time < left.entered
            took = max(0, time - left.entered)
            messages = slice(left.messages, len(self.messages))
            self.calls.append(_Call(left.entered, took, left.region, caller, messages))
        else:
            self.left_open += 1
        if not self.open:
            self._write_waiting()
        elif len(self.calls) > MOST_WAITING:
            self._give_up()
        return 0

    def parameter(self, time: int, parameter: int, value: int) -> int:
        """Take the bytes of a call, of which no other event tells."""
        if parameter == self.sizes:
            return self._tell(time, _Message(0, bytes=value))
        return self._see(time)

    def close(self) -> None:
        """Write what still waits, and the heading."""
        self._give_up()
        self.file.seek(0)
        counts = self.events, self.rows, self.left_open, self.backwards
        self.file.write(HEADING.pack(self.first, self.last, *counts, 0))
        self.file.close()

    def _see(self, time: int) -> int:
        self.events += 1
        self.first, self.last = min(self.first, time), max(self.last, time)
        return 0

    def _tell(self, time: int, message: _Message) -> int:
        self._see(time)
        if self.open:
            self.messages.append(message)
            if len(self.messages) > MOST_WAITING:
                self._give_up()
        return 0

    def _give_up(self) -> None:
        for frame in self.frames:
            self.left_open += frame.is_call
            frame.is_call = False
        self.open = 0
        self._write_waiting()

    def _write_waiting(self) -> None:
        for call in self.calls:
            first, *others = self.messages[call.messages] or [_Message(0)]
            self._put(call, first)
            for message in others:
                message.flags |= PART
                self._put(call, message)
        self.calls.clear()
        self.messages.clear()

    def _put(self, call: _Call, message: _Message) -> None:
        self.rows += 1
        packed = ROW.pack(
            *(call.start, call.took, message.bytes, message.request),
            *(call.function, call.caller, message.communicator, message.flags),
            *(message.peer, message.tag),
        )
        self.file.write(packed)


def _message(  # noqa: PLR0913, PLR0917 - as libotf2 tells it
    flags: int, peer: int, comm: int, tag: int, size: int, request: int = 0
) -> _Message:
    return _Message(flags, _signed(peer), comm, _signed(tag), size, request)


def _signed(number: int) -> int:
    return number - 2**32 if number >= 2**31 else number

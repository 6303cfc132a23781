"""Messages between the first and the last process, and one-sided communication.

With growing numbers of processes these lie further apart: on another core, socket,
node or switch. The others have nothing to do meanwhile. One-sided, each process works
on the memory of its right neighbour, and a window costs what is between two fences.
"""

import ctypes
from collections.abc import Callable
from functools import partial

from mpi4py import MPI

from scalewatch_agent.kernels import Operation, kernel, pattern, seconds
from scalewatch_agent.loops.compiled import memory_of, step

TAG = 3
AT_ONCE = 16
"""Messages on their way, so that bandwidth is not latency in disguise."""


@kernel("Point-to-point latency")
def latency(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Send a message there and back; half of that is reported."""
    first, last = 0, comm.size - 1
    mine = pattern(comm.rank, message_bytes)
    received = bytearray(message_bytes)
    if comm.rank not in {first, last}:
        return Operation(_nothing, steps=(), value=_half)
    partner = last - comm.rank
    out, into = [mine, MPI.BYTE], [received, MPI.BYTE]
    status = memory_of(MPI._sizeof(MPI.Status))  # noqa: SLF001 - mpi4py's only way
    of_it = (message_bytes, MPI.BYTE, partner, TAG)
    if first == last:
        both = (mine, *of_it, received, *of_it, comm, status)
        return Operation(
            partial(comm.Sendrecv, out, partner, TAG, into, partner, TAG),
            sent=mine,
            received=received,
            steps=(step("MPI_Sendrecv", *both),),
            value=_half,
        )
    send = partial(comm.Send, out, partner, TAG)
    receive = partial(comm.Recv, into, partner, TAG)
    steps = [
        step("MPI_Send", mine, *of_it, comm),
        step("MPI_Recv", received, *of_it, comm, status),
    ]
    begins = comm.rank == first

    def call() -> None:
        (send if begins else receive)()
        (receive if begins else send)()

    return Operation(
        call,
        sent=mine,
        received=received,
        steps=tuple(steps if begins else reversed(steps)),
        value=_half,
    )


@kernel("Point-to-point bandwidth")
def bandwidth(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Send many messages at once, until the last one has been acknowledged."""
    first, last = 0, comm.size - 1

    def rate(nanoseconds: int) -> float:
        return AT_ONCE * message_bytes / seconds(max(nanoseconds, 1))

    if comm.rank not in {first, last}:
        return _of_bandwidth(Operation(_nothing, steps=()), rate)
    mine, received = pattern(comm.rank, message_bytes), bytearray(message_bytes)
    sends, receives = comm.rank == first, comm.rank == last
    partner = last - comm.rank
    acknowledgement = bytearray(1)

    def call() -> None:
        requests = []
        if receives:
            into = [received, MPI.BYTE]
            requests += [comm.Irecv(into, partner, TAG) for _ in range(AT_ONCE)]
        if sends:
            out = [mine, MPI.BYTE]
            requests += [comm.Isend(out, partner, TAG) for _ in range(AT_ONCE)]
        MPI.Request.Waitall(requests)
        if sends and not receives:
            comm.Recv([acknowledgement, MPI.BYTE], partner, TAG)
        if receives and not sends:
            comm.Send([acknowledgement, MPI.BYTE], partner, TAG)

    messages = [("MPI_Irecv", received)] * receives + [("MPI_Isend", mine)] * sends
    of_each = (message_bytes, MPI.BYTE, partner, TAG, comm)
    number = AT_ONCE * len(messages)
    size = MPI._sizeof(MPI.Request)  # noqa: SLF001 - mpi4py's only way
    memory = memory_of(number * size)
    part = ctypes.c_char * size
    places = (part.from_buffer(memory, i * size) for i in range(number))
    steps = [
        step(function, buffer, *of_each, next(places))
        for function, buffer in messages
        for _ in range(AT_ONCE)
    ]
    statuses = memory_of(number * MPI._sizeof(MPI.Status))  # noqa: SLF001 - same
    steps.append(step("MPI_Waitall", number, memory, statuses))
    end = (acknowledgement, 1, MPI.BYTE, partner, TAG, comm)
    if sends and not receives:
        steps.append(step("MPI_Recv", *end, steps[-1].arguments[-1]))
    if receives and not sends:
        steps.append(step("MPI_Send", *end))
    operation = Operation(call, sent=mine, received=received, steps=tuple(steps))
    return _of_bandwidth(operation, rate)


def _of_bandwidth(operation: Operation, rate: Callable[[int], float]) -> Operation:
    return operation._replace(
        metric="bandwidth", unit="B/s", better="higher", value=rate
    )


def _half(nanoseconds: int) -> float:
    return seconds(nanoseconds / 2)


def _nothing() -> None:
    pass


NO_PROMISE = 0
"""Nothing is asserted about what happens between two fences."""


@kernel("MPI_Win_fence")
def fence(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Close an epoch in which nothing happened."""
    window = _window(comm, bytearray(message_bytes))
    return Operation(
        partial(window.Fence, NO_PROMISE),
        steps=(step("MPI_Win_fence", NO_PROMISE, window),),
        free=window.Free,
    )


@kernel("MPI_Put")
def put(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Write into the neighbour's memory, and fence."""
    mine, exposed = pattern(comm.rank, message_bytes), bytearray(message_bytes)
    window = _window(comm, exposed)
    neighbour = (comm.rank + 1) % comm.size

    def call() -> None:
        window.Put([mine, MPI.BYTE], neighbour)
        window.Fence(NO_PROMISE)

    of_it = (message_bytes, MPI.BYTE)
    return Operation(
        call,
        sent=mine,
        received=exposed,
        steps=(
            step("MPI_Put", mine, *of_it, neighbour, 0, *of_it, window),
            step("MPI_Win_fence", NO_PROMISE, window),
        ),
        free=window.Free,
    )


@kernel("MPI_Get")
def get(comm: MPI.Intracomm, message_bytes: int) -> Operation:
    """Read the neighbour's memory, and fence."""
    exposed, mine = pattern(comm.rank, message_bytes), bytearray(message_bytes)
    window = _window(comm, exposed)
    neighbour = (comm.rank + 1) % comm.size

    def call() -> None:
        window.Get([mine, MPI.BYTE], neighbour)
        window.Fence(NO_PROMISE)

    of_it = (message_bytes, MPI.BYTE)
    return Operation(
        call,
        sent=exposed,
        received=mine,
        steps=(
            step("MPI_Get", mine, *of_it, neighbour, 0, *of_it, window),
            step("MPI_Win_fence", NO_PROMISE, window),
        ),
        free=window.Free,
    )


def _window(comm: MPI.Intracomm, exposed: bytearray) -> MPI.Win:
    """Return a window whose first epoch has begun."""
    window = MPI.Win.Create(exposed, 1, MPI.INFO_NULL, comm)
    window.Fence(NO_PROMISE)
    return window

"""Non-blocking collectives: their time, and the share that computation hides.

The overlapped form computes, between start and wait, for as long as the operation takes
alone. What then remains visible of the communication is what the library could not
do meanwhile.

References
----------
Intel MPI Benchmarks, IMB-NBC: (pure + compute - together) / min(pure, compute).
"""

from array import array
from collections.abc import Callable
from time import perf_counter_ns

from mpi4py import MPI

from scalewatch_agent.kernels import Buffer, Operation, kernel, pattern
from scalewatch_agent.kernels.collectives import ROOT, doubles
from scalewatch_agent.loops.compiled import Argument, FunctionCall, memory_of, step

Start = Callable[[], MPI.Request]


Parts = tuple[Start, tuple[Buffer, Buffer], str, tuple[Argument, ...]]
"""The call that starts it, its buffers, and the same as a C call."""


def _ibcast(comm: MPI.Intracomm, message_bytes: int) -> Parts:
    """Send the root's message to all processes."""
    is_root = comm.rank == ROOT
    buffer = pattern(ROOT, message_bytes) if is_root else bytearray(message_bytes)
    return (
        lambda: comm.Ibcast([buffer, MPI.BYTE], ROOT),
        (buffer, buffer),
        "MPI_Ibcast",
        (buffer, message_bytes, MPI.BYTE, ROOT, comm),
    )


def _iallreduce(comm: MPI.Intracomm, message_bytes: int) -> Parts:
    """Add up the doubles of all processes."""
    send = doubles(comm.rank, message_bytes)
    receive = array("d", bytes(message_bytes))
    return (
        lambda: comm.Iallreduce([send, MPI.DOUBLE], [receive, MPI.DOUBLE], MPI.SUM),
        (send, receive),
        "MPI_Iallreduce",
        (send, receive, len(send), MPI.DOUBLE, MPI.SUM, comm),
    )


def _ialltoall(comm: MPI.Intracomm, message_bytes: int) -> Parts:
    """Send each process a message of its own."""
    send = bytearray().join(
        pattern(comm.rank + receiver, message_bytes) for receiver in range(comm.size)
    )
    receive = bytearray(comm.size * message_bytes)
    of_each = (message_bytes, MPI.BYTE)
    return (
        lambda: comm.Ialltoall([send, *of_each], [receive, *of_each]),
        (send, receive),
        "MPI_Ialltoall",
        (send, *of_each, receive, *of_each, comm),
    )


def _waited(
    start: Start,
    buffers: tuple[Buffer, Buffer],
    function: str,
    arguments: tuple[Argument, ...],
    source: int | None = None,
) -> Operation:
    started, waited = _steps(function, arguments)
    sent, received = buffers
    return Operation(
        lambda: start().Wait(),
        sent=sent,
        received=received,
        steps=(started, waited),
        source=source,
    )


def _overlapped(
    start: Start,
    buffers: tuple[Buffer, Buffer],
    function: str,
    arguments: tuple[Argument, ...],
) -> Operation:
    duration = array("q", [0])
    started, waited = _steps(function, arguments)

    def call() -> None:
        request = start()
        end = perf_counter_ns() + duration[0]
        while perf_counter_ns() < end:
            pass
        request.Wait()

    def compute_as_long(pure: int) -> int:
        duration[0] = pure
        return pure

    def hidden(together: int) -> float:
        pure = max(duration[0], 1)
        return min(max(2 - together / pure, 0.0), 1.0)

    sent, received = buffers
    return Operation(
        call,
        sent=sent,
        received=received,
        steps=(started, step("compute", duration), waited),
        metric="overlap",
        unit="1",
        better="higher",
        value=hidden,
        prepare=compute_as_long,
    )


def _steps(
    function: str, arguments: tuple[Argument, ...]
) -> tuple[FunctionCall, FunctionCall]:
    """Return the steps that start an operation and wait for it."""
    request = memory_of(MPI._sizeof(MPI.Request))  # noqa: SLF001 - mpi4py's only way
    status = memory_of(MPI._sizeof(MPI.Status))  # noqa: SLF001 - same
    return step(function, *arguments, request), step("MPI_Wait", request, status)


def _register(
    region: str,
    parts: Callable[[MPI.Intracomm, int], Parts],
    source: int | None = None,
) -> None:
    """Measure an operation that is waited for, and one that computation hides."""
    kernel(region)(lambda comm, size: _waited(*parts(comm, size), source=source))
    kernel(f"{region} overlap")(lambda comm, size: _overlapped(*parts(comm, size)))


_register("MPI_Ibcast", _ibcast, source=ROOT)
_register("MPI_Iallreduce", _iallreduce)
_register("MPI_Ialltoall", _ialltoall)

"""Overheads of measuring: reading the clock, calling, and Python."""

from array import array
from itertools import pairwise
from typing import NamedTuple

from mpi4py import MPI

from scalewatch_agent.kernels import Operation
from scalewatch_agent.loops import Loop, Spans, compiled, interpreted
from scalewatch_agent.loops.compiled import CompiledLoop, Library
from scalewatch_agent.loops.interpreted import InterpretedLoop
from scalewatch_agent.loops.program import step
from scalewatch_agent.suite.statistics import median

CALLS = 1_000
DOUBLES = 1


class Overheads(NamedTuple):
    """Nanoseconds per repetition, medians of the process that has most.

    Parameters
    ----------
    timer
        One reading of the clock, which every repetition contains.
    call
        An operation that does nothing, in the loop that is used, less the timer.
    python
        What an Allreduce on COMM_SELF takes longer from Python than from the compiled
        loop; None where there is none.
    """

    timer: float
    call: float
    python: float | None


def measure_overheads(comm: MPI.Intracomm, library: Library | None) -> Overheads:
    """Measure what the loop in use adds to each repetition; collective over `comm`."""
    itself = MPI.COMM_SELF
    nothing, alone = _nothing, _allreduce_alone()
    python: float | None = None
    loop: Loop
    if library is None:
        readings = interpreted.read_clock(CALLS)
        loop = InterpretedLoop(nothing, itself)
    else:
        readings = compiled.read_clock(library, CALLS)
        loop = CompiledLoop([step("nothing")], itself, library)
        assert alone.steps is not None
        python = _duration(InterpretedLoop(alone.call, itself)) - _duration(
            CompiledLoop(alone.steps, itself, library)
        )
    timer: float = median(later - earlier for earlier, later in pairwise(readings))
    mine = array("d", [timer, _duration(loop) - timer, python or 0.0])
    comm.Allreduce(MPI.IN_PLACE, [mine, MPI.DOUBLE], MPI.MAX)
    timer, call, slowest = (max(value, 0.0) for value in mine)
    return Overheads(timer, call, None if python is None else slowest)


def _allreduce_alone() -> Operation:
    send, receive = array("d", [1.0]), array("d", [0.0])
    alone = MPI.COMM_SELF
    return Operation(
        lambda: alone.Allreduce([send, MPI.DOUBLE], [receive, MPI.DOUBLE], MPI.SUM),
        steps=(
            step("MPI_Allreduce", send, receive, DOUBLES, MPI.DOUBLE, MPI.SUM, alone),
        ),
    )


def _duration(loop: Loop) -> float:
    loop.behind_barriers(CALLS // 10)
    spans: Spans = loop.behind_barriers(CALLS)
    return median(
        end - begin for begin, end in zip(spans.begun, spans.ended, strict=True)
    )


def _nothing() -> None:
    pass

import os
from pathlib import Path

import pytest
from mpi4py import MPI

from scalewatch_agent.compilers import build_loops
from scalewatch_agent.folders import loops_folder
from scalewatch_agent.kernels import KERNELS, load_kernels
from scalewatch_agent.loops.compiled import CompiledLoop, load, read_clock, step
from scalewatch_agent.loops.interpreted import InterpretedLoop
from scalewatch_agent.suite.clocks import Clocks
from scalewatch_agent.suite.runtime import measure_overheads
from scalewatch_agent.suite.suites import RUNTIME

load_kernels(RUNTIME.families)
BYTES = 64
FAR_AHEAD = 500_000


def compiled_loops():
    if path := build_loops(Path(os.environ.get("SCALEWATCH_LOOPS") or loops_folder())):
        return load(str(path))
    return None


LIBRARY = compiled_loops()
needs_compiler = pytest.mark.skipif(
    LIBRARY is None, reason="no C compiler: apt-get install gcc"
)


def loops(region, comm):
    """Return the operation and both loops that repeat it."""
    operation = KERNELS[region](comm, BYTES)
    return operation, [
        InterpretedLoop(operation.call, comm),
        CompiledLoop(operation.steps, comm, LIBRARY),
    ]


def cleared(buffer):
    for i in range(len(buffer or ())):
        buffer[i] = 0


@needs_compiler
@pytest.mark.parametrize("region", [*RUNTIME.regions, *RUNTIME.more])
def test_compiled_loop_does_what_the_interpreted_one_does(region, comm):
    operation, both = loops(region, comm)
    results = []

    for loop in both:
        if operation.received is not operation.sent or comm.rank:
            cleared(operation.received)
        loop.behind_barriers(3)
        results.append(operation.received and bytes(operation.received))

    assert results[0] == results[1]
    comm.Barrier()
    if operation.free is not None:
        operation.free()


@needs_compiler
def test_spans_follow_each_other(comm):
    for loop in loops("MPI_Barrier", comm)[1]:
        spans = loop.behind_barriers(5)

        times = [t for pair in zip(spans.begun, spans.ended, strict=True) for t in pair]
        assert times == sorted(times)
        assert len(times) == 10


@needs_compiler
def test_rounds_start_when_rank_0_says(comm):
    # An operation between whose parts nothing happens takes less than the lead.
    for loop in loops("MPI_Barrier", comm)[1]:
        rounds = loop.in_rounds(5, FAR_AHEAD, 0)

        assert min(rounds.late) >= 0
        assert min(rounds.lasted) > 0
        assert len(rounds.late) == len(rounds.lasted) == 5


@needs_compiler
def test_offset_moves_the_start(comm):
    # Whose clock is an hour ahead believes to be late by as much.
    hour = 3_600_000_000_000
    offset = hour if comm.rank == comm.size - 1 else 0
    for loop in loops("MPI_Barrier", comm)[1]:
        rounds = loop.in_rounds(3, FAR_AHEAD, offset)

        if comm.rank == comm.size - 1 > 0:
            assert min(rounds.late) > hour - 60_000_000_000


@needs_compiler
def test_errors_of_mpi_are_raised():
    own = MPI.COMM_SELF
    own.Set_errhandler(MPI.ERRORS_RETURN)
    to_nobody = step("MPI_Send", bytearray(8), 8, MPI.BYTE, 99, 1, own)

    with pytest.raises(MPI.Exception):
        CompiledLoop([to_nobody], own, LIBRARY).behind_barriers(1)


@needs_compiler
def test_clock_readings_rise():
    readings = list(read_clock(LIBRARY, 100))

    assert readings == sorted(readings)
    assert readings[-1] > readings[0]


@needs_compiler
def test_python_costs_more_than_c(comm):
    compiled = measure_overheads(comm, LIBRARY)
    interpreted = measure_overheads(comm, None)

    assert compiled.python is not None
    assert compiled.python > compiled.call
    assert interpreted.python is None
    assert 0 < compiled.timer < 1_000_000


@needs_compiler
def test_compiled_exchange_finds_that_one_clock_is_one(comm):
    # As if each process were a host of its own; the true offset is 0.
    clocks = Clocks(comm, identity=str(comm.rank).encode(), library=LIBRARY)

    clocks.synchronise()

    admitted = clocks.clock.error(clocks.now())
    assert abs(clocks.offset()) <= admitted
    assert (admitted > 0) == (comm.rank > 0)
    clocks.free()

import ctypes
from contextlib import suppress

import pytest

from scalewatch_agent.memory.allocations import MarksLost, counted

SIZE = 123_457


def test_what_remains_of_a_construction_is_counted_to_the_byte():
    with counted() as allocations:
        first = allocations.mark(lambda: bytearray(SIZE))
        allocations.mark(lambda: len(bytearray(SIZE)))
        both = allocations.mark(lambda: (bytearray(SIZE), bytearray(2 * SIZE)))

    nul = 1
    assert allocations.remaining == [SIZE + nul, 0, 3 * SIZE + 2 * nul]
    assert len(first) + len(both[0]) == 2 * SIZE


def test_what_is_not_marked_is_not_counted():
    kept = []
    with counted() as allocations:
        kept.append(bytearray(SIZE))
        allocations.mark(lambda: None)
        kept.clear()

    assert allocations.remaining == [0]


def test_memory_that_is_given_back_to_somebody_else_is_no_debt():
    kept = [bytearray(SIZE)]
    with counted() as allocations:
        allocations.mark(kept.clear)

    assert allocations.remaining == [0]


def test_construction_that_raises_loses_a_mark():
    with (
        pytest.raises(MarksLost, match="0 of 1"),
        counted() as allocations,
        suppress(ZeroDivisionError),
    ):
        allocations.mark(lambda: 1 // 0)


def test_libraries_below_python_are_followed(openmpi):
    library = ctypes.CDLL(str(openmpi.libmpi))
    library.MPI_T_init_thread.argtypes = [ctypes.c_int, ctypes.c_void_p]
    provided = ctypes.c_int()

    with counted() as allocations:
        allocations.mark(lambda: library.MPI_T_init_thread(0, ctypes.byref(provided)))

    library.MPI_T_finalize()
    assert allocations.remaining[0] > 10_000

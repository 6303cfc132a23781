"""The four kernels in C, as functions of words, with what they took and did."""

import ctypes
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

from scalewatch_agent.compilers import build_library
from scalewatch_agent.errors import ToolMissing
from scalewatch_agent.folders import loops_folder

Words = NDArray[np.uint64]
Integers = NDArray[np.int64]
Bytes = NDArray[np.uint8]

CLOCKS: Final = {
    "wall": time.CLOCK_MONOTONIC,
    "cpu": time.CLOCK_PROCESS_CPUTIME_ID,
}

_Argument = int | NDArray[np.generic] | ctypes.c_void_p
_Kernel = Callable[..., int]

BIT: Final = np.left_shift(np.uint64(1), np.arange(64, dtype=np.uint64))


def built_kernels() -> Path:
    """Return the compiled kernels, which are compiled once.

    Raises
    ------
    ToolMissing
        If there is no C compiler, or it fails.
    FolderUnwritable
        If there is no place for them.
    """
    source = Path(__file__).with_name("kernels.c").read_bytes()
    library = build_library("mafia", source, loops_folder())
    if library is None:
        raise ToolMissing("cc", "gcc")
    return library


class Kernels:
    """Runs the kernels of a search, and adds up their seconds and operations.

    Parameters
    ----------
    library
        The compiled kernels.
    clock
        By which they are timed: `wall`, or `cpu` where others take turns.
    """

    def __init__(self, library: Path, clock: str) -> None:
        self.seconds: dict[str, float] = {}
        self.counts: dict[str, int] = {}
        self._clock = CLOCKS[clock]
        self._library = ctypes.CDLL(str(library))
        for name in ("generate", "deduplicate", "count_points", "unjoin"):
            getattr(self._library, name).restype = ctypes.c_long
        self._library.release.restype = None

    def generate(self, units: Words) -> Words:
        """Return the unions of all pairs of units that differ in one bin.

        Counts the subsets that are sorted and the pairs that are joined.
        """
        joined = self._made("gen", self._library.generate, units, len(units))
        self._count("gen", len(units) * level_of(units) + len(joined))
        return joined

    def deduplicate(self, candidates: Words, dimensions: Bytes) -> Words:
        """Return candidates once each, without those of two bins of a dimension.

        Counts the candidates.
        """
        arguments = (candidates, len(candidates), dimensions)
        distinct = self._made("dedup", self._library.deduplicate, *arguments)
        self._count("dedup", len(candidates))
        return distinct

    def count_points(self, units: Words, bitmaps: Words, points: int) -> Integers:
        """Return how many points lie in all bins of each unit.

        Counts the points looked at, those of one bin of one unit each.
        """
        counts = np.zeros(len(units), dtype=np.int64)
        both = np.empty(bitmaps.shape[1], dtype=np.uint64)
        arguments = (units, len(units), bitmaps, bitmaps.shape[1], both, counts)
        self._run("pcount", self._library.count_points, *arguments)
        self._count("pcount", len(units) * level_of(units) * points)
        return counts

    def sum_up(self, counts: Integers, comm: MPI.Intracomm) -> None:
        """Add up the counts of all processes, in each of them."""
        if comm.size == 1:
            return
        start = time.clock_gettime(self._clock)
        comm.Allreduce(MPI.IN_PLACE, counts)
        self._took("reduce", time.clock_gettime(self._clock) - start)

    def unjoin(self, units: Words, dense: Words) -> NDArray[np.bool_]:
        """Return which units no dense unit of the next level contains.

        Counts the units that these contain.
        """
        absorbed = np.zeros(len(units), dtype=np.uint8)
        arguments = (units, len(units), dense, len(dense), absorbed)
        contained = self._run("unjoin", self._library.unjoin, *arguments)
        self._count("unjoin", contained)
        return np.asarray(absorbed == 0)

    def _made(self, name: str, kernel: _Kernel, *arguments: _Argument) -> Words:
        """Run a kernel that makes words, and take them from it."""
        address = ctypes.c_void_p()
        made = self._run(name, kernel, *arguments, address)
        words = np.empty(made, dtype=np.uint64)
        ctypes.memmove(words.ctypes.data, address, words.nbytes)
        self._library.release(address)
        return words

    def _run(self, name: str, kernel: _Kernel, *arguments: _Argument) -> int:
        """Run a kernel; return what it answers."""
        took = ctypes.c_double(0.0)
        answer = kernel(*map(_converted, arguments), self._clock, ctypes.byref(took))
        if answer < 0:
            raise MemoryError
        self._took(name, took.value)
        return answer

    def _took(self, name: str, seconds: float) -> None:
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds

    def _count(self, name: str, operations: int) -> None:
        self.counts[name] = self.counts.get(name, 0) + operations


def level_of(units: Words) -> int:
    """Return of how many bins units of one level consist, 0 where there are none."""
    return int(np.bitwise_count(units[0])) if len(units) else 0


def _converted(argument: _Argument) -> object:
    """Return an argument as C takes it."""
    if isinstance(argument, int):
        return ctypes.c_long(argument)
    if isinstance(argument, ctypes.c_void_p):
        return ctypes.byref(argument)
    return argument.ctypes.data_as(ctypes.c_void_p)

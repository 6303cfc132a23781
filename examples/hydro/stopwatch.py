"""How long each region of a code takes, step by step, and what profile that makes."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter, process_time

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

Reals = NDArray[np.float64]

IMBALANCE = "imbalance"
"""What processes would wait for the one with the most work, on cores of their own."""


class Stopwatch:
    """Measures regions that follow, and never contain, each other.

    Parameters
    ----------
    regions
        By name, whether they compute; the others talk to other processes.
    """

    def __init__(self, regions: Mapping[str, bool]) -> None:
        self.regions = tuple(regions)
        self._computes = np.array(list(regions.values()))
        self._wall: list[dict[str, float]] = []
        self._cpu: list[dict[str, float]] = []

    def restart(self) -> None:
        """Forget what was measured so far."""
        self._wall.clear()
        self._cpu.clear()

    def start_step(self) -> None:
        """Begin another step: what is measured from now on belongs to it."""
        self._wall.append(dict.fromkeys(self.regions, 0.0))
        self._cpu.append(dict.fromkeys(self.regions, 0.0))

    @contextmanager
    def region(self, name: str) -> Iterator[None]:
        """Add the time that the body takes to a region of this step."""
        wall, cpu = perf_counter(), process_time()
        yield
        self._wall[-1][name] += perf_counter() - wall
        self._cpu[-1][name] += process_time() - cpu

    def slowest(self, comm: MPI.Comm) -> dict[str, list[float]]:
        """Return what the slowest process took in each step, on rank 0, in seconds.

        By region, and of whole steps.
        """
        own = _table(self._wall)
        whole = np.column_stack([own, own.sum(axis=1)])
        slowest = _reduced(comm, whole, MPI.MAX)
        return dict(zip((*self.regions, "step"), slowest.T.tolist(), strict=True))

    def profile(self, comm: MPI.Comm, clock: str) -> dict[str, float]:
        """Return the seconds that all processes took together, on rank 0, by region.

        Parameters
        ----------
        comm
            All processes.
        clock
            `wall` for the time that passed. Where processes share cores, that is
            mostly time in which others ran: `cpu` is the time of the regions that
            compute, and the imbalance between the processes.
        """
        if clock == "wall":
            own = _table(self._wall).sum(axis=0)
            total = _reduced(comm, own, MPI.SUM)
            return dict(zip(self.regions, total.tolist(), strict=True))
        # All steps at once: the clock of a process is too coarse for single ones.
        own = _table(self._cpu).sum(axis=0)[self._computes]
        total = _reduced(comm, own, MPI.SUM)
        longest = _reduced(comm, own.sum(keepdims=True), MPI.MAX)
        names = [
            name
            for name, computes in zip(self.regions, self._computes, strict=True)
            if computes
        ]
        waited = comm.size * float(longest[0]) - float(total.sum())
        return dict(zip(names, total.tolist(), strict=True)) | {IMBALANCE: waited}


def _table(steps: list[dict[str, float]]) -> Reals:
    """Return seconds, shape (steps, regions)."""
    measured = [list(step.values()) for step in steps]
    return np.array(measured, dtype=np.float64)


def _reduced(comm: MPI.Comm, own: Reals, operation: MPI.Op) -> Reals:
    own = np.ascontiguousarray(own)
    reduced = np.zeros_like(own)
    comm.Reduce(own, reduced, operation)
    return reduced

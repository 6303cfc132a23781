"""Steps of the simulation on one process."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Final

import numpy as np
from decomposition import even, extents, process_grid
from gas import COURANT, State, fluxes, state_of, wave_speeds
from halo import Halo
from mpi4py import MPI
from stopwatch import Stopwatch

REGIONS: Final = {
    "exchange_halo": False,
    "wave_speed": True,
    "reduce_time_step": False,
    "fluxes": True,
    "update": True,
    "sum_totals": False,
}
"""What a step consists of, in order, and whether it computes or talks."""


class Simulation:
    """The block of the gas that this process computes.

    Parameters
    ----------
    comm
        All processes.
    shape
        Rows and columns of the whole domain.
    distribution
        How cells are handed out, by name.
    threads
        That compute the block together.

    Raises
    ------
    TooSmall
        If there is not a cell for each process.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        shape: tuple[int, int],
        distribution: str,
        threads: int,
    ) -> None:
        grid = process_grid(comm.size)
        self.comm = comm.Create_cart(grid, periods=(True, True))
        row, column = self.comm.coords
        self.rows = extents(shape[0], grid[0], distribution)[row]
        self.columns = extents(shape[1], grid[1], distribution)[column]
        self.stopwatch = Stopwatch(REGIONS)
        self.time = 0.0
        self.totals = np.zeros(4)
        self._halo = Halo(self.comm, (len(self.rows), len(self.columns)))
        self._threads = ThreadPoolExecutor(threads)
        self._strips = _strips(len(self.rows), threads)
        self.state = np.zeros((4, len(self.rows) + 2, len(self.columns) + 2))
        self.state[:, 1:-1, 1:-1] = blast(self.rows, self.columns, shape)

    @property
    def block(self) -> State:
        """The state of the own cells, shape (4, rows, columns)."""
        return self.state[:, 1:-1, 1:-1]

    def step(self) -> None:
        """Advance by as much time as the fastest wave allows."""
        watch = self.stopwatch
        watch.start_step()
        with watch.region("exchange_halo"):
            self._halo.exchange(self.state)
        with watch.region("wave_speed"):
            fastest = max(self._threads.map(self._fastest, self._strips))
        with watch.region("reduce_time_step"):
            step = COURANT / self.comm.allreduce(fastest, MPI.MAX)
        with watch.region("fluxes"):
            changes = list(self._threads.map(self._change, self._strips))
        with watch.region("update"):
            for strip, change in zip(self._strips, changes, strict=True):
                self.block[:, strip] -= step * change
        with watch.region("sum_totals"):
            self.totals = self.comm.allreduce(self.block.sum(axis=(1, 2)), MPI.SUM)
        self.time += step

    def probe(self) -> State:
        """Return the state of the first cell of the domain on all processes."""
        return np.asarray(self.comm.bcast(self.block[:, 0, 0], root=0))

    def _fastest(self, strip: slice) -> float:
        part = self.block[:, strip]
        return float(max(wave_speeds(part, axis).max() for axis in (0, 1)))

    def _change(self, strip: slice) -> State:
        """Return what leaves each cell of a strip of rows, per unit of time."""
        around = self.state[:, strip.start : strip.stop + 2]
        down = fluxes(around[:, :, 1:-1], 0)
        across = fluxes(around[:, 1:-1], 1)
        return np.asarray(np.diff(down, axis=1) + np.diff(across, axis=2))


def blast(rows: range, columns: range, shape: tuple[int, int]) -> State:
    """Return part of the initial state: a gas at rest, ten times hotter in the middle.

    The pressure falls smoothly from the middle of the domain to its borders.
    """
    y = (np.array(rows) + 0.5) / shape[0] - 0.5
    x = (np.array(columns) + 0.5) / shape[1] - 0.5
    distance = y[:, np.newaxis] ** 2 + x**2
    density = np.ones(distance.shape)
    rest = np.zeros(distance.shape)
    return state_of(density, (rest, rest), 1 + 9 * np.exp(-50 * distance))


def _strips(rows: int, threads: int) -> list[slice]:
    ends = np.cumsum([0, *even(rows, min(rows, threads))]).tolist()
    return [slice(start, end) for start, end in pairwise(ends)]

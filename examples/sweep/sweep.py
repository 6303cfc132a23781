"""The wavefront sweep of sweep.c with numpy and mpi4py, for any MPI library.

    mpiexec -n 4 python sweep.py PX PY [NX NY NZ BLOCK ANGLES ITERATIONS]

Same decomposition, messages, steps and fluxes; numpy computes all angles at once.
"""

import json
import sys

import numpy as np
from mpi4py import MPI

MU, ETA, XI = 0.5, 0.3, 0.4
OCTANTS = 8
CELLS = (8, 8, 40, 10, 6, 1)


class Sweep:
    """A process of the grid, its cells, and what it has counted."""

    def __init__(self, comm, grid, cells):
        self.comm = comm
        self.px, self.py = px, _ = grid
        nx, ny, self.nz, self.block, angles = cells
        block, nz = self.block, self.nz
        self.y, self.x = divmod(comm.rank, px)
        self.flux = np.zeros((nz, ny, nx))
        self.below = np.zeros((ny, nx, angles))
        # Fluxes of a block's faces by plane, row and angle.
        self.west = np.zeros((block, ny, angles))
        self.south = np.zeros((block, nx, angles))
        self.steps = self.messages = 0

    def rank_at(self, x, y):
        """Return the rank at a place, none outside of the grid."""
        inside = 0 <= x < self.px and 0 <= y < self.py
        return y * self.px + x if inside else MPI.PROC_NULL

    def iterate(self):
        """Sweep all octants; return the sum of all fluxes."""
        self.flux[:] = 0
        for number in range(OCTANTS):
            self.octant(-1 if number & 2 else 1, -1 if number & 4 else 1)
        self.steps = self.comm.allreduce(self.steps, MPI.MAX)
        return self.comm.allreduce(self.flux.sum())

    def octant(self, dx, dy):
        """Sweep in one direction, block by block."""
        self.below[:] = 0
        for first in range(0, self.nz, self.block):
            before = (
                self.receive(self.west, self.rank_at(self.x - dx, self.y), 1),
                self.receive(self.south, self.rank_at(self.x, self.y - dy), 2),
            )
            self.compute(first, min(first + self.block, self.nz), dx, dy)
            self.steps = max(self.steps, *before) + 1
            self.send(self.west, self.rank_at(self.x + dx, self.y), 1)
            self.send(self.south, self.rank_at(self.x, self.y + dy), 2)

    def receive(self, faces, source, tag):
        """Fill faces with what enters; return the steps that went before."""
        if source == MPI.PROC_NULL:
            faces[:] = 0
            return 0
        faces[:], steps = self.comm.recv(source=source, tag=tag)
        return steps

    def send(self, faces, target, tag):
        """Pass on what leaves, with the steps that went before."""
        if target != MPI.PROC_NULL:
            self.comm.send((faces, self.steps), target, tag)
            self.messages += 1

    def compute(self, first, last, dx, dy):
        """Compute planes cell by cell, in the direction of the octant."""
        _, ny, nx = self.flux.shape
        for k in range(first, last):
            for j in range(ny)[::dy]:
                for i in range(nx)[::dx]:
                    x, y = self.west[k - first, j], self.south[k - first, i]
                    z = self.below[j, i]
                    phi = (1 + MU * x + ETA * y + XI * z) / (1 + MU + ETA + XI)
                    for entering in (x, y, z):
                        np.maximum(0, 2 * phi - entering, out=entering)
                    self.flux[k, j, i] += phi.sum()


def main():
    """Sweep, and print times and counts of an iteration."""
    comm = MPI.COMM_WORLD
    px, py, *cells = map(int, sys.argv[1:])
    *cells, iterations = cells or CELLS
    if px * py != comm.size:
        sys.exit(f"error: {px} x {py} is no grid of {comm.size} processes")
    sweep = Sweep(comm, (px, py), cells)
    comm.Barrier()
    start = MPI.Wtime()
    flux = 0
    for _ in range(iterations):
        flux = sweep.iterate()
    slowest = comm.allreduce(MPI.Wtime() - start, MPI.MAX)
    messages = comm.allreduce(sweep.messages)
    measured = {
        ("sweep", "time", "s"): slowest / iterations,
        ("pipeline", "steps", "1"): sweep.steps / iterations,
        ("exchange", "messages", "1"): messages / iterations,
    }
    if comm.rank == 0:
        print(f"flux {flux:.12g}", file=sys.stderr)
        for (region, metric, unit), value in measured.items():
            result = {"region": region, "metric": metric, "unit": unit}
            print(json.dumps(result | {"value": value}))


if __name__ == "__main__":
    main()

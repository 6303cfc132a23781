"""The cells around a block, which belong to its neighbours."""

import numpy as np
from gas import State
from mpi4py import MPI


class Halo:
    """Exchanges the outermost cells of a block with its four neighbours.

    Parameters
    ----------
    comm
        A periodic Cartesian communicator of two dimensions.
    shape
        Rows and columns of the block without its halo.
    """

    def __init__(self, comm: MPI.Cartcomm, shape: tuple[int, int]) -> None:
        rows, columns = shape
        self._comm = comm
        # Faces are not contiguous in a state, so they are copied into these.
        self._faces = {
            0: (np.empty((4, columns)), np.empty((4, columns))),
            1: (np.empty((4, rows)), np.empty((4, rows))),
        }

    def exchange(self, state: State) -> None:
        """Fill the halo of a block, shape (4, rows + 2, columns + 2)."""
        inner = slice(1, -1)
        for axis in (0, 1):
            for direction, ours, theirs in ((1, -2, 0), (-1, 1, -1)):
                source, target = self._comm.Shift(axis, direction)
                sent, received = self._faces[axis]
                at = (ours, inner) if axis == 0 else (inner, ours)
                to = (theirs, inner) if axis == 0 else (inner, theirs)
                sent[:] = state[(slice(None), *at)]
                self._comm.Sendrecv(sent, target, recvbuf=received, source=source)
                state[(slice(None), *to)] = received

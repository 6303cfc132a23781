"""Two processes that exchange arrays and objects."""

import numpy as np
from mpi4py import MPI


def arrays(comm, other):
    """Send arrays to and fro, from lines of their own."""
    out, back = np.zeros(100), np.zeros(100)
    if comm.rank == 0:
        comm.Send(out, other)
        comm.Recv(back, other)
    else:
        comm.Recv(back, other)
        comm.Send(out, other)


def objects(comm, other):
    """Send an object, by functions of mpi4py that are several calls."""
    return comm.sendrecv({"rank": comm.rank}, other)


def main():
    """Exchange ten times each."""
    comm = MPI.COMM_WORLD
    for _ in range(10):
        arrays(comm, 1 - comm.rank)
        objects(comm, 1 - comm.rank)
    comm.Barrier()


main()

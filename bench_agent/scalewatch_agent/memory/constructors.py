"""MPI's constructors whose memory is measured, each with what undoes it."""

from collections.abc import Callable, Mapping
from typing import Final, Protocol

from mpi4py import MPI

EXPOSED = 8
"""Bytes of a window; its memory belongs to the caller."""


class Freed(Protocol):
    """An MPI object that its owner frees."""

    def Free(self) -> None:  # noqa: N802 - MPI's
        """Give it back."""


Constructor = Callable[[], Freed]


def comm_create(comm: MPI.Intracomm) -> Constructor:
    """Create a communicator from the group of all processes."""
    group = comm.Get_group()
    return lambda: comm.Create(group)


def comm_dup(comm: MPI.Intracomm) -> Constructor:
    """Duplicate a communicator."""
    return comm.Dup


def win_create(comm: MPI.Intracomm) -> Constructor:
    """Create a window for one-sided communication over memory of the caller's."""
    memory = bytearray(EXPOSED)
    return lambda: MPI.Win.Create(memory, 1, MPI.INFO_NULL, comm)


def cart_create(comm: MPI.Intracomm) -> Constructor:
    """Create a Cartesian topology of one dimension."""
    return lambda: comm.Create_cart([comm.size], [False])


CONSTRUCTORS: Final[Mapping[str, Callable[[MPI.Intracomm], Constructor]]] = {
    "MPI_Comm_create": comm_create,
    "MPI_Comm_dup": comm_dup,
    "MPI_Win_create": win_create,
    "MPI_Cart_create": cart_create,
}
"""By region."""

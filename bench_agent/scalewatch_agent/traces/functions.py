"""MPI functions by what they wait for."""

from collections.abc import Iterable
from typing import Final

ALL_TO_ALL: Final = frozenset(
    {
        "MPI_Barrier",
        "MPI_Allreduce",
        "MPI_Allgather",
        "MPI_Allgatherv",
        "MPI_Alltoall",
        "MPI_Alltoallv",
        "MPI_Alltoallw",
        "MPI_Reduce_scatter",
        "MPI_Reduce_scatter_block",
    }
)
"""Collectives that nobody leaves before the last one has entered."""

ROOT_TO_ALL: Final = frozenset({"MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"})
"""Collectives that nobody leaves before the root has entered."""

ALL_TO_ROOT: Final = frozenset({"MPI_Reduce", "MPI_Gather", "MPI_Gatherv"})
"""Collectives that the root does not leave before the last one has entered."""

PREFIXES: Final = frozenset({"MPI_Scan", "MPI_Exscan"})
"""Collectives that nobody leaves before those of lower rank have entered."""

COLLECTIVES: Final = ALL_TO_ALL | ROOT_TO_ALL | ALL_TO_ROOT | PREFIXES
"""Blocking collectives; their order on a communicator is the same everywhere."""


def non_blocking(name: str) -> str:
    """Return the function that starts a collective: MPI_Ibcast of MPI_Bcast."""
    plain = name.removeprefix("MPI_")
    return f"MPI_I{plain[0].lower()}{plain[1:]}"


STARTING: Final = frozenset(map(non_blocking, COLLECTIVES))
"""Functions that start collectives, which waits complete."""

SCATTERING: Final = frozenset({"MPI_Scatterv", "MPI_Iscatterv"})
"""Functions to which the root brings what all get, and others what they get."""

_OF_WAIT: Final = " › MPI_Wait"

BLOCKING_SENDS: Final = frozenset({"MPI_Send", "MPI_Ssend", "MPI_Rsend"})
"""Sends that can wait for their receiver."""


def standard_name(name: str) -> str:
    """Return the name of a function without the suffix of large counts."""
    return name.removesuffix("_c") if name.startswith("MPI_") else name


def numbers_of(names: Iterable[str], wanted: frozenset[str]) -> list[int]:
    """Return the positions of functions among names."""
    return [
        number for number, name in enumerate(names) if standard_name(name) in wanted
    ]


def wait_for(function: str) -> str:
    """Return what the wait for a collective that a function starts is called."""
    return function + _OF_WAIT


def function_of(cell: str) -> str:
    """Return the function whose calibration measures a cell."""
    return cell.removesuffix(_OF_WAIT)

"""The suites an agent can run: their regions, known without importing MPI."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Suite:
    """Regions that are measured together.

    Parameters
    ----------
    option
        What the command line calls it.
    name
        What its runs are posted as.
    module
        Its `measure` runs under mpiexec.
    regions
        What is measured unless something else is asked for.
    metric, unit
        What is measured of every region.
    repetitions
        How many there are unless another number is asked for.
    """

    option: str
    name: str
    module: str
    regions: tuple[str, ...]
    metric: str
    unit: str
    repetitions: int


RUNTIME: Final = Suite(
    option="runtime",
    name="mpi-collectives",
    module="scalewatch_agent.runtime",
    regions=(
        "MPI_Barrier",
        "MPI_Bcast",
        "MPI_Reduce",
        "MPI_Allreduce",
        "MPI_Gather",
        "MPI_Allgather",
        "MPI_Alltoall",
        "Bcast (binary tree)",
    ),
    metric="time",
    unit="s",
    repetitions=400,
)

MEMORY: Final = Suite(
    option="memory",
    name="mpi-memory",
    module="scalewatch_agent.memory",
    regions=(
        "MPI_Comm_create",
        "MPI_Comm_dup",
        "MPI_Win_create",
        "MPI_Cart_create",
        "MPI memory",
    ),
    metric="memory",
    unit="B",
    repetitions=3,
)

SUITES: Final[Mapping[str, Suite]] = {
    suite.option: suite for suite in (RUNTIME, MEMORY)
}
"""By what the command line calls them."""

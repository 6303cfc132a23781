"""The suites an agent can run: their regions, known without importing MPI."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple


class Suite(NamedTuple):
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
    more
        What is measured only if it is asked for.
    families
        The modules of `scalewatch_agent.kernels` that hold it.
    metric, unit
        What is measured of a region.
    others
        Regions of which something else is measured: that, and its unit.
    repetitions
        How many there are unless another number is asked for.
    message_bytes
        The size unless another one is asked for.
    project
        What its runs belong to, unless that is the MPI library.
    """

    option: str
    name: str
    module: str
    regions: tuple[str, ...]
    metric: str
    unit: str
    repetitions: int
    message_bytes: int = 256
    more: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    others: Mapping[str, tuple[str, str]] = MappingProxyType({})
    project: str | None = None

    def measured_of(self, region: str) -> tuple[str, str]:
        """Return metric and unit of a region."""
        return self.others.get(region, (self.metric, self.unit))


RUNTIME: Final = Suite(
    option="runtime",
    name="mpi-collectives",
    module="scalewatch_agent.suite.runtime",
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
    more=(
        "MPI_Scatter",
        "MPI_Alltoallv",
        "MPI_Scan",
        "MPI_Exscan",
        "MPI_Reduce_scatter",
        "MPI_Ibcast",
        "MPI_Ibcast overlap",
        "MPI_Iallreduce",
        "MPI_Iallreduce overlap",
        "MPI_Ialltoall",
        "MPI_Ialltoall overlap",
        "MPI_Win_fence",
        "MPI_Put",
        "MPI_Get",
        "Point-to-point latency",
        "Point-to-point bandwidth",
    ),
    families=("collectives", "litmus", "nonblocking", "messages"),
    others={
        "MPI_Ibcast overlap": ("overlap", "1"),
        "MPI_Iallreduce overlap": ("overlap", "1"),
        "MPI_Ialltoall overlap": ("overlap", "1"),
        "Point-to-point bandwidth": ("bandwidth", "B/s"),
    },
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

SORTING: Final = Suite(
    option="sorting",
    name="sorting",
    module="scalewatch_agent.suite.runtime",
    regions=("Sample sort", "Histogram sort", "Bitonic sort"),
    metric="time",
    unit="s",
    repetitions=40,
    message_bytes=65_536,
    families=("sorting",),
    project="scalewatch-sorting",
)

SUITES: Final[Mapping[str, Suite]] = {
    suite.option: suite for suite in (RUNTIME, MEMORY, SORTING)
}
"""By what the command line calls them."""

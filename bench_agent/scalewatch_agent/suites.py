"""The suites an agent can run: their regions, known without importing MPI."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Final


@dataclass(frozen=True, slots=True)
class Suite:
    """Regions that are measured together, and the modules that hold their kernels."""

    name: str
    regions: tuple[str, ...]
    modules: tuple[str, ...]

    def load(self) -> None:
        """Import the kernels, so that each registers itself; this imports MPI."""
        for module in self.modules:
            import_module(module)


MPI_COLLECTIVES: Final = Suite(
    name="mpi-collectives",
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
    modules=(
        "scalewatch_agent.kernels.collectives",
        "scalewatch_agent.kernels.litmus",
    ),
)

SUITES: Final[Mapping[str, Suite]] = {suite.name: suite for suite in (MPI_COLLECTIVES,)}

"""Find t_max in the trace of a calibration.

    t_max = min over blocks of q95(times of a block)

for each function, number of processes and bytes, the time of a collective being that of
its slowest process. One that does not block is started and waited for at once: start
and wait have a cell each. A block that was disturbed has a high quantile: the least of
several is what the call takes when nothing else goes on.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.errors import CalibrationUnusable
from scalewatch_agent.traces import functions
from scalewatch_agent.traces.records import Flag, Records
from scalewatch_agent.traces.trace import Process, Trace

QUANTILE: Final = 0.95
WARM_UPS: Final = 10
ROOT: Final = 0
WIDE: Final = 2.0
"""Ratio of the blocks' quantiles beyond which a cell is flagged."""

_MESSAGES: Final = (
    "MPI_Send",
    "MPI_Ssend",
    "MPI_Rsend",
    "MPI_Recv",
    "MPI_Isend",
    "MPI_Irecv",
    "MPI_Sendrecv",
)
_COLLECTIVES: Final = (
    "MPI_Barrier",
    "MPI_Bcast",
    "MPI_Reduce",
    "MPI_Allreduce",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Scatter",
    "MPI_Scatterv",
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Alltoallw",
    "MPI_Scan",
    "MPI_Exscan",
    "MPI_Reduce_scatter",
    "MPI_Reduce_scatter_block",
)
FUNCTIONS: Final = (
    *_MESSAGES,
    *(each for name in _COLLECTIVES for each in (name, functions.non_blocking(name))),
)
"""Functions that are calibrated; messages carry their places here as tags."""

WITHOUT_BYTES: Final = frozenset({"MPI_Barrier", "MPI_Ibarrier", "MPI_Irecv"})
"""Functions whose time does not depend on bytes: one size does."""

SHARED: Final = frozenset(
    each
    for name in (
        "MPI_Alltoall",
        "MPI_Alltoallv",
        "MPI_Alltoallw",
        "MPI_Reduce_scatter",
        "MPI_Reduce_scatter_block",
    )
    for each in (name, functions.non_blocking(name))
)
"""Functions to which each process brings so many bytes for each other one."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Times of a function with so many processes and bytes: a quantile per block."""

    function: str
    processes: int
    bytes: int
    blocks: tuple[float, ...]

    @property
    def best(self) -> float:
        """t_max, in s."""
        return min(self.blocks)

    @property
    def spread(self) -> float:
        """How far the blocks are apart, as a ratio."""
        return max(self.blocks) / self.best if self.best > 0 else float("inf")

    @property
    def is_wide(self) -> bool:
        """Whether the blocks disagree so much that the host was not quiet."""
        return self.spread > WIDE


def cells_of(trace: Trace, blocks: int) -> list[Cell]:
    """Return the cells of a calibration's trace.

    Raises
    ------
    CalibrationUnusable
        If calls are missing.
    """
    times: dict[tuple[str, int], list[NDArray[np.float64]]] = {}
    for process in trace.processes:
        for key, took in _measured(trace, process).items():
            times.setdefault(key, []).append(took)
    return [
        Cell(function, len(trace.processes), size, _quantiles(function, took, blocks))
        for (function, size), took in sorted(times.items())
    ]


def _measured(
    trace: Trace, process: Process
) -> Mapping[tuple[str, int], NDArray[np.float64]]:
    """Return the times of a process's measured calls in s, by function and bytes."""
    records = process.records[:]
    records = records[records["communicator"] == 1]
    is_part = (records["flags"] & Flag.PART) != 0
    records, parts = records[~is_part], records[is_part]
    times = {}
    for tag, name in enumerate(FUNCTIONS):
        if name not in trace.functions:
            continue
        chosen = records["function"] == trace.functions.index(name)
        if name in _MESSAGES:
            chosen &= records["tag"] == tag
        calls = records[chosen]
        sizes = calls["bytes"].astype(np.int64)
        if process.rank == ROOT and name in functions.SCATTERING:
            sizes //= len(trace.processes)
        for size in np.unique(sizes).tolist():
            of_size = calls[sizes == size]
            times[name, size] = _seconds(of_size)
            if name in functions.STARTING:
                is_one = np.isin(parts["request"], of_size["request"])
                times[functions.wait_for(name), size] = _seconds(parts[is_one])
    return times


def _seconds(calls: Records) -> NDArray[np.float64]:
    return calls["took"].astype(np.float64) * 1e-9


def _quantiles(
    function: str, took: list[NDArray[np.float64]], blocks: int
) -> tuple[float, ...]:
    lengths = {len(each) for each in took}
    if len(lengths) != 1 or lengths.pop() % blocks:
        raise CalibrationUnusable(function, "calls are missing in its trace")
    slowest = np.max(took, axis=0).reshape(blocks, -1)[:, WARM_UPS:]
    return tuple(np.quantile(slowest, QUANTILE, axis=1).tolist())

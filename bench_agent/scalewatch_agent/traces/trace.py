"""A trace in memory: the calls of each process, whatever format they came in."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces.stored import BLOCK, Rows

Nanoseconds = NDArray[np.int64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """The place in the source from which MPI is called; fields nobody knows are empty.

    `call_path` names the callers of `caller`, the innermost first.
    """

    file: str = ""
    line: int = 0
    caller: str = ""
    call_path: str = ""


@dataclass(frozen=True, slots=True)
class Process:
    """The calls of one process.

    Parameters
    ----------
    rank
        In MPI_COMM_WORLD.
    records
        Its calls in the order of their start, of `records.RECORD`, shape (n,); parts
        of a call follow it. `site`, `communicator` and `function` count in the trace.
    useful
        Time outside of MPI, in ns.
    running
        When it computes, in ns: begins and ends, in order, shape (k, 2); all the time
        between calls where that is None.
    span
        When it began and ended, in ns: with its first and last call where that is None.
    """

    rank: int
    records: Rows
    useful: int
    running: Nanoseconds | None = None
    span: tuple[int, int] | None = None


MESSAGE: Final = np.dtype(
    [
        ("sender", "<i4"),
        ("receiver", "<i4"),
        ("send", "<i8"),
        ("receive", "<i8"),
        ("posted", "<i8"),
        ("communicator", "<u4"),
    ]
)
"""A message whose both ends are known.

`sender` and `receiver` are positions in `Trace.processes`, `send` and `receive`
positions of the calls in their records: of the receive, or of the wait that completed
it. `posted` is when the receiver was ready, in ns.
"""


@dataclass(frozen=True, slots=True)
class Messages:
    """Messages of type `MESSAGE`, shape (m,).

    `unmatched` counts the ends of messages without another end. `doubtful` are the
    communicators of these, on which others may have been taken for their partners.
    """

    rows: Rows
    unmatched: int = 0
    doubtful: frozenset[int] = frozenset()

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.rows)

    def blocks(self) -> Iterator[NDArray[Any]]:
        """Yield them, some at a time."""
        for begin in range(0, len(self.rows), BLOCK):
            yield self.rows[begin : begin + BLOCK]


@dataclass(frozen=True, slots=True)
class Trace:
    """One run of a program.

    Parameters
    ----------
    processes
        In the order of their ranks.
    functions, sites
        What the records count in.
    communicators
        The ranks in MPI_COMM_WORLD of each communicator's members.
    runtime
        In ns.
    messages
        Where the format says which send goes with which receive; found by order
        (`messages`) otherwise.
    remarks
        Doubts about the trace, a sentence each.
    """

    processes: Sequence[Process]
    functions: Sequence[str]
    sites: Sequence[Site]
    communicators: Mapping[int, NDArray[np.int64]]
    runtime: int
    messages: Messages | None = None
    is_truncated: bool = False
    remarks: Sequence[str] = field(default=())

    @property
    def useful(self) -> NDArray[np.float64]:
        """Time outside of MPI of each process, in s, shape (p,)."""
        return np.array([process.useful for process in self.processes]) * 1e-9

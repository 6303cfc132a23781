"""What calls take beyond their best time: max(0, t - t_max).

The processes of a collective are those of its communicator. A wait has the best time of
the slowest message that it completes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces.functions import (
    COLLECTIVES,
    numbers_of,
    standard_name,
)
from scalewatch_agent.traces.messages.pairs import Open, calls_of
from scalewatch_agent.traces.records import Flag, Records
from scalewatch_agent.traces.trace import Indices, Trace

WAITS: Final = frozenset(
    {
        "MPI_Wait",
        "MPI_Waitall",
        "MPI_Waitany",
        "MPI_Waitsome",
        "MPI_Test",
        "MPI_Testall",
        "MPI_Testany",
        "MPI_Testsome",
    }
)
"""Functions that complete requests."""


class BestTimes(Protocol):
    """What calls take at their best, in s."""

    def __call__(
        self, function: str, processes: int, sizes: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return t_max for sizes in bytes, shape (n,); None if nobody measured it."""


def uncalibrated(
    function: str,
    processes: int,
    sizes: NDArray[np.float64],
) -> None:
    """Know no best time of any function."""


class Overheads:
    """Overheads of the records of a process, of which blocks are given in order.

    Blocks hold calls with all their parts. `not_calibrated` are functions without a
    best time.
    """

    def __init__(self, trace: Trace, best_times: BestTimes) -> None:
        """Begin before the first record."""
        self.not_calibrated: set[str] = set()
        self._trace, self._best_times = trace, best_times
        self._posted = Open()

    def of(self, records: Records) -> NDArray[np.float64]:
        """Return the overheads in ns, shape (n,); those of parts mean nothing."""
        trace, best_times = self._trace, self._best_times
        lost = records["took"].astype(np.float64)
        used = np.bincount(records["function"], minlength=len(trace.functions))
        names = [trace.functions[number] for number in np.flatnonzero(used).tolist()]
        if best_times is uncalibrated:
            self.not_calibrated.update(names)
            return lost
        completed = self._completed(records)
        for name in names:
            calls = np.flatnonzero(records["function"] == trace.functions.index(name))
            if standard_name(name) in WAITS:
                best = _of_waits(trace, records, calls, completed, best_times)
            else:
                best = _of_calls(trace, records, calls, best_times)
            if best is None:
                self.not_calibrated.add(name)
            else:
                lost[calls] = np.maximum(0, lost[calls] - best * 1e9)
        return lost

    def _completed(self, records: Records) -> "_Completed":
        """Return the messages that waits have completed.

        Own traces have parts of a wait for them; others tell the first in its own row.
        """
        flags, requests = records["flags"], records["request"].astype(np.int64)
        waits = numbers_of(self._trace.functions, WAITS)
        is_told = (requests > 0) | ((flags & (Flag.PART | Flag.RECEIVED)) != 0)
        at = np.flatnonzero(is_told & np.isin(records["function"], waits))
        is_received = (flags[at] & Flag.RECEIVED) != 0
        sizes = records["bytes"][at].astype(np.float64)
        posts = np.flatnonzero((requests > 0) & ((flags & Flag.SENT) != 0))
        posted = records["bytes"][posts].astype(np.int64)
        ended = np.flatnonzero(~is_received)
        known, found = self._posted.ended(requests[posts], posted, requests[at[ended]])
        is_sent = np.zeros(len(at), bool)
        is_sent[ended[known]] = True
        sizes[ended[known]] = found
        return _Completed(at, sizes, is_received, is_sent)


@dataclass(frozen=True, slots=True)
class _Completed:
    """What waits have completed: positions of records, and bytes, shape (n,)."""

    at: Indices
    sizes: NDArray[np.float64]
    is_received: NDArray[np.bool_]
    is_sent: NDArray[np.bool_]


def _of_calls(
    trace: Trace, records: Records, calls: Indices, best_times: BestTimes
) -> NDArray[np.float64] | None:
    name = standard_name(trace.functions[int(records["function"][calls[0]])])
    best = np.zeros(len(calls))
    for processes, chosen in _by_size(trace, name, records["communicator"][calls]):
        sizes = records["bytes"][calls[chosen]].astype(np.float64)
        found = best_times(name, processes, sizes)
        if found is None:
            return None
        best[chosen] = found
    return best


def _by_size(
    trace: Trace, name: str, communicators: NDArray[np.uint32]
) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Yield how many processes take part, and in which calls."""
    everybody = len(trace.processes)
    if name not in COLLECTIVES:
        yield everybody, np.ones(len(communicators), bool)
        return
    sizes = np.full(len(communicators), everybody)
    for number in np.unique(communicators):
        members = trace.communicators.get(int(number))
        if members is not None:
            sizes[communicators == number] = len(members)
    for size in np.unique(sizes):
        yield int(size), sizes == size


def _of_waits(
    trace: Trace,
    records: Records,
    calls: Indices,
    completed: _Completed,
    best_times: BestTimes,
) -> NDArray[np.float64] | None:
    """Return the best times of waits: none where they complete no message."""
    best = np.zeros(len(records))
    owners = calls_of(records)[completed.at]
    is_own = records["function"][owners] == records["function"][calls[0]]
    for function, is_one in (
        ("MPI_Recv", completed.is_received),
        ("MPI_Send", completed.is_sent),
    ):
        chosen = is_own & is_one
        found = best_times(function, len(trace.processes), completed.sizes[chosen])
        if found is None:
            return None
        np.maximum.at(best, owners[chosen], found)
    return best[calls]

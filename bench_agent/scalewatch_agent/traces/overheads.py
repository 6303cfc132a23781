"""Overheads: time of calls beyond their best time, max(0, t - t_max).

The processes of a collective are those of its communicator. A wait has the best time of
the slowest message, or collective, that it completes.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces import functions
from scalewatch_agent.traces.records import Flag, Open, Records, calls_of
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
    """Best time of calls, in s."""

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

    def __init__(self, trace: Trace, best_times: BestTimes, rank: int) -> None:
        """Begin before the first record of the process of a rank."""
        self.not_calibrated: set[str] = set()
        self._trace, self._best_times, self._rank = trace, best_times, rank
        self._sent, self._started = Open(), Open()
        self._kinds: dict[_Kind, int] = {}
        self._starting = functions.numbers_of(trace.functions, functions.STARTING)

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
            if functions.standard_name(name) in WAITS:
                best = self._of_waits(records, calls, completed)
            else:
                best = self._of_calls(records, calls)
            if best is None:
                self.not_calibrated.add(name)
            else:
                lost[calls] = np.maximum(0, lost[calls] - best * 1e9)
        return lost

    def _of_calls(self, records: Records, calls: Indices) -> NDArray[np.float64] | None:
        name = functions.standard_name(
            self._trace.functions[int(records["function"][calls[0]])]
        )
        best = np.zeros(len(calls))
        processes, sizes = self._taking_part(name, records[calls])
        for count in np.unique(processes).tolist():
            chosen = processes == count
            best_times = self._best_times(name, count, sizes[chosen])
            if best_times is None:
                return None
            best[chosen] = best_times
        return best

    def _taking_part(
        self, name: str, calls: Records
    ) -> tuple[Indices, NDArray[np.float64]]:
        """Return how many processes take part in calls of a function, and bytes."""
        everybody = len(self._trace.processes)
        processes = np.full(len(calls), everybody)
        sizes = calls["bytes"].astype(np.float64)
        if name not in functions.COLLECTIVES | functions.STARTING:
            return processes, sizes
        for number in np.unique(calls["communicator"]).tolist():
            members = self._trace.communicators.get(number)
            if members is None:
                continue
            on = calls["communicator"] == number
            processes[on] = len(members)
            if name in functions.SCATTERING:
                # The root brings what all get: table and others tell what each gets.
                roots = np.append(members, -1)[np.minimum(calls["peer"], len(members))]
                sizes[on & (roots == self._rank)] /= len(members)
        return processes, sizes

    def _of_waits(
        self, records: Records, calls: Indices, completed: "_Completed"
    ) -> NDArray[np.float64] | None:
        """Return the best times of waits: none where they complete nothing."""
        best = np.zeros(len(records))
        owners = calls_of(records)[completed.at]
        is_own = records["function"][owners] == records["function"][calls[0]]
        for function, is_one in (
            ("MPI_Recv", completed.is_received),
            ("MPI_Send", completed.is_sent),
        ):
            chosen = is_own & is_one
            best_times = self._best_times(
                function, len(self._trace.processes), completed.sizes[chosen]
            )
            if best_times is None:
                return None
            np.maximum.at(best, owners[chosen], best_times)
        kinds = list(self._kinds)
        together: dict[tuple[str, int], list[int]] = defaultdict(list)
        for number in np.unique(completed.kind[is_own]).tolist():
            if number >= 0:
                kind = kinds[number]
                together[kind.function, kind.processes].append(number)
        for (function, processes), numbers in together.items():
            chosen = np.flatnonzero(is_own & np.isin(completed.kind, numbers))
            best_times = self._best_times(
                functions.wait_for(function), processes, completed.sizes[chosen]
            )
            if best_times is not None:
                np.maximum.at(best, owners[chosen], best_times)
        return best[calls]

    def _completed(self, records: Records) -> "_Completed":
        """Return what waits have completed.

        Own traces have parts of a wait for it; others tell the first in its own row.
        """
        flags, requests = records["flags"], records["request"].astype(np.int64)
        waits = functions.numbers_of(self._trace.functions, WAITS)
        is_told = (requests > 0) | ((flags & (Flag.PART | Flag.RECEIVED)) != 0)
        at = np.flatnonzero(is_told & np.isin(records["function"], waits))
        is_received = (flags[at] & Flag.RECEIVED) != 0
        sizes = records["bytes"][at].astype(np.float64)
        posts = np.flatnonzero((requests > 0) & ((flags & Flag.SENT) != 0))
        posted = records["bytes"][posts].astype(np.int64)
        ended = np.flatnonzero(~is_received)
        known, positions = self._sent.ended(
            requests[posts], posted, requests[at[ended]]
        )
        is_sent = np.zeros(len(at), bool)
        is_sent[ended[known]] = True
        sizes[ended[known]] = positions
        started = np.flatnonzero(
            (requests > 0) & np.isin(records["function"], self._starting)
        )
        known, positions = self._started.ended(
            requests[started], self._numbers(records[started]), requests[at[ended]]
        )
        kind = np.full(len(at), -1)
        kind[ended[known]] = positions
        of_kinds = np.array([each.bytes for each in self._kinds], np.float64)
        sizes[ended[known]] = of_kinds[positions]
        return _Completed(at, sizes, is_received, is_sent, kind)

    def _numbers(self, calls: Records) -> Indices:
        """Return the number of the kind of each call that starts a collective."""
        numbers = np.zeros(len(calls), np.int64)
        for function in np.unique(calls["function"]).tolist():
            name = functions.standard_name(self._trace.functions[function])
            chosen = np.flatnonzero(calls["function"] == function)
            processes, sizes = self._taking_part(name, calls[chosen])
            both = np.stack([processes.astype(np.float64), sizes])
            unique, place = np.unique(both, axis=1, return_inverse=True)
            kind_numbers = []
            for count, size in unique.T.tolist():
                kind = _Kind(name, int(count), size)
                kind_numbers.append(self._kinds.setdefault(kind, len(self._kinds)))
            numbers[chosen] = np.array(kind_numbers, np.int64)[place.reshape(-1)]
        return numbers


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of collectives that do not block: function, processes and bytes."""

    function: str
    processes: int
    bytes: float


@dataclass(frozen=True, slots=True)
class _Completed:
    """Operations that waits completed: positions of records, and bytes, shape (n,).

    `kind` numbers kinds of collectives, -1 where it is none.
    """

    at: Indices
    sizes: NDArray[np.float64]
    is_received: NDArray[np.bool_]
    is_sent: NDArray[np.bool_]
    kind: Indices

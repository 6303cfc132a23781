"""Sum a trace up by source location: what travels to the server.

    T_l = Σ t,    O_l = Σ max(0, t - t_max)    equations (1) and (2)

over all calls at location l and all processes, t_max being what a call takes at its
best with so many processes and bytes. With u_i the time that process i computes and T
the run time,

    parallel efficiency      mean(u) / T
    load balance             mean(u) / max(u)
    communication efficiency max(u) / T
    serialisation efficiency max(u) / T_ideal
    transfer efficiency      T_ideal / T

where T_ideal is the run time on a network that takes no time. Parallel efficiency is
the product of load balance and communication efficiency, which is the product of the
last two.

References
----------
"Knowledge Based Automatic Scalability Analysis and Extrapolation for MPI Programs",
section 2. POP, "Performance Optimisation and Productivity: standard metrics for
performance analysis of parallel applications".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces import critical
from scalewatch_agent.traces.collectives import Collectives
from scalewatch_agent.traces.ideal import ideal_runtime
from scalewatch_agent.traces.messages import matched
from scalewatch_agent.traces.overheads import BestTimes, Overheads, uncalibrated
from scalewatch_agent.traces.records import Flag, Records, blocks
from scalewatch_agent.traces.trace import Messages, Site, Trace
from scalewatch_agent.traces.waits import KINDS, by_process, wait_states


@dataclass(frozen=True, slots=True)
class Efficiencies:
    """Factors from 0 to 1; the last two need the run time on an ideal network."""

    parallel: float
    load_balance: float
    communication: float
    serialisation: float | None = None
    transfer: float | None = None


def efficiencies(
    useful: NDArray[np.float64], runtime: float, ideal_runtime: float | None = None
) -> Efficiencies:
    """Return the efficiencies of a run.

    Parameters
    ----------
    useful
        Time outside of MPI of each process, shape (p,), in the unit of the run times.
    """
    mean, largest = float(useful.mean()), float(useful.max())
    return Efficiencies(
        parallel=mean / runtime,
        load_balance=mean / largest if largest else 1.0,
        communication=largest / runtime,
        serialisation=largest / ideal_runtime if ideal_runtime else None,
        transfer=ideal_runtime / runtime if ideal_runtime else None,
    )


NO_IDEAL: Final = (
    "no run time on an ideal network: the trace is too long for a replay, or lacks "
    "messages that processes wait for"
)


@dataclass(frozen=True, slots=True)
class LocationSums:
    """Sums over the calls of a function at one place, of all processes.

    Times are in s. `messages` counts those that are sent or received there, `bytes`
    what these hold, and what each process brings to a collective. On the critical path
    are these calls for `path_mpi_time`, and computation before them for
    `path_computing`. A profile may lack all but the time: None.
    """

    function: str
    site: Site
    calls: int | None
    mpi_time: float
    overhead: float
    bytes: int | None = None
    messages: int | None = None
    wait_late_sender: float | None = None
    wait_late_receiver: float | None = None
    wait_collective: float | None = None
    path_mpi_time: float | None = None
    path_computing: float | None = None


@dataclass(frozen=True, slots=True)
class Reduced:
    """A trace as its sums.

    Parameters
    ----------
    runtime, mpi_time, overhead
        In s; the last two over all processes.
    ideal_runtime
        On a network that takes no time; None where that cannot be told.
    useful
        Time outside of MPI of each process in s, shape (p,).
    locations
        The longest time first.
    not_calibrated
        Functions whose best time nobody measured: all their time is overhead.
    unmatched
        Ends of messages without another end.
    path_computing
        What each process computes on the critical path in s, shape (p,).
    has_each
        Whether useful time is known of each process, or only their mean.
    calibration
        The title of the table of best times; None without one.
    extrapolated
        Functions whose best times lie beyond that table.
    """

    processes: int
    runtime: float
    useful: NDArray[np.float64]
    mpi_time: float | None
    overhead: float | None
    locations: Sequence[LocationSums]
    not_calibrated: frozenset[str]
    ideal_runtime: float | None = None
    unmatched: int = 0
    is_truncated: bool = False
    remarks: Sequence[str] = ()
    has_each: bool = True
    path_computing: NDArray[np.float64] | None = None
    calibration: str | None = None
    extrapolated: frozenset[str] = frozenset()

    @property
    def efficiencies(self) -> Efficiencies:
        """Factors of POP."""
        return efficiencies(self.useful, self.runtime, self.ideal_runtime)


_COLUMNS: Final = (
    "calls",
    "time",
    "overhead",
    "bytes",
    "messages",
    "late_sender",
    "late_receiver",
    "collective",
)


def reduced(trace: Trace, best_times: BestTimes = uncalibrated) -> Reduced:
    """Return the sums of a trace."""
    size = len(trace.functions) * max(1, len(trace.sites))
    sums = {name: np.zeros(size) for name in _COLUMNS}
    messages = matched(trace)
    collectives = Collectives(trace)
    waits = wait_states(trace, messages, collectives)
    waiting = critical.WaitingCalls(len(trace.processes))
    missing: set[str] = set()
    for number, process in enumerate(trace.processes):
        overheads, waited = Overheads(trace, best_times, process.rank), waits.of(number)
        for begin, block in blocks(process.records):
            lost = overheads.of(block)
            _add_calls(sums, trace, block, lost)
            waits_of_block = waited[begin : begin + len(block)]
            _add_waits(sums, trace, block, waits_of_block)
            waiting.add(number, block, waits_of_block)
        missing |= overheads.not_calibrated
    if trace.messages is not None:
        sums["messages"] += _ends(trace, messages, size)
    path = critical.critical_path(trace, waiting, partial(_keys, trace), size)
    useful = trace.useful
    ideal = ideal_runtime(trace, messages, collectives)
    remarks = [*trace.remarks]
    if messages.doubtful and not trace.is_truncated:
        remarks.append(
            f"{messages.unmatched} messages lack an end: no late senders and receivers "
            "are told of their communicators"
        )
    if not (ideal is not None):
        remarks.append(NO_IDEAL)
    if path is None:
        remarks.append(critical.no_path())
    return Reduced(
        processes=len(trace.processes),
        runtime=trace.runtime * 1e-9,
        useful=useful,
        mpi_time=float(sums["time"].sum()) * 1e-9,
        overhead=float(sums["overhead"].sum()) * 1e-9,
        locations=_locations(trace, sums, path),
        ideal_runtime=None if ideal is None else ideal * 1e-9,
        not_calibrated=frozenset(missing),
        unmatched=messages.unmatched,
        is_truncated=trace.is_truncated,
        remarks=tuple(remarks),
        path_computing=None if path is None else path.computing * 1e-9,
    )


def _keys(trace: Trace, records: Records) -> NDArray[np.int64]:
    sites = max(1, len(trace.sites))
    keys: NDArray[np.int64] = records["function"].astype(np.int64) * sites
    return keys + records["site"].astype(np.int64)


def _add_calls(
    sums: dict[str, NDArray[np.float64]],
    trace: Trace,
    block: Records,
    lost: NDArray[np.float64],
) -> None:
    """Add a block of records, and what its calls have lost."""
    size = len(sums["time"])
    key = _keys(trace, block)
    is_call = (block["flags"] & Flag.PART) == 0
    if trace.messages is None:
        for flag in (Flag.SENT, Flag.RECEIVED):
            has_message = (block["flags"] & flag) != 0
            sums["messages"] += np.bincount(key, has_message, minlength=size)
    sums["bytes"] += np.bincount(key, block["bytes"], minlength=size)
    key, calls = key[is_call], block[is_call]
    took = calls["took"].astype(np.float64)
    sums["calls"] += np.bincount(key, minlength=size)
    sums["time"] += np.bincount(key, took, minlength=size)
    sums["overhead"] += np.bincount(key, lost[is_call], minlength=size)


def _add_waits(
    sums: dict[str, NDArray[np.float64]],
    trace: Trace,
    block: Records,
    waited: NDArray[Any],
) -> None:
    """Add what a block of records has waited for."""
    for name in KINDS:
        late = np.flatnonzero(waited[name])
        if len(late):
            key = _keys(trace, block[late])
            size = len(sums[name])
            sums[name] += np.bincount(key, waited[name][late], minlength=size)


def _ends(trace: Trace, messages: Messages, size: int) -> NDArray[np.float64]:
    """Count messages where they are sent and where they are received."""
    counts = np.zeros(size)
    for block in messages.blocks():
        for numbers, calls in (("sender", "send"), ("receiver", "receive")):
            for number, chosen in by_process(block[numbers]):
                records = trace.processes[number].records[block[calls][chosen]]
                counts += np.bincount(_keys(trace, records), minlength=size)
    return counts


def _locations(
    trace: Trace,
    sums: dict[str, NDArray[np.float64]],
    path: critical.CriticalPath | None,
) -> tuple[LocationSums, ...]:
    sites = trace.sites or (Site(),)
    unknown: list[float | None] = [None] * len(sums["calls"])
    path_in_calls, path_before = (
        (unknown, unknown)
        if path is None
        else ((path.in_calls * 1e-9).tolist(), (path.before_calls * 1e-9).tolist())
    )
    used = np.flatnonzero(sums["calls"])
    longest = used[np.argsort(-sums["time"][used], kind="stable")]
    return tuple(
        LocationSums(
            function=trace.functions[key // len(sites)],
            site=sites[key % len(sites)],
            calls=int(sums["calls"][key]),
            mpi_time=float(sums["time"][key]) * 1e-9,
            overhead=float(sums["overhead"][key]) * 1e-9,
            bytes=int(sums["bytes"][key]),
            messages=int(sums["messages"][key]),
            wait_late_sender=float(sums["late_sender"][key]) * 1e-9,
            wait_late_receiver=float(sums["late_receiver"][key]) * 1e-9,
            wait_collective=float(sums["collective"][key]) * 1e-9,
            path_mpi_time=path_in_calls[key],
            path_computing=path_before[key],
        )
        for key in longest.tolist()
    )

"""Find the collective operations of a trace: which calls of its processes are one.

The members of a communicator call its blocking collectives in the same order, so that
the k-th calls of all of them are one operation.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces import functions
from scalewatch_agent.traces.records import WINDOW, Flag, Records, blocks, windows
from scalewatch_agent.traces.trace import Indices, Nanoseconds, Trace

CALL: Final = np.dtype(
    [
        ("call", "<i8"),
        ("start", "<i8"),
        ("took", "<i8"),
        ("communicator", "<u4"),
        ("peer", "<i4"),
        ("function", "<u2"),
    ]
)


@dataclass(frozen=True, slots=True)
class Operations:
    """Collective operations of a communicator: the calls of its members.

    All arrays have the shape (members, operations).
    """

    numbers: Indices
    calls: Indices
    start: Nanoseconds
    took: Nanoseconds
    function: Indices
    is_root: NDArray[np.bool_]


class Collectives:
    """The communicators of a trace whose members agree about their operations.

    Where members disagree about which operations there were (a part of the trace is
    missing) none of that communicator can be told.
    """

    def __init__(self, trace: Trace) -> None:
        """Look at all records once."""
        self._trace = trace
        is_wanted = np.zeros(len(trace.functions), bool)
        is_wanted[functions.numbers_of(trace.functions, functions.COLLECTIVES)] = True
        self._is_wanted = is_wanted
        positions = {process.rank: at for at, process in enumerate(trace.processes)}
        signatures = [
            _signatures(process.records, self._is_wanted) for process in trace.processes
        ]
        agreeing = {}
        for number in sorted({signature for each in signatures for signature in each}):
            ranks = trace.communicators.get(number, np.zeros(0, np.int64)).tolist()
            if len(ranks) < 2 or any(rank not in positions for rank in ranks):
                continue
            of = [positions[rank] for rank in ranks]
            if len({signatures[at].get(number) for at in of}) == 1:
                agreeing[number] = np.array(of, np.int64)
        self._members = agreeing

    def operations(self, size: int = WINDOW) -> Iterator[Operations]:
        """Yield the operations of each communicator, some at a time.

        Parameters
        ----------
        size
            Records of the trace that are taken at a time.
        """
        if self._members:
            waiting = {
                number: [np.zeros(0, CALL)] * len(of)
                for number, of in self._members.items()
            }
            places = {
                (number, at): place
                for number, of in self._members.items()
                for place, at in enumerate(of.tolist())
            }
            for window in windows(
                [process.records for process in self._trace.processes], size
            ):
                changed = set()
                for at, (begin, end) in enumerate(window):
                    block = self._trace.processes[at].records[begin:end]
                    for number, calls in _by_communicator(
                        _calls(block, self._is_wanted, begin)
                    ):
                        if (place := places.get((number, at))) is not None:
                            rows = waiting[number]
                            rows[place] = np.concatenate([rows[place], calls])
                            changed.add(number)
                for number in sorted(changed):
                    count = min(map(len, waiting[number]))
                    if count:
                        calls = np.stack([each[:count] for each in waiting[number]])
                        numbers = self._members[number]
                        peers = calls["peer"]
                        yield Operations(
                            numbers,
                            calls["call"],
                            calls["start"],
                            calls["took"],
                            calls["function"].astype(np.int64),
                            peers == np.arange(len(numbers))[:, np.newaxis],
                        )
                        waiting[number] = [each[count:] for each in waiting[number]]


def _calls(block: Records, is_wanted: NDArray[np.bool_], begin: int) -> NDArray[Any]:
    at = np.flatnonzero(is_wanted[block["function"]])
    at = at[(block["flags"][at] & Flag.PART) == 0]
    chosen = block[at]
    calls = np.zeros(len(at), CALL)
    calls["call"] = begin + at
    for name in ("start", "took", "communicator", "peer", "function"):
        calls[name] = chosen[name]
    return calls


def _by_communicator(calls: NDArray[Any]) -> Iterator[tuple[int, NDArray[Any]]]:
    on = calls["communicator"]
    numbers = np.unique(on).tolist()
    for number in numbers:
        yield number, calls[on == number] if len(numbers) > 1 else calls


def _signatures(records: Any, is_wanted: NDArray[np.bool_]) -> Mapping[int, bytes]:
    """Return for each communicator what tells the operations of a process apart."""
    hashes: dict[int, Any] = {}
    for begin, block in blocks(records):
        for number, calls in _by_communicator(_calls(block, is_wanted, begin)):
            known = hashes.setdefault(number, hashlib.blake2b(digest_size=16))
            known.update(calls["function"].tobytes())
    return {number: known.digest() for number, known in hashes.items()}

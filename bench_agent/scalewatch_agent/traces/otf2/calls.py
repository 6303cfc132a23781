"""Make calls of MPI out of the events of one process.

A call begins where a region of MPI is entered and ends where it is left again, at the
same depth; what happens in between belongs to it. Its caller is the region that was
open then.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces.otf2.events import Events, Kind
from scalewatch_agent.traces.records import RECORD, Flag, Records

Places = NDArray[np.int64]

FLAGS = {
    Kind.SEND: Flag.SENT,
    Kind.RECEIVE: Flag.RECEIVED,
    Kind.POST: Flag.POSTED,
    Kind.COMPLETE: Flag.RECEIVED,
}


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls of a process; sites are regions that call MPI, -1 where unknown.

    `function` and `caller` are regions of the archive, shape (n,).
    """

    records: Records
    function: Places
    caller: Places
    left_open: int
    backwards: int


def calls_of(events: Events, times: Places, of_mpi: Places) -> Calls:
    """Return the calls among events.

    Parameters
    ----------
    times
        Of the events, in ns.
    of_mpi
        The regions that are functions of MPI.
    """
    kind, reference = np.asarray(events["kind"]), np.asarray(events["reference"])
    enters, leaves = kind == Kind.ENTER, kind == Kind.LEAVE
    depth = np.cumsum(enters.astype(np.int64) - leaves) - enters
    depth -= depth.min(initial=0)
    entered = np.flatnonzero(enters)
    calls = entered[np.isin(reference[entered], of_mpi)]
    ends = _next_at(depth, np.flatnonzero(leaves), calls)
    # Left is what was entered: where another region is, the leave is missing.
    ends[(ends >= 0) & (reference[ends] != reference[calls])] = -1
    left_open = int((ends < 0).sum())
    calls, ends = calls[ends >= 0], ends[ends >= 0]
    outermost = calls >= np.maximum.accumulate(np.r_[-1, ends])[:-1]
    calls, ends = calls[outermost], ends[outermost]
    callers = _last_above(depth, entered, calls)
    took = times[ends] - times[calls]
    records: Records = np.zeros(len(calls), RECORD)
    records["start"] = times[calls]
    records["took"] = np.maximum(took, 0)
    records["peer"] = -1
    function = reference[calls].astype(np.int64)
    caller = np.where(callers >= 0, reference[callers].astype(np.int64), -1)
    told = np.flatnonzero(np.isin(kind, [*FLAGS, Kind.COLLECTIVE]))
    order, records = _with_messages(records, events, told, _inside(told, calls, ends))
    return Calls(
        records, function[order], caller[order], left_open, int((took < 0).sum())
    )


def _next_at(depth: Places, leaves: Places, calls: Places) -> Places:
    """Return where each call is left: the next leave at its depth, -1 without any."""
    return _neighbour(depth, leaves, calls, depth[calls], is_before=False)


def _last_above(depth: Places, entered: Places, calls: Places) -> Places:
    """Return what was entered last before each call, one level above; -1 if nothing."""
    return _neighbour(depth, entered, calls, depth[calls] - 1, is_before=True)


def _neighbour(
    depth: Places, among: Places, calls: Places, wanted: Places, *, is_before: bool
) -> Places:
    size = len(depth) + 1
    keys = np.sort(depth[among] * size + among)
    sought = wanted * size + calls
    at = np.searchsorted(keys, sought) - is_before
    known = (at >= 0) & (at < len(keys))
    found = np.full(len(calls), -1, np.int64)
    level, place = np.divmod(keys[at[known]], size)
    found[known] = np.where(level == wanted[known], place, -1)
    return found


def _inside(told: Places, calls: Places, ends: Places) -> Places:
    """Return during which call something happened, -1 outside of all."""
    at = np.searchsorted(calls, told) - 1
    inside = at >= 0
    inside[inside] = told[inside] < ends[at[inside]]
    return np.where(inside, at, -1)


def _with_messages(
    records: Records, events: Events, told: Places, call: Places
) -> tuple[Places, Records]:
    """Return records with what happened in them, and the call that each belongs to.

    The first message of a call stands in its record, each other one in a part of it.
    """
    told, call = told[call >= 0], call[call >= 0]
    happened = np.asarray(events[told])
    is_first = np.r_[True, call[1:] != call[:-1]][: len(call)]
    # Each call, and each part behind its call.
    owner = np.concatenate([np.arange(len(records)), call[~is_first]])
    order = np.argsort(owner, kind="stable")
    place = np.empty(len(owner), np.int64)
    place[order] = np.arange(len(owner))
    owner = owner[order]
    made = records[owner]
    parts = place[len(records) :]
    made["flags"][parts] = Flag.PART
    row = np.empty(len(call), np.int64)
    row[is_first] = place[call[is_first]]
    row[~is_first] = parts
    flags = np.zeros(max(Kind) + 1, np.uint16)
    for kind, flag in FLAGS.items():
        flags[kind] = flag
    made["flags"][row] |= flags[happened["kind"]]
    made["bytes"][row] = happened["bytes"]
    made["communicator"][row] = happened["reference"]
    is_post = happened["kind"] == Kind.POST
    made["peer"][row] = np.where(is_post, -1, happened["peer"])
    is_tagged = happened["kind"] != Kind.COLLECTIVE
    made["tag"][row] = np.where(is_tagged, happened["tag"].view(np.int32), 0)
    is_received = np.isin(happened["kind"], [Kind.POST, Kind.COMPLETE])
    numbers = np.unique(happened["request"][is_received], return_inverse=True)[1]
    made["request"][row[is_received]] = numbers.reshape(-1) + 1
    return owner, made

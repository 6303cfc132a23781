"""Make calls of MPI out of events: one that enters, one that leaves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np

from scalewatch_agent.traces.paraver.labels import Labels
from scalewatch_agent.traces.paraver.lines import Numbers
from scalewatch_agent.traces.records import RECORD, Records
from scalewatch_agent.traces.trace import Site

T = TypeVar("T")

FAMILIES: Final = (50000001, 50000002, 50000003)
"""Events of MPI: point to point, collective, other; value 0 leaves."""

SENT, RECEIVED, ROOT, COMMUNICATOR = 50100001, 50100002, 50100003, 50100004
CALLER, LINE = 70000001, 80000001
ATTRIBUTES: Final = (SENT, ROOT, COMMUNICATOR, CALLER, LINE)
KINDS: Final = (*FAMILIES, *ATTRIBUTES)
"""All types of events that are used; counters and others are passed over."""

TASK, THREAD, TIME, TYPE, VALUE = range(5)


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls of all tasks, in the order of task and start, and what they count in.

    `task` has the shape (n,), from 1; `records` the same.
    """

    task: Numbers
    records: Records
    functions: Sequence[str]
    sites: Sequence[Site]
    left_open: int


def calls_of(events: Numbers, labels: Labels) -> Calls:
    """Return the calls that events tell of, which are in the order of time."""
    is_call = np.isin(events[:, TYPE], FAMILIES)
    marks = events[is_call]
    order = np.lexsort((marks[:, TIME], marks[:, TASK]))
    marks = marks[order]
    enters = np.flatnonzero(
        (marks[:-1, VALUE] != 0)
        & (marks[1:, VALUE] == 0)
        & (marks[:-1, TYPE] == marks[1:, TYPE])
        & (marks[:-1, TASK] == marks[1:, TASK])
    )
    entered, left = marks[enters], marks[enters + 1]
    records: Records = np.zeros(len(entered), RECORD)
    records["start"] = entered[:, TIME]
    records["took"] = left[:, TIME] - entered[:, TIME]
    records["peer"] = -1
    attributes = {
        kind: _attribute(events[events[:, TYPE] == kind], entered)
        for kind in ATTRIBUTES
    }
    records["bytes"] = np.maximum(0, attributes[SENT])
    records["communicator"] = np.clip(attributes[COMMUNICATOR], 0, 2**32 - 1)
    functions, records["function"] = _functions(entered, labels)
    sites, records["site"] = _sites(attributes[CALLER], attributes[LINE], labels)
    # The root alone says so; it becomes its own partner, once ranks are known.
    records["tag"] = np.where(attributes[ROOT] > 0, 1, 0)
    return Calls(
        entered[:, TASK],
        records,
        functions,
        sites,
        int((marks[:, VALUE] != 0).sum()) - len(enters),
    )


def _attribute(events: Numbers, entered: Numbers) -> Numbers:
    """Return the value that an event of the same task and time has; 0 without any."""
    order = np.lexsort((events[:, TIME], events[:, TASK]))
    events = events[order]
    keys = np.concatenate([events[:, [TASK, TIME]], entered[:, [TASK, TIME]]])
    numbers = np.zeros(len(keys), np.int64)
    for column in (0, 1):
        values, place = np.unique(keys[:, column], return_inverse=True)
        numbers = numbers * max(1, len(values)) + place
    present, sought = numbers[: len(events)], numbers[len(events) :]
    at = np.searchsorted(present, sought)
    known = at < len(present)
    known[known] = present[at[known]] == sought[known]
    values = np.zeros(len(entered), np.int64)
    values[known] = events[at[known], VALUE]
    return values


def _functions(entered: Numbers, labels: Labels) -> tuple[list[str], Numbers]:
    pairs, place = np.unique(entered[:, [TYPE, VALUE]], axis=0, return_inverse=True)
    names = [labels.function(kind, value) for kind, value in pairs.tolist()]
    return _each_once(names, place)


def _sites(
    callers: Numbers, lines: Numbers, labels: Labels
) -> tuple[list[Site], Numbers]:
    pairs, place = np.unique(
        np.stack([callers, lines], axis=1), axis=0, return_inverse=True
    )
    sites = [
        Site(*labels.source(LINE, line), labels.caller(CALLER, caller))
        for caller, line in pairs.tolist()
    ]
    return _each_once(sites, place)


def _each_once(named: list[T], place: Numbers) -> tuple[list[T], Numbers]:
    """Join numbers of one name: a label may cut off what tells them apart."""
    once = {name: number for number, name in enumerate(dict.fromkeys(named))}
    numbers = np.array([once[name] for name in named], np.int64)
    return list(once), numbers[place.reshape(-1)]

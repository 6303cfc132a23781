"""Make calls of MPI out of events, block by block: one that enters, one that leaves.

Names of events and their values are in the .pcf file beside a trace.
"""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from scalewatch_agent.traces import stored, trace
from scalewatch_agent.traces.paraver.lines import Numbers
from scalewatch_agent.traces.records import RECORD, Records

_SOURCE = re.compile(r"(\d{1,9}) \(([^,()]+)(?:,.*)?\)")
_SYMBOL = re.compile(r"(?=.*\]\Z).*\[(.+)\]")


@dataclass(frozen=True, slots=True)
class Labels:
    """Names of values by event type; numbers where nobody names them."""

    values: Mapping[int, Mapping[int, str]]

    def function(self, kind: int, value: int) -> str:
        """Return the MPI function that a value of an event stands for."""
        return self.values.get(kind, {}).get(value, f"MPI {kind}.{value}")

    def source(self, kind: int, value: int) -> tuple[str, int]:
        """Return file and line of a caller, empty where nobody knows them."""
        match = _SOURCE.fullmatch(self.values.get(kind, {}).get(value, ""))
        if match is None or match[2].startswith(("Unresolved", "_NOT_Found")):
            return "", 0
        return match[2].strip(), int(match[1])

    def caller(self, kind: int, value: int) -> str:
        """Return the name of a function that calls MPI; empty where unknown."""
        name = self.values.get(kind, {}).get(value, "")
        if name in {"", "Unresolved", "_NOT_Found", "End"}:
            return ""
        match = _SYMBOL.fullmatch(name)
        return match[1] if match else name


def read_labels(path: Path) -> Labels:
    """Return the names in a .pcf file; none where there is no such file."""
    values: dict[int, dict[int, str]] = {}
    kinds: list[int] = []
    section = ""
    try:
        text = path.read_text("utf-8", "replace")
    except OSError:
        return Labels({})
    for line in map(str.strip, text.splitlines()):
        if line == "EVENT_TYPE":
            section, kinds = "types", []
        elif line == "VALUES":
            section = "values"
        elif not line:
            section = ""
        elif section == "types":
            kinds += [int(word) for word in line.split()[1:2] if word.isdecimal()]
        elif section == "values":
            number, _, name = line.partition(" ")
            if number.isdecimal():
                for kind in kinds:
                    values.setdefault(kind, {})[int(number)] = name.strip()
    return Labels(values)


T = TypeVar("T")

FAMILIES: Final = (50000001, 50000002, 50000003)
"""Events of MPI: point to point, collective, other; value 0 leaves."""

SENT, ROOT, COMMUNICATOR = 50100001, 50100003, 50100004
CALLER, LINE = 70000001, 80000001
ATTRIBUTES: Final = (SENT, ROOT, COMMUNICATOR, CALLER, LINE)
KINDS: Final = (*FAMILIES, *ATTRIBUTES)
"""All types of events that are used; counters and others are passed over."""

TASK, THREAD, TIME, TYPE, VALUE = range(5)
COLUMNS: Final = 5 + len(ATTRIBUTES)
"""Fields of a mark: those of its event, and its attributes."""

MOST_WAITING: Final = 1_000_000
"""Events of one moment that are waited for."""

ROW: Final = np.dtype([("task", "<i4"), ("record", RECORD)])


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls of all tasks, in the order of task and start, and what they count in.

    `records` maps a file, which can be changed, and `spool` has the same; `bounds` says
    where the calls of each task begin.
    """

    records: Records
    spool: stored.Spool
    bounds: Numbers
    functions: Sequence[str]
    sites: Sequence[trace.Site]
    left_open: int


class CallCollector:
    """The calls of a trace whose events come in blocks, in the order of time."""

    def __init__(self) -> None:
        """Begin without any."""
        self._rows = stored.Spool(ROW)
        self._waiting = np.zeros((0, 5), np.int64)
        self._entered = np.zeros((0, COLUMNS), np.int64)
        self._functions: dict[tuple[int, int], int] = {}
        self._sites: dict[tuple[int, int], int] = {}
        self._left_open = 0

    def add(self, events: Numbers) -> None:
        """Add the events of a block, of the types `KINDS`.

        Lines of one moment may lie in two blocks: those of the last one wait.
        """
        events = np.concatenate([self._waiting, events])
        is_last = events[:, TIME] == events[:, TIME].max(initial=0)
        if is_last.sum() > MOST_WAITING:
            is_last[:] = False
        self._waiting = events[is_last]
        self._add(events[~is_last])

    def _add(self, events: Numbers) -> None:
        is_call = np.isin(events[:, TYPE], FAMILIES)
        marks = np.zeros((int(is_call.sum()), COLUMNS), np.int64)
        marks[:, :5] = events[is_call]
        for column, kind in enumerate(ATTRIBUTES, start=5):
            marks[:, column] = _attribute(events[events[:, TYPE] == kind], marks)
        marks = np.concatenate([self._entered, marks])
        marks = marks[np.lexsort((marks[:, TIME], marks[:, TASK]))]
        enters = np.flatnonzero(
            (marks[:-1, VALUE] != 0)
            & (marks[1:, VALUE] == 0)
            & (marks[:-1, TYPE] == marks[1:, TYPE])
            & (marks[:-1, TASK] == marks[1:, TASK])
        )
        self._put(marks[enters], marks[enters + 1, TIME])
        # What a task entered last may be left in a later block.
        is_last = np.r_[marks[1:, TASK] != marks[:-1, TASK], True][: len(marks)]
        is_open = is_last & (marks[:, VALUE] != 0)
        self._entered = marks[is_open]
        entered = int((marks[:, VALUE] != 0).sum())
        self._left_open += entered - len(enters) - len(self._entered)

    def _put(self, entered: Numbers, left: Numbers) -> None:
        rows = np.zeros(len(entered), ROW)
        rows["task"] = entered[:, TASK]
        records = rows["record"]
        records["start"] = entered[:, TIME]
        records["took"] = left - entered[:, TIME]
        records["peer"] = -1
        sent, root, communicator, caller, line = entered[:, 5:].T
        records["bytes"] = np.maximum(0, sent)
        records["communicator"] = np.clip(communicator, 0, 2**32 - 1)
        # The root alone says so; it becomes its own partner, once ranks are known.
        records["tag"] = np.where(root > 0, 1, 0)
        kinds = _numbered(entered[:, TYPE], entered[:, VALUE], self._functions)
        # Sixteen bits are too few for made up ones: all beyond are one, and refused.
        records["function"] = np.minimum(kinds, np.iinfo(np.uint16).max)
        records["site"] = _numbered(caller, line, self._sites)
        self._rows.add(rows)

    @property
    def functions(self) -> int:
        """How many functions were called."""
        return len(self._functions)

    @property
    def sites(self) -> int:
        """How many places called."""
        return len(self._sites)

    def calls(self, tasks: int, labels: Labels) -> Calls:
        """Return all calls, with what labels say of them."""
        self._add(self._waiting)
        rows = self._rows.rows()
        order = np.lexsort((rows["record"]["start"], rows["task"]))
        bounds = np.searchsorted(rows["task"][order], np.arange(1, tasks + 2))
        functions, function_of = _each_once(
            [labels.function(kind, value) for kind, value in self._functions]
        )
        sites, site_of = _each_once(
            [
                trace.Site(*labels.source(LINE, line), labels.caller(CALLER, caller))
                for caller, line in self._sites
            ]
        )
        ordered = stored.Spool(RECORD)
        for begin, end in itertools.pairwise(bounds):
            records = rows["record"][order[begin:end]]
            records["function"] = function_of[records["function"]]
            records["site"] = site_of[records["site"]]
            ordered.add(records)
        left_open = self._left_open + len(self._entered)
        return Calls(ordered.rows(), ordered, bounds, functions, sites, left_open)


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


def _numbered(
    first: Numbers, second: Numbers, known: dict[tuple[int, int], int]
) -> Numbers:
    """Return the numbers of pairs; what is not known yet gets the next ones."""
    pairs, place = np.unique(
        np.stack([first, second], axis=1), axis=0, return_inverse=True
    )
    numbers = [known.setdefault((a, b), len(known)) for a, b in pairs.tolist()]
    return np.array(numbers, np.int64)[place.reshape(-1)]


def _each_once(named: list[T]) -> tuple[list[T], np.ndarray[Any, Any]]:
    """Join numbers of one name: a label may cut off what tells them apart."""
    once = {name: number for number, name in enumerate(dict.fromkeys(named))}
    return list(once), np.array([once[name] for name in named], np.int64)

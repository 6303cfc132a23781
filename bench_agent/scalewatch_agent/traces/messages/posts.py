"""Receives of a trace in the order in which they were posted, not completed.

A request is posted by one record and completed by another one, perhaps much later. A
first look at the records of a process finds for each mark, a record that has posted a
receive or brought a message, which record brought what was posted there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scalewatch_agent.traces.messages.pairs import Open, calls_of
from scalewatch_agent.traces.records import RECORD, Flag, Records
from scalewatch_agent.traces.stored.rows import Rows, part, zeros
from scalewatch_agent.traces.trace import Indices, Process
from scalewatch_agent.traces.windows import blocks

MARK: Final = np.dtype([("record", "<i8"), ("call", "<i8")])
"""Positions, plus one, of the record that brought a message and of its call; or 0."""


@dataclass(frozen=True, slots=True)
class Received:
    """Messages by the records that brought them, their calls, and when posted in ns."""

    records: Records
    calls: Indices
    posted: Indices


class Posts:
    """The receives of all processes by where they were posted.

    `has_messages` tells whether any end of a message is in the trace.
    """

    def __init__(self, processes: Sequence[Process]) -> None:
        """Look at all records once."""
        self._processes = processes
        lengths = [len(process.records) for process in processes]
        self._begins = np.r_[0, np.cumsum(lengths)].tolist()
        self._marks: Rows = zeros(self._begins[-1], MARK)
        self._done = [0] * len(processes)
        self.has_messages = False
        for number, process in enumerate(processes):
            self._mark(number, process.records)

    def _mark(self, number: int, records: Rows) -> None:
        marks = part(self._marks, *self._begins[number : number + 2])
        requests, count = Open(), 0
        for begin, block in blocks(records):
            flags = block["flags"]
            at = np.flatnonzero(flags & (Flag.RECEIVED | Flag.POSTED))
            self.has_messages |= bool(len(at)) or bool((flags & Flag.SENT).any())
            if not len(at):
                continue
            rows, marked = np.zeros(len(at), MARK), block[at]
            is_brought = (marked["flags"] & Flag.RECEIVED) != 0
            rows["record"] = np.where(is_brought, begin + at + 1, 0)
            if (block["flags"] & Flag.PART).any():
                rows["call"] = np.where(is_brought, begin + calls_of(block)[at] + 1, 0)
            else:
                rows["call"] = rows["record"]
            posted = np.flatnonzero(marked["flags"] & Flag.POSTED)
            ended = np.flatnonzero(is_brought & (marked["request"] > 0))
            known, goals = requests.ended(
                marked["request"][posted].astype(np.int64),
                count + posted,
                marked["request"][ended].astype(np.int64),
            )
            moved = rows[ended[known]]
            rows[ended[known]] = 0
            marks[count : count + len(rows)] = rows
            marks[goals] = moved
            count += len(rows)

    def received(self, number: int, begin: int, block: Records) -> Received:
        """Return the messages that were posted in a block of a process's records.

        Blocks have to come in order.
        """
        at = np.flatnonzero(block["flags"] & (Flag.RECEIVED | Flag.POSTED))
        first = self._begins[number] + self._done[number]
        marks = self._marks[first : first + len(at)]
        self._done[number] += len(at)
        is_known = marks["record"] > 0
        marks, at = marks[is_known], at[is_known]
        brought = marks["record"] - 1
        records = np.zeros(len(at), RECORD)
        inside = (brought >= begin) & (brought < begin + len(block))
        records[inside] = block[brought[inside] - begin]
        records[~inside] = self._processes[number].records[brought[~inside]]
        posted = block["start"][at].astype(np.int64)
        return Received(records, marks["call"] - 1, posted)

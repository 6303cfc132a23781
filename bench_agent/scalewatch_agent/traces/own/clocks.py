"""The times of a process on the clock of process 0.

t' = t - offset(t),    offset linear between the begin and the end of recording
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scalewatch_agent.traces.own.definitions import Definitions
from scalewatch_agent.traces.records import RecordFile, Records
from scalewatch_agent.traces.trace import Nanoseconds


@dataclass(frozen=True, slots=True)
class Timeline:
    """From when to when a process was recorded, and how its clock is corrected."""

    begin: int
    end: int
    clocks: Sequence[tuple[int, int]]

    def apply(self, records: Records) -> None:
        """Correct the times of some records."""
        if self.clocks:
            start = records["start"].astype(np.int64)
            # Clocks of other hosts may have begun before that of process 0.
            records["start"] = np.maximum(0, corrected(start, self.clocks))


def timeline(definitions: Definitions, threads: Sequence[RecordFile]) -> Timeline:
    """Return the timeline of a process; its records stand for what is not defined."""
    records = [each.records for each in threads if len(each.records)]
    first = min((int(each[0]["start"]) for each in records), default=0)
    last = max(
        (int(each[-1]["start"] + each[-1]["took"]) for each in records), default=0
    )
    begin = first if definitions.begin is None else definitions.begin
    end = max(begin, last) if definitions.end is None else definitions.end
    clocks = definitions.clocks
    ends = corrected(np.array([begin, end], np.int64), clocks)
    return Timeline(int(ends[0]), int(ends[1]), clocks)


def corrected(times: Nanoseconds, clocks: Sequence[tuple[int, int]]) -> Nanoseconds:
    """Return times of a process on the clock of process 0, in ns."""
    if not clocks:
        return times
    at, offsets = np.array(clocks, np.int64).T
    # Differences are small, so that float64 tells nanoseconds.
    drift = np.interp(times - at[0], at - at[0], offsets - offsets[0])
    moved: Nanoseconds = times - offsets[0] - np.round(drift).astype(np.int64)
    return moved

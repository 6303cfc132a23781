"""Records of a trace, some at a time: of one process, or of all at about one moment."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces.records import Flag
from scalewatch_agent.traces.stored.rows import BLOCK, Rows, sampled

WINDOW: Final = 500_000
"""Records of all processes that are taken at a time."""

SAMPLES: Final = 16_384
"""Records by whose times a trace is divided."""

_STEP: Final = 64


def blocks(records: Rows, size: int = BLOCK) -> Iterator[tuple[int, NDArray[Any]]]:
    """Yield where blocks of records begin, and these; parts stay with their call."""
    begin = 0
    while begin < len(records):
        end = next_call(records, begin + size)
        yield begin, records[begin:end]
        begin = end


def next_call(records: Rows, at: int) -> int:
    """Return the first position from one on that is no part; their number if none."""
    step = _STEP
    while at < len(records):
        flags = records[at : at + step]["flags"]
        calls = np.flatnonzero((flags & Flag.PART) == 0)
        if len(calls):
            return at + int(calls[0])
        at, step = at + len(flags), 2 * step
    return len(records)


def windows(
    all_records: Sequence[Rows], size: int = WINDOW
) -> Iterator[list[tuple[int, int]]]:
    """Yield from where to where to read the records of each process.

    What processes do at one moment comes together, roughly: a window holds about so
    many records of all processes, by the times of some of them.
    """
    lengths = np.array([len(records) for records in all_records], np.int64)
    begins = [0] * len(lengths)
    for about in _ends(all_records, lengths, size):
        ends = [
            max(begin, next_call(records, end))
            for records, begin, end in zip(all_records, begins, about, strict=True)
        ]
        yield list(zip(begins, ends, strict=True))
        begins = ends


def _ends(
    all_records: Sequence[Rows], lengths: NDArray[np.int64], size: int
) -> Iterator[list[int]]:
    total = int(lengths.sum())
    if total > size:
        stride = max(1, min(total // SAMPLES, size // max(1, len(lengths))))
        times = [sampled(records, stride)["start"] for records in all_records]
        numbers = np.repeat(np.arange(len(lengths)), [len(each) for each in times])
        in_time = numbers[np.argsort(np.concatenate(times), kind="stable")]
        step = max(1, size // stride)
        done = np.zeros(len(lengths), np.int64)
        for begin in range(0, len(in_time) - step, step):
            chosen = in_time[begin : begin + step]
            done += np.bincount(chosen, minlength=len(lengths))
            yield np.minimum(done * stride, lengths).tolist()
    yield lengths.tolist()

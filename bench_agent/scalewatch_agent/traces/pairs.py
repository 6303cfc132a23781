"""Which rows belong together: by the k-th of equal keys, and parts by their call."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces.records import Flag

Indices = NDArray[np.int64]


def calls_of(records: NDArray[Any]) -> Indices:
    """Return the position of each record's call, its own or that of a part, (n,)."""
    numbers = np.arange(len(records))
    return np.maximum.accumulate(
        np.where(records["flags"] & Flag.PART, 0, numbers), dtype=np.int64
    )


def pairs(first: Indices, second: Indices) -> tuple[Indices, Indices]:
    """Return positions of the k-th keys that are equal, in both; keys are below 2³¹."""
    by_first, sent = _numbered(first)
    by_second, received = _numbered(second)
    at = np.searchsorted(received, sent)
    known = at < len(received)
    known[known] = received[at[known]] == sent[known]
    return by_first[known], by_second[at[known]]


def _numbered(key: Indices) -> tuple[Indices, Indices]:
    """Return the positions of keys in their order, and a number for each of these.

    The number holds the key and how many of the same key were before.
    """
    by_key = np.argsort(key, kind="stable")
    key = key[by_key]
    starts = np.flatnonzero(np.r_[True, key[1:] != key[:-1]][: len(key)])
    lengths = np.diff(np.r_[starts, len(key)])
    before = np.arange(len(key)) - np.repeat(starts, lengths)
    return by_key, key * (1 << 32) + before


class Open:
    """Requests that were posted and are still open, by their numbers."""

    def __init__(self) -> None:
        """Begin without any."""
        self._numbers = np.zeros(0, np.int64)
        self._values = np.zeros(0, np.int64)

    def ended(
        self, begun: Indices, values: Indices, ended: Indices
    ) -> tuple[Indices, Indices]:
        """Return which of those that end were begun, and the values of these.

        Parameters
        ----------
        begun, values
            Numbers of what begins, and what to remember of each, shape (n,).
        ended
            Numbers of what ends.
        """
        numbers = np.concatenate([self._numbers, begun])
        values = np.concatenate([self._values, values])
        key = np.unique(np.concatenate([numbers, ended]), return_inverse=True)[1]
        key = key.reshape(-1).astype(np.int64)
        first, second = pairs(key[: len(numbers)], key[len(numbers) :])
        is_open = np.ones(len(numbers), bool)
        is_open[first] = False
        self._numbers, self._values = numbers[is_open], values[is_open]
        return second, values[first]

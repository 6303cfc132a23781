"""Numbers in the place of regions, for what they mean and only where they are used."""

from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces.otf2.definitions import NOTHING
from scalewatch_agent.traces.trace import Indices

T = TypeVar("T", bound=Hashable)

TABLE: Final = 1 << 20
"""Regions below are looked up in a table, others are sorted."""


class Numbering(Generic[T]):
    """Numbers from 0 on; regions that mean the same have the same."""

    def __init__(self, meaning: Callable[[int], T]) -> None:
        """Begin without any."""
        self._meaning = meaning
        self._numbers: dict[T, int] = {}
        # One more for NOTHING, the largest number of all.
        self._table = np.full(TABLE + 1, -1, np.int64)

    @property
    def meanings(self) -> list[T]:
        """The meanings in the order of their numbers."""
        return list(self._numbers)

    def of(self, regions: NDArray[np.uint32]) -> Indices:
        """Return the number of what each region means, shape (n,)."""
        if ((regions >= TABLE) & (regions != NOTHING)).any():
            unique, place = np.unique(regions, return_inverse=True)
            numbers = [self._number(each) for each in unique.tolist()]
            return np.array(numbers, np.int64)[place.reshape(-1)]
        at = np.minimum(regions, TABLE)
        known: Indices = self._table[at]
        if (is_new := known < 0).any():
            for region in np.unique(regions[is_new]).tolist():
                self._table[min(region, TABLE)] = self._number(region)
            known = self._table[at]
        return known

    def _number(self, region: int) -> int:
        return self._numbers.setdefault(self._meaning(region), len(self._numbers))

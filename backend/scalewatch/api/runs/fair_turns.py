"""Fair turns: places that are few, and go round among those who wait for one.

First come, first served would give all places to whoever asks most often. Here the
next place goes to the caller who has waited longest since their last one, and of their
projects to the one that has, so that a caller delays another by what is going on
already, however much they ask for.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from anyio import Event

from scalewatch.errors import TooBusy

MOST_REMEMBERED: Final = 10_000
"""Callers, and projects of callers, whose last turn is known; the oldest are as new."""


@dataclass(eq=False, slots=True)
class _Waiting:
    """A request that waits for a place."""

    caller: str
    project: str | None
    number: int
    has_place: Event = field(default_factory=Event)


class FairTurns:
    """Places for the requests of one event loop.

    Parameters
    ----------
    places
        How many requests have one at once.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: list[_Waiting] = []
        self._numbers = count(1)
        self._last_turns: dict[tuple[str | None, ...], int] = {}

    @asynccontextmanager
    async def turn(
        self,
        caller: str,
        project: str | None = None,
        *,
        most_waiting: int | None = None,
    ) -> AsyncIterator[None]:
        """Wait for a place, and keep it until the end of the block.

        Parameters
        ----------
        most_waiting
            So many of the same caller and project may wait; None: any number.

        Raises
        ------
        TooBusy
            If so many wait already.
        """
        mine = _Waiting(caller, project, next(self._numbers))
        ahead = sum(
            (each.caller, each.project) == (caller, project) for each in self._waiting
        )
        if most_waiting is not None and ahead >= most_waiting:
            raise TooBusy
        self._waiting.append(mine)
        self._fill()
        try:
            await mine.has_place.wait()
            yield
        finally:
            if mine.has_place.is_set():
                self._free += 1
                self._fill()
            else:
                self._waiting.remove(mine)

    def _fill(self) -> None:
        """Give free places to those whose turn it is."""
        while self._free and self._waiting:
            chosen = min(self._waiting, key=self._order)
            self._waiting.remove(chosen)
            self._free -= 1
            self._note_turn(chosen.caller)
            self._note_turn(chosen.caller, chosen.project)
            chosen.has_place.set()

    def _order(self, waiting: _Waiting) -> tuple[int, int, int]:
        of_caller = self._last_turns.get((waiting.caller,), 0)
        of_project = self._last_turns.get((waiting.caller, waiting.project), 0)
        return of_caller, of_project, waiting.number

    def _note_turn(self, *key: str | None) -> None:
        """Note that somebody has a turn now, as the newest key of the dictionary."""
        self._last_turns.pop(key, None)
        self._last_turns[key] = next(self._numbers)
        if len(self._last_turns) > MOST_REMEMBERED:
            del self._last_turns[next(iter(self._last_turns))]

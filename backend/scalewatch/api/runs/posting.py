"""Steps and turns of posts: who may post, when it is their turn, the acknowledgement.

A large body is received once its sender is known to be one who may post; a small one
is read first, and costs less than to ask. Small posts are stored at once, large ones
one after another; files of other tools have turns of their own before: to be read by
reader processes. Understood, a body takes thirty times its bytes. Large ones that wait
for their turn are not even received, beyond a few: the connection holds them back.
Callers and their projects take turns, so that none keeps the others waiting.
"""

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Final, TypeVar

import orjson
from anyio import CapacityLimiter, Event
from anyio.lowlevel import RunVar
from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from sqlalchemy.orm import Session

from scalewatch.api.runs import bodies
from scalewatch.errors import TooBusy
from scalewatch.services.access import callers
from scalewatch.services.runs.record import Receipt
from scalewatch.storage.database.session import transact
from scalewatch.web.sessions import RequestSessions

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


SMALL: Final = 2**20
"""Bytes of a small post: read and understood before it is known who sends it."""

AT_ONCE: Final = 4
"""Small posts that are stored at once: one in Python, the others in the database."""

RECEIVED: Final = 4
"""Large bodies that are received at once, or wait to be understood."""

MOST_WAITING: Final = 16
"""Files of a caller and project that wait to be read; others come later."""

Places = TypeVar("Places")

_RECEIVING: Final = RunVar[FairTurns]("receiving large")
_READING: Final = RunVar[FairTurns]("reading")
_STORING: Final = RunVar[CapacityLimiter]("storing")
_STORING_LARGE: Final = RunVar[CapacityLimiter]("storing large")


@asynccontextmanager
async def received_body(
    request: Request, door: RequestSessions
) -> AsyncIterator[bytes]:
    """Receive a body; a large one keeps its place until the end of the block.

    Raises
    ------
    NotPermitted, Unauthenticated
        If who sends a large body may not post.
    BodyTooLarge
        As soon as more than the limit was announced or has arrived.
    """
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) <= SMALL:
        yield await bodies.received(request)
        return
    caller = await run_in_threadpool(admit, door)
    async with _of_loop(_RECEIVING, FairTurns, RECEIVED).turn(caller):
        yield await bodies.received(request)


def admit(door: RequestSessions, project: str | None = None) -> str:
    """Return the name of who may post to a project, or where None to any."""
    with door.reading() as session:
        project = project or callers.caller_of(session).project
        return callers.permit(session, callers.Role.INGEST, project).name


def recorded(
    door: RequestSessions,
    projects: Collection[str],
    record: Callable[[Session], Sequence[Receipt]],
) -> Sequence[Receipt]:
    """Record runs in a transaction of a caller who may post to these projects."""

    def permitted(session: Session) -> Sequence[Receipt]:
        door.admit(session)
        for project in projects:
            callers.permit(session, callers.Role.INGEST, project)
        return record(session)

    return transact(door.sessions, permitted)


def acknowledged(
    receipts: Sequence[Receipt], notes: Sequence[Sequence[str]], *, is_single: bool
) -> Response:
    """Answer that runs are stored for good, and what of each was not taken."""
    accepted = [
        {
            "id": receipt.run,
            "run": f"/api/v1/runs/{receipt.run}",
            "job": f"/api/v1/jobs/{receipt.job}",
            "state": "accepted" if receipt.is_new else "known",
            **({"notes": lost} if lost else {}),
        }
        for receipt, lost in zip(receipts, notes, strict=True)
    ]
    return Response(
        orjson.dumps(accepted[0] if is_single else accepted),
        status_code=202 if any(receipt.is_new for receipt in receipts) else 200,
        media_type="application/json",
    )


def storing() -> CapacityLimiter:
    """Return the threads that understand and store small bodies."""
    return _of_loop(_STORING, CapacityLimiter, AT_ONCE)


def storing_large() -> CapacityLimiter:
    """Return the only thread that understands and stores large bodies."""
    return _of_loop(_STORING_LARGE, CapacityLimiter, 1)


def storing_turn(size: int) -> CapacityLimiter:
    """Return the threads that understand and store so many bytes."""
    return storing() if size <= SMALL else storing_large()


def reading(
    places: int, caller: str, project: str
) -> AbstractAsyncContextManager[None]:
    """Return the turn of a file to be read, of as many at once as there are places.

    Raises
    ------
    TooBusy
        On entry, if many others of the same caller and project wait for theirs.
    """
    turns = _of_loop(_READING, FairTurns, places)
    return turns.turn(caller, project, most_waiting=MOST_WAITING)


def _of_loop(known: RunVar[Places], make: Callable[[int], Places], most: int) -> Places:
    """Return so many places, the same for all requests of an event loop."""
    try:
        return known.get()
    except LookupError:
        places = make(most)
        known.set(places)
        return places

"""Steps and turns of posts: who may post, when it is their turn, the acknowledgement.

A large body is received once its sender is known to be one who may post; a small one
is read first, and costs less than to ask. Small posts are stored at once, large ones
one after another; files of other tools have turns of their own before: to be read by
reader processes. Understood, a body takes thirty times its bytes. Those that wait for
their turn are not even received, beyond a few: the connection holds them back.
"""

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Final

import orjson
from anyio import CapacityLimiter
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

SMALL: Final = 2**20
"""Bytes of a small post: read and understood before it is known who sends it."""

AT_ONCE: Final = 4
"""Small posts that are stored at once: one in Python, the others in the database."""

RECEIVED: Final = 4
"""Large bodies that are received at once, or wait to be understood."""

MOST_WAITING: Final = 16
"""Files that wait to be read, or posts of ReFrame to be stored; others come later."""

_RECEIVING: Final = RunVar[CapacityLimiter]("receiving large")
_READING: Final = RunVar[CapacityLimiter]("reading")
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
    await run_in_threadpool(admit, door)
    async with receiving_large():
        yield await bodies.received(request)


def admit(door: RequestSessions) -> None:
    """Refuse who may not post to any project."""
    with door.reading() as session:
        callers.permit(session, callers.Role.INGEST, callers.caller_of(session).project)


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
    return _limiter(_STORING, AT_ONCE)


def storing_large() -> CapacityLimiter:
    """Return the only thread that understands and stores large bodies."""
    return _limiter(_STORING_LARGE, 1)


def receiving_large() -> CapacityLimiter:
    """Return the places of large bodies, from their reception to the answer."""
    return _limiter(_RECEIVING, RECEIVED)


def storing_turn(size: int) -> CapacityLimiter:
    """Return the threads that understand and store so many bytes."""
    return storing() if size <= SMALL else storing_large()


def reading(places: int) -> CapacityLimiter:
    """Return the places of files that are read at once.

    Raises
    ------
    TooBusy
        If many others wait for one.
    """
    limiter = _limiter(_READING, places)
    refuse_if_many_wait(limiter)
    return limiter


def refuse_if_many_wait(limiter: CapacityLimiter) -> None:
    """Refuse a post where more wait than are let in.

    Raises
    ------
    TooBusy
        The client comes back later.
    """
    if limiter.statistics().tasks_waiting >= MOST_WAITING:
        raise TooBusy


def _limiter(known: RunVar[CapacityLimiter], most: int) -> CapacityLimiter:
    """Return a limiter, the same for all requests of a loop."""
    try:
        return known.get()
    except LookupError:
        limiter = CapacityLimiter(most)
        known.set(limiter)
        return limiter

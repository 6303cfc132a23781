"""Store what a request posts, when it is its turn, and acknowledge it."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import orjson
from anyio import to_thread
from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from sqlalchemy.orm import Session

from scalewatch.api.runs import turns
from scalewatch.api.runs.bodies import LIMIT, received
from scalewatch.api.runs.turns import SMALL
from scalewatch.errors import BodyTooLarge
from scalewatch.services.access import callers
from scalewatch.services.access.callers import Role
from scalewatch.services.runs.record import Receipt
from scalewatch.storage.database.session import transact
from scalewatch.web.sessions import RequestSessions

Store = Callable[[bytes, int], Response]
"""Stores a body that may hold so many bytes once it is decompressed."""


async def stored(request: Request, door: RequestSessions, store: Store) -> Response:
    """Receive the body of a request and store it, a large one when it is its turn."""
    async with receiving(request, door) as body:
        try:
            return await to_thread.run_sync(
                partial(store, body, SMALL), limiter=turns.storing()
            )
        except BodyTooLarge:
            return await to_thread.run_sync(
                partial(store, body, LIMIT), limiter=turns.storing_large()
            )


@asynccontextmanager
async def receiving(request: Request, door: RequestSessions) -> AsyncIterator[bytes]:
    """Receive the body of a request; a large one of who may post has a place in turn.

    The place is held until the end of the block, as the body is in memory.
    """
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) <= SMALL:
        yield await received(request)
        return
    await run_in_threadpool(expected, door)
    async with turns.receiving_large():
        yield await received(request)


def expected(door: RequestSessions) -> None:
    """Refuse who may post nothing, before their 32 MiB are read or they learn more."""
    with door.reading() as session:
        callers.permit(session, Role.INGEST, callers.caller_of(session).project)


def recorded(
    door: RequestSessions,
    projects: set[str],
    record: Callable[[Session], Sequence[Receipt]],
) -> Sequence[Receipt]:
    """Record what a caller posts who may post to these projects."""

    def permitted(session: Session) -> Sequence[Receipt]:
        door.admit(session)
        for project in projects:
            callers.permit(session, Role.INGEST, project)
        return record(session)

    return transact(door.sessions, permitted)


def acknowledged(receipts: Sequence[Receipt], *, is_single: bool) -> Response:
    """Answer that runs are stored for good."""
    accepted = [_accepted(receipt) for receipt in receipts]
    return Response(
        orjson.dumps(accepted[0] if is_single else accepted),
        status_code=202 if any(receipt.is_new for receipt in receipts) else 200,
        media_type="application/json",
    )


def _accepted(receipt: Receipt) -> dict[str, Any]:
    return {
        "id": receipt.run,
        "run": f"/api/v1/runs/{receipt.run}",
        "job": f"/api/v1/jobs/{receipt.job}",
        "state": "accepted" if receipt.is_new else "known",
    }

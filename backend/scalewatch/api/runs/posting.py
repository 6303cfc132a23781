"""The way of posted runs: admit, receive, decode, prepare, record, acknowledge.

A large body is received once its sender is known to be one who may post; a small one
is read first, and costs less than to ask. Whoever may not post learns nothing of what
is wrong with a body.
"""

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import orjson
from anyio import to_thread
from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from sqlalchemy.orm import Session

from scalewatch.api.runs import bodies, turns
from scalewatch.errors import BodyTooLarge, ScalewatchError
from scalewatch.services.access import callers
from scalewatch.services.runs.prepare import prepare
from scalewatch.services.runs.record import Receipt, record_prepared
from scalewatch.storage.database.session import transact
from scalewatch.web.sessions import RequestSessions


@dataclass(frozen=True, slots=True)
class ReceivedBody:
    """A body as it was sent, and its headers `Content-Encoding` and `Content-Type`."""

    sent: bytes
    encoding: str
    content_type: str


@asynccontextmanager
async def receiving(
    request: Request, door: RequestSessions
) -> AsyncIterator[ReceivedBody]:
    """Receive a body; a large one keeps its place until the end of the block.

    Raises
    ------
    NotPermitted, Unauthenticated
        If who sends a large body may not post.
    BodyTooLarge
        As soon as more than the limit was announced or has arrived.
    """
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) <= turns.SMALL:
        yield await _received(request)
        return
    await run_in_threadpool(admit, door)
    async with turns.receiving_large():
        yield await _received(request)


async def post(door: RequestSessions, body: ReceivedBody) -> Response:
    """Store the runs of a body, a large one when it is its turn, and acknowledge them.

    Raises
    ------
    ScalewatchError
        If the body holds no runs, or who sends it may not post them.
    """
    try:
        return await to_thread.run_sync(
            partial(_post, door, body, turns.SMALL), limiter=turns.storing()
        )
    except BodyTooLarge:
        return await to_thread.run_sync(
            partial(_post, door, body, bodies.LIMIT), limiter=turns.storing_large()
        )


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


def acknowledged(receipts: Sequence[Receipt], *, is_single: bool) -> Response:
    """Answer that runs are stored for good."""
    accepted = [_accepted(receipt) for receipt in receipts]
    return Response(
        orjson.dumps(accepted[0] if is_single else accepted),
        status_code=202 if any(receipt.is_new for receipt in receipts) else 200,
        media_type="application/json",
    )


async def _received(request: Request) -> ReceivedBody:
    return ReceivedBody(
        await bodies.received(request),
        request.headers.get("content-encoding", ""),
        request.headers.get("content-type", ""),
    )


def _post(door: RequestSessions, body: ReceivedBody, limit: int) -> Response:
    """Store the runs of a body that may hold `limit` bytes once it is decoded."""
    try:
        text = bodies.decoded(body.sent, body.encoding, limit)
        posted, is_single = bodies.runs_in(text, body.content_type)
    except ScalewatchError:
        admit(door)
        raise
    prepared = [prepare(run.report, run.text) for run in posted]
    projects = {run.report.project for run in posted}
    receipts = recorded(door, projects, partial(record_prepared, prepared=prepared))
    return acknowledged(receipts, is_single=is_single)


def _accepted(receipt: Receipt) -> dict[str, Any]:
    return {
        "id": receipt.run,
        "run": f"/api/v1/runs/{receipt.run}",
        "job": f"/api/v1/jobs/{receipt.job}",
        "state": "accepted" if receipt.is_new else "known",
    }

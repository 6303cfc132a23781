"""How much a client may send at once, and how long an answer may take."""

import asyncio
import re
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scalewatch.errors import (
    BodyTooLarge,
    TookTooLong,
)
from scalewatch.web.protection.answers import Answer

SMALLER: Final = 4 * 2**20
"""Bytes of a body that holds no runs: forms, and ten thousand expectations."""


class BodyLimit:
    """ASGI middleware that refuses bodies beyond a size, announced or not.

    Parameters
    ----------
    limit
        Bytes of a body that is sent to a path of the pattern `large`; `SMALLER` for
        all others,
        which are understood before it is known who sends them.
    """

    def __init__(
        self, app: ASGIApp, large: re.Pattern[str], limit: int, answer: Answer
    ) -> None:
        self.app = app
        self.large = large
        self.limit = limit
        self.answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and no more of its body than is allowed."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_large = bool(self.large.search(scope["path"]))
        limit = self.limit if is_large else min(self.limit, SMALLER)
        error = BodyTooLarge(limit)
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdecimal() and int(announced) > limit:
            await self.answer(Request(scope), error)(scope, receive, send)
            return
        arrived = 0

        async def receive_no_more() -> Message:
            nonlocal arrived
            message = await receive()
            arrived += len(message.get("body", b""))
            if arrived > limit:
                raise error
            return message

        async def send_instead(message: Message) -> None:
            # The framework takes a body that cannot be read for a malformed one.
            if arrived <= limit:
                await send(message)
            elif message["type"] == "http.response.start":
                await self.answer(Request(scope), error)(scope, receive, send)

        await self.app(scope, receive_no_more, send_instead)


class TimeLimit:
    """ASGI middleware that answers in the place of what takes too long.

    A body that does not arrive counts too. An answer that has begun may go on.
    """

    def __init__(self, app: ASGIApp, seconds: float, answer: Answer) -> None:
        self.app = app
        self.seconds = seconds
        self.answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and wait for the beginning of its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = asyncio.timeout(self.seconds)

        async def send_in_time(message: Message) -> None:
            limit.reschedule(None)
            await send(message)

        try:
            async with limit:
                await self.app(scope, receive, send_in_time)
        except TimeoutError:
            if not limit.expired():
                raise
            error = TookTooLong(self.seconds)
            await self.answer(Request(scope), error)(scope, receive, send)

"""How much a client may send at once, and how long an answer may take."""

import asyncio
import re
from asyncio import BaseTransport, TimerHandle, Transport
from typing import Any, Final
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from scalewatch.errors import (
    BodyTooLarge,
    InvalidReport,
    NotFound,
    ScalewatchError,
    Stopping,
    TookTooLong,
)
from scalewatch.web.protection.headers import Answer

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

    A body that does not arrive counts too, and the end of the server, whose grace is
    over when it cancels a request. An answer that has begun may go on.
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
        has_begun = False

        async def send_in_time(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
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
        except asyncio.CancelledError:
            if has_begun:
                raise
            await self.answer(Request(scope), Stopping())(scope, receive, send)


HEAD_SECONDS: Final = 20.0
"""How long the head of a request may take, from its first byte or the connection on."""


class PunctualProtocol(HttpToolsProtocol):
    """HTTP as uvicorn speaks it, which waits for ever for the end of a head."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._deadline: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._await_head(transport)

    def data_received(self, data: bytes) -> None:
        """Go on with a request, or begin with the next one."""
        transport, before = self.transport, self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._stop_waiting()
        elif before is not None and before.response_complete:
            self._await_head(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _await_head(self, transport: BaseTransport) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_SECONDS, transport.close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


NUL: Final = "\x00"


class WithoutNul:
    """ASGI middleware that finds nothing at a path with a NUL, and asks for no such."""

    def __init__(self, app: ASGIApp, answer: Answer) -> None:
        self.app = app
        self.answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, unless its path or its query holds a NUL."""
        error = _refusal(scope) if scope["type"] == "http" else None
        if error is None:
            await self.app(scope, receive, send)
        else:
            await self.answer(Request(scope), error)(scope, receive, send)


def _refusal(scope: Scope) -> ScalewatchError | None:
    if NUL in scope["path"]:
        return NotFound("address", scope["path"])
    if b"%00" in scope["query_string"]:
        pairs = parse_qsl(scope["query_string"].decode("latin-1"))
        names = [name for name, text in pairs if NUL in f"{name}{text}"]
        if names:
            return InvalidReport([(name, "a text holds a NUL") for name in names])
    return None

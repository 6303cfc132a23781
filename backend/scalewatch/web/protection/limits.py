"""How much a client may ask for, and how long an answer may take."""

import asyncio
from collections.abc import Callable
from hashlib import sha256
from math import ceil
from time import monotonic
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scalewatch.errors import (
    BodyTooLarge,
    ScalewatchError,
    TookTooLong,
    TooManyRequests,
)

UNLIMITED: Final = ("/static/", "/healthz", "/readyz")
"""What costs nothing, and who watches the server."""

GUESS: Final = 50
"""Requests that an unknown token costs the client that tries it."""

MOST_CLIENTS: Final = 20_000
"""Clients that are remembered; those with a full bucket need not be."""

Answer = Callable[[Request, ScalewatchError], Response]


class Buckets:
    """A bucket of requests for each client, filled again within a minute.

    Parameters
    ----------
    per_minute
        How many requests a bucket holds; 0 sets no limit.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = monotonic) -> None:
        self.per_minute = per_minute
        self._clock = clock
        self._levels: dict[str, tuple[float, float]] = {}

    def take(self, client: str, cost: float = 1) -> float:
        """Take from a client's bucket; return the seconds to wait where it is empty."""
        if not self.per_minute:
            return 0
        level = self._level(client)
        if level < cost:
            return (cost - level) * 60 / self.per_minute
        self._levels[client] = level - cost, self._clock()
        return 0

    def charge(self, client: str, cost: float) -> None:
        """Take from a client's bucket what it may not have."""
        self._levels[client] = max(self._level(client) - cost, 0), self._clock()

    def _level(self, client: str) -> float:
        if len(self._levels) > MOST_CLIENTS:
            self._forget()
        level, since = self._levels.get(client, (self.per_minute, 0.0))
        filled = (self._clock() - since) * self.per_minute / 60
        return min(level + filled, self.per_minute)

    def _forget(self) -> None:
        """Forget clients whose buckets are full again after a minute."""
        limit = self._clock() - 60
        self._levels = {
            client: entry for client, entry in self._levels.items() if entry[1] > limit
        }


class RateLimit:
    """ASGI middleware that asks a token, or a client without one, to slow down."""

    def __init__(self, app: ASGIApp, buckets: Buckets, answer: Answer) -> None:
        self.app = app
        self.buckets = buckets
        self.answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, unless too many came before."""
        if scope["type"] != "http" or scope["path"].startswith(UNLIMITED):
            await self.app(scope, receive, send)
            return
        address = scope["client"][0] if scope.get("client") else "unknown"
        secret = Headers(scope=scope).get("authorization")
        client = sha256(secret.encode()).hexdigest() if secret else address
        # Guesses of tokens come with a new token each time, but from one address.
        wait = self.buckets.take(client) or (secret and self.buckets.take(address, 0))
        if wait:
            error = TooManyRequests(ceil(wait))
            await self.answer(Request(scope), error)(scope, receive, send)
            return

        async def send_and_charge(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 401:
                self.buckets.charge(address, GUESS)
            await send(message)

        await self.app(scope, receive, send_and_charge)


class BodyLimit:
    """ASGI middleware that refuses bodies beyond a size, announced or not."""

    def __init__(self, app: ASGIApp, limit: int, answer: Answer) -> None:
        self.app = app
        self.limit = limit
        self.answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and no more of its body than is allowed."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        error = BodyTooLarge(self.limit)
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdecimal() and int(announced) > self.limit:
            await self.answer(Request(scope), error)(scope, receive, send)
            return
        arrived = 0

        async def receive_no_more() -> Message:
            nonlocal arrived
            message = await receive()
            arrived += len(message.get("body", b""))
            if arrived > self.limit:
                raise error
            return message

        async def send_instead(message: Message) -> None:
            # The framework takes a body that cannot be read for a malformed one.
            if arrived <= self.limit:
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

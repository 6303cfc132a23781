"""How many requests a client may send, and how many wrong tokens it may try."""

from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from math import ceil
from threading import Lock
from time import monotonic
from typing import Final

from fastapi.security.utils import get_authorization_scheme_param
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from scalewatch.errors import TooManyGuesses, TooManyRequests
from scalewatch.web.protection.headers import UNLIMITED, Answer

GUESSES: Final = 1 / 50
"""Wrong tokens and logins that an address may try, as a share of its requests."""

MOST_CLIENTS: Final = 20_000
"""Clients that are remembered; of those forgotten the buckets are full again."""


class Buckets:
    """A bucket of requests for each client, filled again within a minute.

    Parameters
    ----------
    per_minute
        How many requests a bucket holds; 0 sets no limit.
    clock
        Tells the time in seconds.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = monotonic) -> None:
        self.per_minute = per_minute
        self._clock = clock
        self._lock = Lock()
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __contains__(self, client: str) -> bool:
        return client in self._levels

    def take(self, client: str) -> float:
        """Take from a client's bucket; return the seconds to wait where it is empty."""
        if not self.per_minute:
            return 0
        with self._lock:
            level = self._level(client)
            left = level - 1 if level >= 1 else level
            self._levels[client] = left, self._clock()
            self._levels.move_to_end(client)
            if len(self._levels) > MOST_CLIENTS:
                self._levels.popitem(last=False)
        return 0 if level >= 1 else (1 - level) * 60 / self.per_minute

    def forget(self, client: str) -> None:
        """Forget a client."""
        with self._lock:
            self._levels.pop(client, None)

    def _level(self, client: str) -> float:
        level, since = self._levels.get(client, (self.per_minute, 0.0))
        filled = (self._clock() - since) * self.per_minute / 60
        return min(level + filled, self.per_minute)


class Shares:
    """Shares of requests: of each good token, and of each address without one.

    Only who looks a token up knows whether it is good, and tells: `note_good`,
    `note_wrong`. Those not known to be good share a bucket of their address, beside
    that of its readers without a token; a wrong one is paid for by its address alone.

    Parameters
    ----------
    per_minute
        Requests of each; 0 sets no limit.
    clock
        Tells the time in seconds.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = monotonic) -> None:
        self.clock = clock
        self._requests = Buckets(per_minute, self._now)
        self._guesses = Buckets(ceil(per_minute * GUESSES), self._now)
        self._ended = Buckets(per_minute, self._now)

    def take(self, address: str, secret: str | None) -> None:
        """Take a request from the share of who asks.

        Raises
        ------
        TooManyRequests
            If nothing is left of it.
        """
        client = address
        if secret is not None:
            digest = _digest(secret)
            client = digest if digest in self._requests else f"{address} unknown"
        if wait := self._requests.take(client):
            raise TooManyRequests(ceil(wait))

    def note_good(self, secret: str) -> None:
        """Let a token have a share of its own from now on."""
        if (digest := _digest(secret)) not in self._requests:
            self._requests.take(digest)

    def note_wrong(self, address: str, secret: str) -> None:
        """Let an address pay for a wrong token.

        Raises
        ------
        TooManyGuesses
            If it has tried too many of them.
        """
        self._requests.forget(_digest(secret))
        if wait := self._guesses.take(address):
            raise TooManyGuesses(ceil(wait))

    def note_ended(self, address: str, login: str) -> None:
        """Let an address pay for a login that is not good, once for each.

        A browser sends a login that has ended with every request: only those that send
        one after another are guessing.

        Raises
        ------
        TooManyGuesses
            If the address has tried too many of them.
        """
        if (digest := _digest(login)) in self._ended:
            return
        if wait := self._guesses.take(address):
            raise TooManyGuesses(ceil(wait))
        self._ended.take(digest)

    def _now(self) -> float:
        return self.clock()


def address_of(scope: Scope) -> str:
    """Return the address that a request comes from."""
    return scope["client"][0] if scope.get("client") else "unknown"


def secret_of(headers: Headers) -> str | None:
    """Return the token that a request brings; other credentials are none."""
    scheme, secret = get_authorization_scheme_param(headers.get("authorization"))
    return secret if secret and scheme.lower() == "bearer" else None


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


class RateLimit:
    """ASGI middleware that asks who has used up their share to slow down."""

    def __init__(self, app: ASGIApp, shares: Shares, answer: Answer) -> None:
        self.app = app
        self.shares = shares
        self.answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, unless too many came before."""
        app = self.app
        if scope["type"] == "http" and not scope["path"].startswith(UNLIMITED):
            try:
                self.shares.take(address_of(scope), secret_of(Headers(scope=scope)))
            except TooManyRequests as error:
                app = self.answer(Request(scope), error)
        await app(scope, receive, send)

"""Headers that protect the reader of every answer."""

from collections.abc import Mapping
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scalewatch.web.protection.shares import UNLIMITED

SOURCES: Final = {
    "default-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'self'",
    "img-src": "'self' data: blob:",  # plotly exports pictures as blobs
    "object-src": "'none'",
    "style-src": "'self' 'unsafe-inline'",  # plotly sizes its parts by style
}
"""Names from measurements are text; were one ever markup, it could not run."""


def policy(sources: Mapping[str, str]) -> str:
    """Return a Content-Security-Policy of what may come from where."""
    return "; ".join(f"{kind} {allowed}" for kind, allowed in sources.items())


HEADERS: Final = {
    "Content-Security-Policy": policy(SOURCES),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


class SecurityHeaders:
    """ASGI middleware that adds `HEADERS` where an answer does not set its own."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and complete the headers of its answer."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers)


CREDENTIALS: Final = ("Authorization", "Cookie")
"""Headers that an answer depends on beside the address: they tell who asks."""

FOR_ALL: Final = "no-cache"
"""Caches ask each time whether it still holds: a project may become private."""

FOR_ONE: Final = f"private, {FOR_ALL}"


class Privacy:
    """ASGI middleware that says what answers depend on, and who may keep them."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and complete the headers of its answer."""
        if scope["type"] != "http" or scope["path"].startswith(UNLIMITED):
            await self.app(scope, receive, send)
            return
        request = Headers(scope=scope)
        is_for_one = any(name in request for name in CREDENTIALS)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name in CREDENTIALS:
                    headers.add_vary_header(name)
                if headers.get("Cache-Control", FOR_ALL) == FOR_ALL:
                    headers["Cache-Control"] = FOR_ONE if is_for_one else FOR_ALL
            await send(message)

        await self.app(scope, receive, send_with_headers)

"""Requests that a page of another site made a browser send.

A browser says where a request that may change something comes from: `Sec-Fetch-Site`
or, where it is older, `Origin`. Programs send neither. Together with cookies that
other sites' requests do not carry (SameSite), nothing can be changed across sites.
"""

from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from scalewatch.errors import ForeignOrigin, ScalewatchError

SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""

Answer = Callable[[Request, ScalewatchError], Response]


class OwnOrigin:
    """ASGI middleware that refuses changes asked for by pages of other sites."""

    def __init__(self, app: ASGIApp, answer: Answer) -> None:
        self.app = app
        self.answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, unless it changes something and comes from elsewhere."""
        if scope["type"] == "http" and scope["method"] not in SAFE:
            headers = Headers(scope=scope)
            if not is_own(headers):
                error = ForeignOrigin(headers.get("origin", "another site"))
                await self.answer(Request(scope), error)(scope, receive, send)
                return
        await self.app(scope, receive, send)


def is_own(headers: Headers) -> bool:
    """Tell whether a request comes from a page of this site, or from no page."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in {"same-origin", "none"}
    origin = headers.get("origin")
    return origin is None or _host(origin) == headers.get("host")


def _host(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None

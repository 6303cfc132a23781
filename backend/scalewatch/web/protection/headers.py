"""Permissions of an application, and headers that protect readers of answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scalewatch.errors import ScalewatchError

UNLIMITED: Final = ("/static/", "/healthz", "/readyz")
"""Addresses that cost nothing, or that probes of the server ask."""

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


@dataclass(frozen=True, slots=True)
class Protection:
    """Permissions and limits of an application.

    Parameters
    ----------
    is_open
        Whether, as long as there is no token, everybody may do everything, and not
        only who calls this machine by a name that it has for itself.
    plain_http
        Whether browsers may log in without encryption from other machines.
    requests_per_minute
        Of one token, or one address without one, to one process; 0: any number.
    request_seconds
        How long an answer may take to begin.
    read_only
        Whether nobody may change anything, since all comes from a store.
    """

    is_open: bool = True
    plain_http: bool = False
    requests_per_minute: int = 0
    request_seconds: float = 90
    read_only: bool = False


def is_loopback(host: str) -> bool:
    """Tell whether a host, without its port, is this machine as it calls itself."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


Answer = Callable[[Request, ScalewatchError], Response]

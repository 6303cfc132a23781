"""Requests that a page of another site made a browser send.

Of a request that may change something a browser says where it comes from, and no page
can make it lie: by `Sec-Fetch-Site` if the connection is encrypted or stays on this
machine, and by `Origin` on every other. What says neither comes from a program, which
has no cookie and no form; if it has, it is refused. Tokens in forms would add nothing:
they do not protect the API, nor from a site that shares our domain, for which it sets
the cookie that they depend on.

References
----------
M. West: Fetch Metadata Request Headers, W3C Working Draft.
OWASP: Cross-Site Request Forgery Prevention Cheat Sheet.
"""

from collections.abc import Sequence
from typing import Annotated, Final
from urllib.parse import parse_qs, urlsplit

from fastapi import Depends, Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from scalewatch.errors import (
    ForeignOrigin,
    InvalidReport,
    ReadOnlyServer,
    UnsupportedContent,
)
from scalewatch.web.protection.headers import Answer

SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""

UNKNOWN: Final = "an unknown site"


class OwnOrigin:
    """ASGI middleware that refuses changes asked for by pages of other sites."""

    def __init__(self, app: ASGIApp, answer: Answer) -> None:
        self.app = app
        self.answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, unless it changes something and comes from elsewhere."""
        if scope["type"] == "http" and scope["method"] not in SAFE:
            headers = Headers(scope=scope)
            if is_foreign(headers):
                error = ForeignOrigin(headers.get("origin", UNKNOWN))
                await self.answer(Request(scope), error)(scope, receive, send)
                return
        await self.app(scope, receive, send)


class ReadOnly:
    """ASGI middleware of a server that shows a store: it refuses every change."""

    def __init__(self, app: ASGIApp, answer: Answer) -> None:
        self.app = app
        self.answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, unless it changes something."""
        if scope["type"] == "http" and scope["method"] not in SAFE:
            answer = self.answer(Request(scope), ReadOnlyServer())
            await answer(scope, receive, send)
            return
        await self.app(scope, receive, send)


def is_foreign(headers: Headers) -> bool:
    """Tell whether a page of another site asks, or a browser that does not say."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in {"same-origin", "none"}
    origin, host = headers.get("origin"), headers.get("host")
    if origin is not None:
        return not host or _host(origin) != host
    # A browser adds cookies by itself; a program says by a token who it is.
    return "cookie" in headers and "authorization" not in headers


def says_origin(headers: Headers) -> bool:
    """Tell whether a request says where it comes from, as those of browsers do."""
    return "sec-fetch-site" in headers or "origin" in headers


def _host(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


URLENCODED: Final = "application/x-www-form-urlencoded"
MOST_FIELDS: Final = 10_000


class Form:
    """The fields of a form; those that were left empty are not there."""

    def __init__(self, fields: dict[str, list[str]]) -> None:
        self._fields = fields

    def text(self, name: str) -> str | None:
        """Return the last value of a field, without the blanks around it."""
        texts = self.texts(name)
        return texts[-1] if texts else None

    def texts(self, name: str) -> Sequence[str]:
        """Return all values of a field."""
        return [*filter(None, map(str.strip, self._fields.get(name, ())))]

    def has(self, name: str) -> bool:
        """Tell whether a box is ticked."""
        return name in self._fields


async def read_form(request: Request) -> Form:
    """Read the form that was sent.

    Raises
    ------
    ForeignOrigin
        If it does not say from where: only a page has a form, and browsers say it.
    UnsupportedContent, InvalidReport
        If it is no form.
    """
    if not says_origin(request.headers):
        raise ForeignOrigin(UNKNOWN)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != URLENCODED:
        raise UnsupportedContent("Content-Type", kind, [URLENCODED])
    body = await request.body()
    try:
        fields = parse_qs(
            body.decode(), strict_parsing=False, max_num_fields=MOST_FIELDS
        )
    except ValueError as error:
        raise InvalidReport([("", str(error))]) from None
    if any("\x00" in text for texts in fields.values() for text in texts):
        raise InvalidReport([("", "a field holds a NUL")])
    return Form(fields)


FormDep = Annotated[Form, Depends(read_form)]

"""Answers that a client has already: 304 instead of the same bytes again.

The tag follows from the content, so it is right whatever has changed it.
"""

import re
from hashlib import blake2b
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

KEPT: Final = (b"cache-control", b"content-location", b"date", b"etag", b"vary")
"""Headers that a 304 repeats, see RFC 9110, section 15.4.5."""

_TAG: Final = re.compile(r'(?:W/)?("[^"]*")')


class ETags:
    """ASGI middleware that tags whole answers to GET, and spares known ones."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; compare its answer with what the client has."""
        if scope["type"] != "http" or scope["method"] not in {"GET", "HEAD"}:
            await self.app(scope, receive, send)
            return
        known = set(_TAG.findall(Headers(scope=scope).get("if-none-match", "")))
        start: Message | None = None

        async def send_tagged(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_tagged(message):
                start = message
                return
            if start is not None:
                held, start = start, None
                # A stream is not held back for its tag.
                if not message.get("more_body", False):
                    message = _tag(held, message, known)
                await send(held)
            await send(message)

        await self.app(scope, receive, send_tagged)


def _is_tagged(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    is_stream = headers.get("content-type", "").startswith("text/event-stream")
    return start["status"] == 200 and "etag" not in headers and not is_stream


def _tag(start: Message, body: Message, known: set[str]) -> Message:
    """Tag an answer; return its body, or none where the client has it."""
    # Weak: compressed or not, the content is the same.
    tag = f'"{blake2b(body.get("body", b""), digest_size=12).hexdigest()}"'
    MutableHeaders(scope=start)["ETag"] = f"W/{tag}"
    if tag not in known:
        return body
    start["status"] = 304
    start["headers"] = [entry for entry in start["headers"] if entry[0] in KEPT]
    return {**body, "body": b""}

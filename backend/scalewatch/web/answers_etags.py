"""Answers that a client has already: 304 instead of the same bytes again.

The tag follows from the content, so it is right whatever has changed it.
"""

import re
from hashlib import blake2b
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Receive, Scope, Send

from scalewatch.web.answers_whole import WholeAnswer

KEPT: Final = (
    *(b"cache-control", b"content-location", b"date", b"etag", b"vary"),
    b"set-cookie",
)
"""Headers that a 304 repeats, see RFC 9110, section 15.4.5, and cookies."""

_TAG: Final = re.compile(r'(?:W/)?("[^"]*")')


class ETags(WholeAnswer):
    """ASGI middleware that tags whole answers to GET, and spares known ones."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; tag its answer if it reads."""
        is_read = scope.get("method") in {"GET", "HEAD"}
        await (super().__call__ if is_read else self.app)(scope, receive, send)

    def is_to_change(self, status: int, head: Headers) -> bool:
        """Tell whether an answer succeeded, and has no tag yet."""
        return status == 200 and "etag" not in head

    def changed(self, request: Headers, start: Message, body: Message) -> Message:
        """Tag an answer; return its body, or none where the client has it."""
        # Weak: compressed or not, the content is the same.
        tag = f'"{blake2b(body.get("body", b""), digest_size=12).hexdigest()}"'
        MutableHeaders(scope=start)["ETag"] = f"W/{tag}"
        if tag not in _TAG.findall(request.get("if-none-match", "")):
            return body
        start["status"] = 304
        start["headers"] = [entry for entry in start["headers"] if entry[0] in KEPT]
        return {**body, "body": b""}

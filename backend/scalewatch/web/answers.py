"""Whole answers: compressed, named by their content, and heads without a body.

Compressed by zstd where the client takes it, else by gzip. A tag follows from the
content, so it is right whatever has changed it: who has it is answered 304.
"""

import gzip
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Final

import zstandard
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class WholeAnswer(ABC):
    """ASGI middleware that changes whole answers; streams pass as they are."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; hold the head of its answer until the body is there."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Headers(scope=scope)
        held: Message | None = None

        async def send_changed(message: Message) -> None:
            nonlocal held
            if message["type"] == "http.response.start" and self._is_held(message):
                held = message
                return
            if held is not None:
                start, held = held, None
                if not message.get("more_body", False):
                    message = self.changed(request, start, message)
                await send(start)
            await send(message)

        await self.app(scope, receive, send_changed)

    def _is_held(self, start: Message) -> bool:
        head = Headers(raw=start["headers"])
        # Its body may not begin for hours.
        is_stream = head.get("content-type", "").startswith("text/event-stream")
        return not is_stream and self.is_to_change(start["status"], head)

    @abstractmethod
    def is_to_change(self, status: int, head: Headers) -> bool:
        """Tell whether an answer with this status and head is to be changed."""

    @abstractmethod
    def changed(self, request: Headers, start: Message, body: Message) -> Message:
        """Change the start of an answer in place, and return its body."""


SMALLEST: Final = 500
"""Bytes below which compression gains nothing."""

COMPRESSIBLE: Final = (
    "application/javascript",
    "application/json",
    "application/problem+json",
    "application/xml",
    "application/atom+xml",
    "image/svg+xml",
    "text/",
)


ENCODERS: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "zstd": lambda plain: zstandard.compress(plain, 1),
    "gzip": lambda plain: gzip.compress(plain, 1, mtime=0),
}
"""Encodings, the preferred one first.

Of JSON, level 3 of zstd makes more bytes than 1, in twice the time; that of gzip saves
a fifteenth.
"""


class Compression(WholeAnswer):
    """ASGI middleware that compresses whole answers."""

    def is_to_change(self, status: int, head: Headers) -> bool:  # noqa: ARG002 - any
        """Tell whether the content is worth compressing, and not compressed yet."""
        kind = head.get("content-type", "")
        return kind.startswith(COMPRESSIBLE) and "content-encoding" not in head

    def changed(self, request: Headers, start: Message, body: Message) -> Message:
        """Compress a body, and say so in the head of the answer."""
        headers = MutableHeaders(scope=start)
        headers.add_vary_header("Accept-Encoding")
        encoding = chosen(request.get("accept-encoding", ""))
        plain = body.get("body", b"")
        if encoding is None or len(plain) < SMALLEST:
            return body
        packed = ENCODERS[encoding](plain)
        headers["Content-Encoding"] = encoding
        headers["Content-Length"] = str(len(packed))
        return {**body, "body": packed}


def chosen(accepted: str) -> str | None:
    """Return the encoding to use, by an Accept-Encoding; None: as it is."""
    weights: dict[str, str] = {}
    for part in accepted.split(","):
        name, _, parameter = part.partition(";")
        _, _, weight = parameter.partition("=")
        weights[name.strip().lower()] = weight.strip()
    taken = weights.get
    return next(
        (
            encoding
            for encoding in ENCODERS
            if not _is_zero(taken(encoding, taken("*", "0")))
        ),
        None,
    )


def _is_zero(weight: str) -> bool:
    try:
        return float(weight or 1) <= 0
    except ValueError:
        return True


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


STREAMS: Final = "/events"
"""How addresses end whose answers do not: asked for a head, they would stay open."""


class Heads:
    """ASGI middleware that answers HEAD with the head of what GET would answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask for all of an answer, and pass its head on."""
        if scope.get("method") != "HEAD" or scope["path"].endswith(STREAMS):
            await self.app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            is_body = message["type"] == "http.response.body"
            await send({**message, "body": b""} if is_body else message)

        await self.app({**scope, "method": "GET"}, receive, send_head)

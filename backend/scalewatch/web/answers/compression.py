"""Compressed answers: zstd where the client takes it, else gzip."""

import gzip
from collections.abc import Callable, Mapping
from typing import Final

import zstandard
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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


class Compression:
    """ASGI middleware that compresses whole answers; streams pass as they are."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and compress its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        encoding = chosen(Headers(scope=scope).get("accept-encoding", ""))
        start: Message | None = None

        async def send_compressed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_worth_it(message):
                start = message
                return
            if start is not None:
                held, start = start, None
                if not message.get("more_body", False):
                    message = _compressed(held, message, encoding)
                await send(held)
            await send(message)

        await self.app(scope, receive, send_compressed)


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


def _is_worth_it(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    kind = headers.get("content-type", "")
    is_stream = kind.startswith("text/event-stream")  # whose head must not wait
    is_plain = "content-encoding" not in headers
    return kind.startswith(COMPRESSIBLE) and is_plain and not is_stream


def _compressed(start: Message, body: Message, encoding: str | None) -> Message:
    """Compress a body, and say so in the head of the answer."""
    headers = MutableHeaders(scope=start)
    headers.add_vary_header("Accept-Encoding")
    plain = body.get("body", b"")
    if encoding is None or len(plain) < SMALLEST:
        return body
    packed = ENCODERS[encoding](plain)
    headers["Content-Encoding"] = encoding
    headers["Content-Length"] = str(len(packed))
    return {**body, "body": packed}

"""Addresses with a NUL, which no text of the product holds and PostgreSQL refuses."""

from typing import Final
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from scalewatch.errors import InvalidReport, NotFound, ScalewatchError
from scalewatch.web.protection.answers import Answer

NUL: Final = "\x00"


class WithoutNul:
    """ASGI middleware that finds nothing at a path with a NUL, and asks for no such."""

    def __init__(self, app: ASGIApp, answer: Answer) -> None:
        self.app = app
        self.answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, unless its path or its query holds a NUL."""
        error = _refusal(scope) if scope["type"] == "http" else None
        if error is None:
            await self.app(scope, receive, send)
        else:
            await self.answer(Request(scope), error)(scope, receive, send)


def _refusal(scope: Scope) -> ScalewatchError | None:
    if NUL in scope["path"]:
        return NotFound("address", scope["path"])
    if b"%00" in scope["query_string"]:
        pairs = parse_qsl(scope["query_string"].decode("latin-1"))
        names = [name for name, text in pairs if NUL in f"{name}{text}"]
        if names:
            return InvalidReport([(name, "a text holds a NUL") for name in names])
    return None

"""HEAD, answered as GET without its body: checks and link testers ask by it."""

from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

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

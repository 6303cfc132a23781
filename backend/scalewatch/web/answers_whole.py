"""Middleware that needs the whole body of an answer before it sends the head."""

from abc import ABC, abstractmethod

from starlette.datastructures import Headers
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

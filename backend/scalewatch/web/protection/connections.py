"""Connections: one whose request has no end of its head in time is closed."""

from asyncio import BaseTransport, TimerHandle, Transport
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_SECONDS: Final = 20.0
"""How long the head of a request may take, from its first byte or the connection on."""


class PunctualProtocol(HttpToolsProtocol):
    """HTTP as uvicorn speaks it, which waits for ever for the end of a head."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._deadline: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._await_head(transport)

    def data_received(self, data: bytes) -> None:
        """Go on with a request, or begin with the next one."""
        transport, before = self.transport, self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._stop_waiting()
        elif before is not None and before.response_complete:
            self._await_head(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _await_head(self, transport: BaseTransport) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_SECONDS, transport.close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

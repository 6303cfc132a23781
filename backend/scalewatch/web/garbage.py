"""Garbage is collected between answers, not in their midst.

An answer makes a hundred thousand small objects, of which its end leaves few: to look
through them then takes no time, while before it was a third of that of a page.
"""

import gc
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

FEW: Final = 2
"""Answers after which what they left is looked through once more, if nobody waits: what
is kept of them then takes 1 ms, and a second after a thousand."""

MANY: Final = 1_000
"""Answers after which it is looked through although somebody waits."""

OLD: Final = 1_000
"""How often that is done before all objects are looked through, once nobody waits."""

UNUSUAL: Final = 500_000
"""Objects that no answer makes: jobs do, and are not to wait for one."""


def spare_collections() -> None:
    """Let the collector pass over what stays loaded, and not come by itself."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(UNUSUAL, 20, 50)


class Garbage:
    """ASGI middleware that collects what an answer has left behind."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._waiting = 0
        self._answers = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; look through young objects once it is answered."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_waiting = True

        def answer() -> None:
            nonlocal is_waiting
            self._waiting -= is_waiting
            is_waiting = False

        async def send_on(message: Message) -> None:
            answer()  # a stream of events goes on for hours
            await send(message)

        self._waiting += 1
        try:
            await self.app(scope, receive, send_on)
        finally:
            answer()
        self._collect()

    def _collect(self) -> None:
        """Look through what answers left, but not while another one holds its own."""
        self._answers += 1
        if self._answers < (MANY if self._waiting else FEW):
            gc.collect(0)
            return
        self._answers = 0
        _, _, times = gc.get_count()
        gc.collect(1 if self._waiting or times < OLD else 2)

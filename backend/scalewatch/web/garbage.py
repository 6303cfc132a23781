"""Garbage is collected between answers, not in their midst.

An answer makes a hundred thousand small objects, of which its end leaves few: to look
through them then takes no time, while before it was a third of that of a page.
"""

import gc
from itertools import count
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

MANY: Final = 1_000
"""Answers after which older objects are looked through, too."""

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
        self._answers = count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; look through young objects once it is answered."""
        await self.app(scope, receive, send)
        if scope["type"] == "http":
            gc.collect(0 if next(self._answers) % MANY else 1)

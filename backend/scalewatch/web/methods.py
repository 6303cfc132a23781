"""Methods that an address allows, for who asked with another one."""

from typing import Final

from fastapi import Request
from starlette.routing import Match

from scalewatch.web.answers_heads import STREAMS

METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


def allowed(request: Request) -> str:
    """Return the header `Allow` of an address: the methods of all of its routes."""
    return ", ".join(method for method in METHODS if _is_allowed(request, method))


def _is_allowed(request: Request, method: str) -> bool:
    # What can be read has a head, see `Heads`; streams alone have none.
    is_head = method == "HEAD" and not request.url.path.endswith(STREAMS)
    asked = {**request.scope, "method": "GET" if is_head else method}
    return any(
        route.matches(asked)[0] is Match.FULL for route in request.app.router.routes
    )

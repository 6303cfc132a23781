"""Methods that an address allows, for who asked with another one."""

from typing import Final

from fastapi import Request
from starlette.routing import Match

METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


def allowed(request: Request) -> str:
    """Return the header `Allow` of an address: the methods of all of its routes."""
    return ", ".join(method for method in METHODS if _is_allowed(request, method))


def _is_allowed(request: Request, method: str) -> bool:
    asked = {**request.scope, "method": method}
    return any(
        route.matches(asked)[0] is Match.FULL for route in request.app.router.routes
    )

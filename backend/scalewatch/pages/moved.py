"""Addresses that pages had before: they lead on, with their query kept."""

from collections.abc import Mapping
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse

from scalewatch.pages.rendering.addresses import path_to

MOVED: Final[Mapping[str, str]] = {
    "/p/{project}/efficiency": "scaling",
    "/p/{project}/lines": "machine-lines",
    "/p/{project}/configurations": "configurations",
}
"""Routes of pages by their former address."""

router = APIRouter(include_in_schema=False)


def lead_on(request: Request) -> RedirectResponse:
    """Redirect to the present address of a page."""
    names = {key: str(text) for key, text in request.path_params.items()}
    return moved_to(request, MOVED[request.scope["route"].path], **names)


def moved_to(request: Request, route: str, **names: str) -> RedirectResponse:
    """Redirect for good to the page of a route, with the query of the request."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{path_to(request, route, None, **names)}{query}", 308)


for former in MOVED:
    router.add_api_route(former, lead_on, name="moved")

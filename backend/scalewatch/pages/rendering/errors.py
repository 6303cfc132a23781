"""Error pages."""

from http import HTTPStatus
from typing import Final

from fastapi import Request
from fastapi.responses import HTMLResponse

from scalewatch.pages.rendering.navigation import FAILED
from scalewatch.pages.rendering.templates import render

TITLES: Final = {
    404: "Nothing here",
    405: "This address only shows pages",
    422: "The address cannot be read",
    500: "Scalewatch failed",
}


def show_error(request: Request, status: int, detail: str) -> HTMLResponse:
    """Answer with a page that names the error and where to go from there."""
    setattr(request.state, FAILED, True)
    return render(
        request,
        "errors/show.html",
        status_code=status,
        status=status,
        title=TITLES.get(status, HTTPStatus(status).phrase),
        detail=detail[:1].upper() + detail[1:],
    )

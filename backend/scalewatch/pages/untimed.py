"""What pages about times show of a project that has counts only."""

from typing import Final

from fastapi import Request, Response

from scalewatch.errors import NoTimes
from scalewatch.pages.rendering.templates import render
from scalewatch.services.selection.view import View

TITLES: Final = {
    "scaling-errors": "Scaling error",
    "configurations": "Configurations",
    "machine-lines": "Problem size",
}

NEEDS: Final = {
    "scaling-errors": "Efficiency compares the times of a region at different numbers "
    "of processes.",
    "configurations": "The best configuration is the one whose times scale best, or "
    "are shortest.",
    "machine-lines": "Machines are compared by the time of a region over the problem "
    "size.",
}


def show_untimed(request: Request, view: View, route: str, error: NoTimes) -> Response:
    """Say what a page needs, what was measured instead, and what would bring it.

    Parameters
    ----------
    route
        Name of the page.
    """
    return render(
        request,
        "untimed/show.html",
        project=view.project,
        route=route,
        title=TITLES[route],
        needs=NEEDS[route],
        error=error,
        query={"commit": view.commit, "machine": view.machine},
        server=str(request.base_url).rstrip("/"),
    )

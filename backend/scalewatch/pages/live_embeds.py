"""Figures for other sites: a page that holds one figure and may stand in a frame."""

from typing import Final

from fastapi import APIRouter, Request, Response

from scalewatch.pages.rendering.plots import Plot
from scalewatch.pages.rendering.templates import path_to, render
from scalewatch.storage.access import projects
from scalewatch.web.protection.headers import SOURCES, policy
from scalewatch.web.sessions import ReadingDep

ANYWHERE: Final = policy(SOURCES | {"frame-ancestors": "*", "form-action": "'none'"})
"""As on other pages, except that anybody may frame this one."""

TOLD: Final = ("metric", "machine", "subjects", "commit")
"""What a heading says of the figure beside the region, as far as the address does."""

router = APIRouter(include_in_schema=False)


@router.get("/p/{project}/embed/{figure}", name="embed")
def show_embed(
    request: Request, session: ReadingDep, project: str, figure: str
) -> Response:
    """Show the figure of this name, as the API draws it for the rest of the query."""
    known = projects.existing(session, project)
    query = {key: request.query_params.getlist(key) for key in request.query_params}
    address = path_to(
        request, "figure", {"project": known.name, **query}, figure=figure
    )
    answer = render(
        request,
        "live/embed.html",
        plot=Plot(address),
        name=request.query_params.get("region", figure),
        of=[known.name, *(query[key][0] for key in TOLD if query.get(key))],
    )
    answer.headers["Content-Security-Policy"] = ANYWHERE
    return answer

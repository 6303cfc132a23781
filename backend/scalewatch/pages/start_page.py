"""The page that gets one started: `/start`, with the names of a project."""

from typing import Annotated, Final, Literal

from fastapi import APIRouter, Query, Request, Response

from scalewatch.pages.rendering.templates import render
from scalewatch.pages.start import FORGES, INSTALL, Forge, Recipes
from scalewatch.services.projects.progress import known_projects, progress_of
from scalewatch.web.sessions import ReadingDep
from scalewatch.wire import Name

UNNAMED: Final = "my-code"
"""The project of the commands as long as nobody named one."""

LONGEST: Final = 200

router = APIRouter(include_in_schema=False)


@router.get("/start", name="start")
def show_start(
    request: Request,
    session: ReadingDep,
    project: Annotated[Name | Literal[""], Query()] = "",
    ci: Forge = Forge.GITHUB,
) -> Response:
    """Show how to get a token, an agent, the first run and a gate in CI."""
    known = known_projects(session)
    chosen = project or next(iter(known), UNNAMED)
    server = str(request.base_url).rstrip("/")
    return render(
        request,
        "start/show.html",
        chosen=chosen,
        ci=ci,
        forges=FORGES,
        install=INSTALL,
        known=known,
        longest=LONGEST,
        progress=progress_of(session, chosen),
        recipes=Recipes(chosen, server),
        server=server,
    )

"""The home page: every project at its newest commit."""

from fastapi import APIRouter, Request, Response

from scalewatch.pages import listings
from scalewatch.pages.dependencies import SessionDep
from scalewatch.pages.downloads import Format, FormatQuery, download
from scalewatch.pages.templates import render
from scalewatch.services.projects import all_projects
from scalewatch.services.provenance import all_origins

router = APIRouter(include_in_schema=False)


@router.get("/", name="home")
def show_projects(
    request: Request, session: SessionDep, wanted: FormatQuery = Format.HTML
) -> Response:
    """Show all projects, or how to bring the first one."""
    projects = all_projects(session)
    if wanted is not Format.HTML:
        listing = listings.projects(projects)
        return download(wanted, "projects", projects, listing, listing)
    return render(
        request,
        "projects/index.html",
        projects=projects,
        origins_by_project=all_origins(session),
        server=str(request.base_url).rstrip("/"),
    )

"""The page of a run: what one execution of a suite measured."""

from uuid import UUID

from fastapi import APIRouter, Request, Response

from scalewatch.pages import listings
from scalewatch.pages.dependencies import SessionDep
from scalewatch.pages.downloads import Format, FormatQuery, download
from scalewatch.pages.templates import render
from scalewatch.services.recorded_runs import recorded_run

router = APIRouter(include_in_schema=False)


@router.get("/p/{project}/runs/{run}", name="run")
def show_run(
    request: Request,
    session: SessionDep,
    project: str,
    run: UUID,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show where a run measured, in which environment, and its results."""
    recorded = recorded_run(session, run, project)
    if wanted is not Format.HTML:
        listing = listings.results(recorded)
        return download(wanted, str(recorded.uuid), recorded, listing, listing)
    return render(request, "runs/show.html", run=recorded)

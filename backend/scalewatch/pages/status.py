"""The status page."""

from fastapi import APIRouter, Request, Response

from scalewatch.exporters.listing import Listing
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.rendering.templates import render
from scalewatch.services.operations.status import Status, status
from scalewatch.web.sessions import ReadingDep

router = APIRouter(include_in_schema=False)


@router.get("/status", name="status")
def show_status(
    request: Request, session: ReadingDep, wanted: FormatQuery = Format.HTML
) -> Response:
    """Show the queue, the workers, and the machines that post runs."""
    found = status(session)
    if wanted is not Format.HTML:
        return download(wanted, "status", found, _agents)
    return render(request, "status/show.html", status=found)


def _agents(found: Status) -> Listing:
    return Listing(
        ("project", "machine", "last_run_at", "runs"),
        [
            (agent.project, agent.machine, agent.last_run_at.isoformat(), agent.runs)
            for agent in found.agents
        ],
    )

"""The status page."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from scalewatch.errors import InvalidReport
from scalewatch.exporters.listing import Columns, Listing
from scalewatch.pages.rendering import addresses, templates
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.services.operations import status
from scalewatch.web.protection.origins import FormDep
from scalewatch.web.sessions import ReadingDep, WritingDep

router = APIRouter(include_in_schema=False)


@router.get("/status", name="status")
def show_status(
    request: Request, session: ReadingDep, wanted: FormatQuery = Format.HTML
) -> Response:
    """Show the queue, the workers, and the machines that post runs."""
    shown = status.status(session)
    if wanted is not Format.HTML:
        return download(wanted, "status", shown, agents)
    return templates.render(request, "status/show.html", status=shown)


@router.post("/status/retry", name="retry-job")
def retry_job(request: Request, session: WritingDep, form: FormDep) -> Response:
    """Try a failed job again."""
    text = form.text("job") or ""
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise InvalidReport([("job", f"{text!r} is no number of a job")])
    status.retry(session, int(text))
    return RedirectResponse(addresses.path_to(request, "status"), 303)


def agents(shown: status.Status) -> Listing:
    """Return the machines that post runs, one line each."""
    return Columns[status.Agent](
        {
            "project": lambda agent: agent.project,
            "machine": lambda agent: agent.machine,
            "last_run_at": lambda agent: agent.last_run_at.isoformat(),
            "runs": lambda agent: agent.runs,
        }
    ).listing(zip(shown.agents))

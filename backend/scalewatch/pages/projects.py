"""The home page: every project at its newest commit."""

from fastapi import APIRouter, Request, Response

from scalewatch.modelling import Verdict
from scalewatch.pages import listings
from scalewatch.pages.dependencies import SessionDep
from scalewatch.pages.downloads import Format, FormatQuery, download
from scalewatch.pages.templates import render
from scalewatch.services.projects import Project, all_projects
from scalewatch.services.provenance import all_origins

router = APIRouter(include_in_schema=False)


def project_lead(project: Project) -> str:
    """Answer whether the newest commit of a project is fine."""
    bad, judged = project.counts[Verdict.MISMATCH], sum(project.counts.values())
    if not judged:
        return "Nothing is judged yet."
    if bad:
        verb = "does" if bad == 1 else "do"
        return f"{bad:,} of {judged:,} series {verb} not scale as expected."
    if project.counts[Verdict.UNDECIDED]:
        return "No mismatch, but not everything can be told."
    return "Everything scales as it should."


@router.get("/", name="home")
def show_projects(
    request: Request, session: SessionDep, wanted: FormatQuery = Format.HTML
) -> Response:
    """Show all projects, or how to bring the first one."""
    projects = all_projects(session)
    if wanted is not Format.HTML:
        return download(wanted, "projects", projects, listings.projects)
    return render(
        request,
        "projects/index.html",
        projects=projects,
        origins_by_project=all_origins(session),
        project_lead=project_lead,
        server=str(request.base_url).rstrip("/"),
    )

"""The report of a commit: what changed against a named baseline, worst first."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from scalewatch.pages import listings
from scalewatch.pages.change_listings import changes_listing, changes_overview
from scalewatch.pages.change_sentences import baseline_sentence, counts_sentence, gap
from scalewatch.pages.dependencies import SessionDep
from scalewatch.pages.downloads import Format, FormatQuery, download
from scalewatch.pages.templates import path_to, render
from scalewatch.services.commit_reports import commit_report
from scalewatch.services.gates import gate_on
from scalewatch.services.views import View

router = APIRouter(include_in_schema=False)


@router.get("/p/{project}/c", name="commit")
def show_newest(request: Request, project: str) -> Response:
    """Lead to the report of the newest commit, whichever that is."""
    return RedirectResponse(
        path_to(request, "commit-report", project=project, sha="newest"), 303
    )


@router.get("/p/{project}/c/{sha}", name="commit-report")
def show_commit(  # noqa: PLR0913, PLR0917 - parts of the address
    request: Request,
    session: SessionDep,
    project: str,
    sha: str,
    vs: str | None = None,
    metric: str | None = None,
    machine: str | None = None,
    configuration: Annotated[list[str] | None, Query()] = None,
    *,
    all_rows: Annotated[bool, Query(alias="all")] = False,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show what a commit changed: ?vs=v5.0.8&metric=time&machine=jureca&all=1."""
    reference = None if sha == "newest" else sha
    view = View.stated(project, reference, metric, machine, configuration or [])
    report = commit_report(session, view, vs or None)
    if wanted is not Format.HTML:
        name = f"{report.project}-{report.commit.label}-changes"
        return download(wanted, name, report, changes_listing, changes_overview)
    lead, against = counts_sentence(report), baseline_sentence(report.baseline)
    return render(
        request,
        "commits/show.html",
        report=report,
        gate=gate_on(session, report) if report.baseline else None,
        all_rows=all_rows,
        lead=lead,
        against=against,
        gap=gap(report.baseline),
        markdown=listings.markdown(
            changes_overview(report),
            f"{report.project} {report.commit.label}: {lead}. Compared with {against}.",
        ),
        query={
            "vs": vs,
            "metric": view.metric,
            "machine": view.machine,
            "configuration": view.settings,
        },
    )

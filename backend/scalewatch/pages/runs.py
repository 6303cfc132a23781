"""The page of a run: its results and its environment."""

from uuid import UUID

from fastapi import APIRouter, Request, Response

from scalewatch.exporters.listing import Columns, Listing
from scalewatch.pages.rendering import navigation, templates
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.wording.formats import quantity
from scalewatch.services.runs.show import RecordedRun, Result, payload_of, recorded_run
from scalewatch.services.selection.pages import part_of
from scalewatch.web import queries
from scalewatch.web.sessions import ReadingDep

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)


@router.get("/p/{project}/runs/{run}", name="run")
def show_run(  # noqa: PLR0913, PLR0917 - parts of the address
    request: Request,
    session: ReadingDep,
    project: str,
    run: UUID,
    cursor: queries.CursorQuery = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show where a run measured, in which environment, and its results."""
    recorded = recorded_run(session, run, project)
    if wanted is not Format.HTML:
        name = str(recorded.uuid)
        return download(wanted, name, recorded, results, overview, cursor=cursor)
    part, page = part_of(recorded, cursor)
    return templates.render(
        request, "runs/show.html", run=recorded, results=part.results, page=page
    )


@router.get("/p/{project}/runs/{run}/payload", name="payload")
def show_payload(session: ReadingDep, project: str, run: UUID) -> Response:
    """Return what the agent posted, as it was accepted."""
    return Response(
        payload_of(session, run, project),
        media_type="application/json",
        headers={"Content-Disposition": f'inline; filename="run-{run}.json"'},
    )


def results(run: RecordedRun) -> Listing:
    """Return the results of a run with one line per region and metric."""
    return Columns[Result](
        {
            "region": lambda result: result.region,
            "metric": lambda result: result.metric,
            "machine": lambda _: run.machine,
            "unit": lambda result: result.unit,
            "repetitions": lambda result: result.count,
            "minimum": lambda result: result.minimum,
            "q25": lambda result: result.low,
            "median": lambda result: result.middle,
            "q75": lambda result: result.high,
            "q95": lambda result: result.q95,
            "synchronisation": lambda result: result.synchronisation,
            "late": lambda result: result.late,
            "flags": lambda result: ", ".join(result.flags),
            "reason": lambda result: result.reason,
        }
    ).listing(zip(run.results))


def overview(run: RecordedRun) -> Listing:
    """Return the results of a run as its page shows them."""
    return Columns[Result](
        {
            "Machine": lambda _: run.machine,
            "Region": lambda result: result.region,
            "Metric": lambda result: result.metric,
            "Median": lambda result: quantity(result.middle, result.unit),
            "Lower quartile": lambda result: quantity(result.low, result.unit),
            "Upper quartile": lambda result: quantity(result.high, result.unit),
            "Repetitions": lambda result: result.count,
            "Remarks": lambda result: ", ".join(
                filter(None, [*result.flags, result.reason])
            ),
        }
    ).listing(zip(run.results))

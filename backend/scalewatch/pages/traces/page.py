"""The page of traces: which locations limit a program, and how it will go on."""

from typing import Final

from fastapi import APIRouter, Request, Response

from scalewatch.modelling.traces.efficiencies import LEAST
from scalewatch.pages.rendering.delay import DELAY
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.rendering.plots import plots_of
from scalewatch.pages.rendering.templates import Query, render
from scalewatch.pages.scaling_errors_sentences import share
from scalewatch.pages.traces.listings import (
    extrapolations_listing,
    gnuplot,
    times_listing,
)
from scalewatch.pages.traces.sentences import (
    KINDS,
    METRIC_NAMES,
    conclusion_sentence,
    error,
    path_sentence,
    traces_sentence,
)
from scalewatch.pages.wording.formats import number
from scalewatch.services.selection.view import View
from scalewatch.services.traces.figures import FIGURES, shown_time
from scalewatch.services.traces.scans import Repeat, TracesQuestion
from scalewatch.services.traces.traces import traces_at
from scalewatch.web.queries import TracesQuestionDep
from scalewatch.web.sessions import ReadingDep
from scalewatch.web.views import ViewDep

MOST_LOCATIONS: Final = 40
"""Locations that the page lists; exports have all."""

router = APIRouter(include_in_schema=False, dependencies=DELAY)


@router.get("/p/{project}/traces", name="traces")  # noqa: FAST003, the view
def show_traces(
    request: Request,
    session: ReadingDep,
    view: ViewDep,
    asked: TracesQuestionDep,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show where a program spends its time in MPI, and how that grows."""
    shown = traces_at(session, view, asked)
    label = shown.commit.label if shown.commit else "none"
    if wanted is not Format.HTML:
        name = f"{shown.project}-{label}-traces"
        return download(wanted, name, shown, times_listing, extrapolations_listing)
    query = query_of(view, asked)
    region = shown.location.region if shown.location else None
    return render(
        request,
        "traces/show.html",
        shown=shown,
        query=query,
        plots=plots_of(
            request, "trace-figure", FIGURES, shown, {"project": shown.project, **query}
        ),
        lead=shown.chosen and traces_sentence(shown.chosen),
        conclusion_sentence=conclusion_sentence,
        path_sentence=path_sentence,
        time=shown.chosen and shown_time(shown.chosen, region),
        other_time=shown.other and shown_time(shown.other.traced, region),
        metric_names=METRIC_NAMES,
        kinds=KINDS,
        error=error,
        least=LEAST,
        most=MOST_LOCATIONS,
        share=share,
        server=str(request.base_url).rstrip("/"),
    )


@router.get("/p/{project}/traces.gp", name="traces-gnuplot")  # noqa: FAST003, the view
def show_gnuplot(
    session: ReadingDep, view: ViewDep, asked: TracesQuestionDep
) -> Response:
    """Return the publication's figures as one program of gnuplot, data included."""
    return Response(
        gnuplot(traces_at(session, view, asked)),
        media_type="text/plain",
        headers={"Content-Disposition": 'inline; filename="traces.gp"'},
    )


def query_of(view: View, asked: TracesQuestion) -> Query:
    """Return the whole state of the page; what was not asked for is left out."""
    return {
        "commit": view.commit,
        "metric": view.metric,
        "machine": view.machine,
        "configuration": view.settings,
        "location": asked.location,
        "target": None if asked.target is None else number(asked.target),
        "repeat": asked.repeat if asked.repeat is not Repeat.BEST else None,
        "vs": asked.vs,
    }

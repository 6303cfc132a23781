"""Traces: overhead by source location over the number of processes, and figures."""

from typing import Annotated

from fastapi import Path, Response

from scalewatch.api.http.answers import answer, answers, figure_answer
from scalewatch.api.http.problems import problems
from scalewatch.api.http.routers import api_router
from scalewatch.errors import NotFound
from scalewatch.services.traces.figures import FIGURES
from scalewatch.services.traces.traces import Traces, traces_at
from scalewatch.web.queries import TracesQuestionDep
from scalewatch.web.sessions import ReadingDep
from scalewatch.web.views import ViewDep

router = api_router("traces")


@router.get(
    "/projects/{project}/traces",
    responses=answers(Traces, 404, 409, 422),
)
def show_traces(
    session: ReadingDep, view: ViewDep, asked: TracesQuestionDep
) -> Response:
    """Return where a program spends its time in MPI, and how that grows."""
    return answer(traces_at(session, view, asked))


@router.get(
    "/figures/traces-{figure}", name="trace-figure", responses=problems(404, 409, 422)
)
def show_figure(
    session: ReadingDep,
    view: ViewDep,
    asked: TracesQuestionDep,
    figure: Annotated[
        str,
        Path(description="`extrapolation`, `times`, `waits` or `efficiencies`"),
    ],
) -> Response:
    """Return a figure of traces: times, extrapolations, waits or efficiencies."""
    draw = FIGURES.get(figure)
    if draw is None:
        raise NotFound("figure", f"traces-{figure}")
    return figure_answer(draw(traces_at(session, view, asked)))

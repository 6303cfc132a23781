"""Scaling errors: the pairs of scales of a region, and their figures."""

from typing import Annotated

import plotly.graph_objects as go
from fastapi import APIRouter, Depends, Path, Query, Response

from scalewatch.api.answers import answer, answers, figure_answer
from scalewatch.api.dependencies import ReadingDep
from scalewatch.api.problems import problems
from scalewatch.api.scaling_schemas import RegionScaling
from scalewatch.api.views import ViewDep
from scalewatch.errors import NotFound
from scalewatch.services.error_figures import FIGURES
from scalewatch.services.scaling_errors import scaling_errors_at
from scalewatch.services.scaling_questions import Question

router = APIRouter(tags=["scaling errors"])


def question(  # noqa: PLR0913, PLR0917 - one per parameter of the query
    kind: Annotated[
        str | None, Query(description="`strong` unless given, or `weak`.")
    ] = None,
    size: Annotated[
        str | None, Query(description="Problem size at n₁; the best unless given.")
    ] = None,
    base: Annotated[
        str | None, Query(description="n₁ of the row; the smallest unless given.")
    ] = None,
    source: Annotated[
        str | None, Query(description="`measured` unless given, or `model`.")
    ] = None,
    to: Annotated[
        str | None, Query(description="Largest scale of a model's errors.")
    ] = None,
    vs: Annotated[
        str | None,
        Query(description="What to compare with.", examples=["commit=v5.0.8"]),
    ] = None,
) -> Question:
    """Read which scaling errors are asked for."""
    return Question.stated(kind, size, base, source, to, vs)


QuestionDep = Annotated[Question, Depends(question)]
RegionQuery = Annotated[
    str | None, Query(description="The first by name unless given.")
]


@router.get(
    "/projects/{project}/scaling-error",  # noqa: FAST003 - the view reads the project
    responses=answers(RegionScaling, 404, 409, 422),
)
def show_scaling_errors(
    session: ReadingDep, view: ViewDep, asked: QuestionDep, region: RegionQuery = None
) -> Response:
    """Return the strong or weak scaling errors of a region between all scales."""
    return answer(scaling_errors_at(session, view, region, asked))


@router.get(
    "/figures/scaling-error-{figure}",
    name="scaling-error-figure",
    responses=problems(404, 409, 422),
)
def show_figure(
    session: ReadingDep,
    view: ViewDep,
    asked: QuestionDep,
    figure: Annotated[str, Path(description="`contours`, `rows` or `difference`")],
    region: RegionQuery = None,
) -> Response:
    """Return a figure of scaling errors: contours, one row of them, or a difference."""
    draw = FIGURES.get(figure)
    if draw is None:
        raise NotFound("figure", f"scaling-error-{figure}")
    drawn: go.Figure = draw(scaling_errors_at(session, view, region, asked))
    return figure_answer(drawn)

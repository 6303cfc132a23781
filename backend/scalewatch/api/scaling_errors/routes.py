"""Scaling errors: the pairs of scales of a region, and their figures."""

from typing import Annotated

from fastapi import Path, Query, Response

from scalewatch.api.http.answers import answer, answers, figure_answer
from scalewatch.api.http.problems import problems
from scalewatch.api.http.routers import api_router
from scalewatch.errors import NotFound
from scalewatch.figures.figure import Figure
from scalewatch.services.scaling_errors.figures import FIGURES
from scalewatch.services.scaling_errors.region import RegionScaling, scaling_errors_at
from scalewatch.web.queries import ScalingQuestionDep
from scalewatch.web.sessions import ReadingDep
from scalewatch.web.views import ViewDep

router = api_router("scaling errors")


RegionQuery = Annotated[
    str | None,
    Query(description="The one that most often scales unlike expected unless given."),
]


@router.get(
    "/projects/{project}/scaling-error",
    responses=answers(RegionScaling, 404, 409, 422),
)
def show_scaling_errors(
    session: ReadingDep,
    view: ViewDep,
    asked: ScalingQuestionDep,
    region: RegionQuery = None,
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
    asked: ScalingQuestionDep,
    figure: Annotated[
        str,
        Path(
            description="`efficiency` or `efficiency-rows`; of the errors `contours`, "
            "`rows` or `difference`"
        ),
    ],
    region: RegionQuery = None,
) -> Response:
    """Return a figure of efficiencies or scaling errors: contours, a row of them."""
    draw = FIGURES.get(figure)
    if draw is None:
        raise NotFound("figure", f"scaling-error-{figure}")
    drawn: Figure = draw(scaling_errors_at(session, view, region, asked))
    return figure_answer(drawn)

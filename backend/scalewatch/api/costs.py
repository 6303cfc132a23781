"""Costs: shares of all regions over the number of processes, and their figure."""

from typing import Annotated

from fastapi import Path, Query, Response

from scalewatch.api.http.answers import answer, answers, figure_answer
from scalewatch.api.http.problems import problems
from scalewatch.api.http.routers import api_router
from scalewatch.errors import NotFound
from scalewatch.services.costs.cost import Cost, cost_at
from scalewatch.services.costs.figures import FIGURES
from scalewatch.services.regions.outlook import LARGEST_TARGET
from scalewatch.web.sessions import ReadingDep
from scalewatch.web.views import ViewDep

TargetQuery = Annotated[
    float | None,
    Query(
        gt=0,
        le=LARGEST_TARGET,
        description="Processes up to which shares are told; 16 times the most measured "
        "unless given.",
        examples=[65536],
    ),
]

router = api_router("costs")


@router.get(
    "/projects/{project}/cost",
    responses=answers(Cost, 404, 409, 422),
)
def show_cost(
    session: ReadingDep, view: ViewDep, target: TargetQuery = None
) -> Response:
    """Return what the regions of a machine cost, most expensive first."""
    return answer(cost_at(session, view, target))


@router.get(
    "/figures/cost-{figure}", name="cost-figure", responses=problems(404, 409, 422)
)
def show_figure(
    session: ReadingDep,
    view: ViewDep,
    figure: Annotated[str, Path(description="`shares`")],
    target: TargetQuery = None,
) -> Response:
    """Return the shares of regions over the number of processes, stacked."""
    draw = FIGURES.get(figure)
    if draw is None:
        raise NotFound("figure", f"cost-{figure}")
    return figure_answer(draw(cost_at(session, view, target)))

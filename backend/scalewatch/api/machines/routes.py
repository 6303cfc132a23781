"""Machine lines: the time over the problem size, machine against machine."""

from typing import Annotated

from fastapi import Query, Response

from scalewatch.api.http.answers import answer, answers, figure_answer
from scalewatch.api.http.problems import problems
from scalewatch.api.http.routers import api_router
from scalewatch.services.machines.lines import (
    MachineLines,
    lines_figure,
    machine_lines_at,
)
from scalewatch.web.queries import Scale
from scalewatch.web.sessions import ReadingDep
from scalewatch.web.views import ViewDep

router = api_router("machines")

RegionQuery = Annotated[
    str | None,
    Query(description="The one that most often scales unlike expected unless given."),
]
ScaleQuery = Annotated[
    Scale,
    Query(description="p of all that is compared; where most was measured by default."),
]


@router.get(
    "/projects/{project}/machine-lines",
    responses=answers(MachineLines, 404, 409, 422),
)
def show_machine_lines(
    session: ReadingDep,
    view: ViewDep,
    region: RegionQuery = None,
    scale: ScaleQuery = None,
) -> Response:
    """Return how the time of a region grows with the problem size on each machine."""
    return answer(machine_lines_at(session, view, region, scale))


@router.get(
    "/figures/machine-lines",
    name="machine-lines-figure",
    responses=problems(404, 409, 422),
)
def show_figure(
    session: ReadingDep,
    view: ViewDep,
    region: RegionQuery = None,
    scale: ScaleQuery = None,
) -> Response:
    """Return the figure of the same."""
    shown = machine_lines_at(session, view, region, scale)
    return figure_answer(lines_figure(shown))

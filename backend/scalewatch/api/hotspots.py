"""Hotspots: where the profile of a code changes, and the figures of it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from scalewatch.api.answers import answer, answers, figure_answer
from scalewatch.api.dependencies import ReadingDep
from scalewatch.api.hotspot_schemas import Hotspots
from scalewatch.api.problems import problems
from scalewatch.api.views import ViewDep
from scalewatch.errors import NotFound
from scalewatch.services.hotspot_figures import FIGURES
from scalewatch.services.hotspot_questions import HotspotQuestion
from scalewatch.services.hotspots import hotspots_at

router = APIRouter(tags=["hotspots"])


def question(  # noqa: PLR0913, PLR0917 - one per parameter of the query
    over: Annotated[
        str | None, Query(description="Parameter of the scan, such as `p`.")
    ] = None,
    held: Annotated[
        str | None, Query(description="Which scan, by what it holds fixed.")
    ] = None,
    against: Annotated[
        str | None, Query(description="`previous` unless given, or `first`.")
    ] = None,
    correction: Annotated[
        str | None, Query(description="`holm` unless given, or `benjamini-hochberg`.")
    ] = None,
    unit: Annotated[
        str | None, Query(description="Seconds that count as one in χ².")
    ] = None,
    at: Annotated[
        str | None, Query(description="Setting whose profile is shown in full.")
    ] = None,
    vs: Annotated[
        str | None,
        Query(description="What to compare with.", examples=["commit=v1.2"]),
    ] = None,
) -> HotspotQuestion:
    """Read which profiles are compared."""
    return HotspotQuestion.stated(over, held, against, correction, unit, at, vs)


QuestionDep = Annotated[HotspotQuestion, Depends(question)]


@router.get(
    "/projects/{project}/hotspots",  # noqa: FAST003 - the view reads the project
    responses=answers(Hotspots, 404, 409, 422),
)
def show_hotspots(session: ReadingDep, view: ViewDep, asked: QuestionDep) -> Response:
    """Return how the profiles of a commit change over scale, size or configuration."""
    return answer(hotspots_at(session, view, asked))


@router.get(
    "/figures/hotspots-{figure}",
    name="hotspot-figure",
    responses=problems(404, 409, 422),
)
def show_figure(
    session: ReadingDep,
    view: ViewDep,
    asked: QuestionDep,
    figure: Annotated[str, Path(description="`differences`, `shares` or `movements`")],
) -> Response:
    """Return a figure of hotspots: differences, shares, or two profiles."""
    draw = FIGURES.get(figure)
    if draw is None:
        raise NotFound("figure", f"hotspots-{figure}")
    return figure_answer(draw(hotspots_at(session, view, asked)))

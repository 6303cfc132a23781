"""Hotspots: where the profile of a code changes, and the figures of it."""

from typing import Annotated

from fastapi import Path, Response

from scalewatch.api.http.answers import answer, answers, figure_answer
from scalewatch.api.http.problems import problems
from scalewatch.api.http.routers import api_router
from scalewatch.errors import NotFound
from scalewatch.services.hotspots.figures import FIGURES
from scalewatch.services.hotspots.scans import Hotspots, hotspots_at
from scalewatch.web.queries import HotspotQuestionDep
from scalewatch.web.sessions import ReadingDep
from scalewatch.web.views import ViewDep

router = api_router("hotspots")


@router.get(
    "/projects/{project}/hotspots",
    responses=answers(Hotspots, 404, 409, 422),
)
def show_hotspots(
    session: ReadingDep, view: ViewDep, asked: HotspotQuestionDep
) -> Response:
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
    asked: HotspotQuestionDep,
    figure: Annotated[str, Path(description="`differences`, `shares` or `movements`")],
) -> Response:
    """Return a figure of hotspots: differences, shares, or two profiles."""
    draw = FIGURES.get(figure)
    if draw is None:
        raise NotFound("figure", f"hotspots-{figure}")
    return figure_answer(draw(hotspots_at(session, view, asked)))

"""Configurations: the best one of a region, what matters, and figures of it."""

from typing import Annotated

from fastapi import Path, Query, Response

from scalewatch.api.http.answers import answer, answers, figure_answer
from scalewatch.api.http.problems import problems
from scalewatch.api.http.routers import api_router
from scalewatch.errors import NotFound
from scalewatch.services.configurations import (
    FIGURES,
    ConfigurationSearch,
    search_configurations,
)
from scalewatch.web.queries import ConfigurationQuestionDep
from scalewatch.web.sessions import ReadingDep
from scalewatch.web.views import ViewDep

router = api_router("configurations")


RegionQuery = Annotated[
    str | None,
    Query(description="The one that most often scales unlike expected unless given."),
]


@router.get(
    "/projects/{project}/configurations",
    responses=answers(ConfigurationSearch, 404, 409, 422),
)
def show_configurations(
    session: ReadingDep,
    view: ViewDep,
    asked: ConfigurationQuestionDep,
    region: RegionQuery = None,
) -> Response:
    """Return the best configuration of a region, and which settings matter."""
    return answer(search_configurations(session, view, region, asked))


@router.get(
    "/figures/configurations-{figure}",
    name="configuration-figure",
    responses=problems(404, 409, 422),
)
def show_figure(
    session: ReadingDep,
    view: ViewDep,
    asked: ConfigurationQuestionDep,
    figure: Annotated[str, Path(description="`main-effects` or `interaction`")],
    region: RegionQuery = None,
) -> Response:
    """Return a figure of configurations: main effects, or the largest interaction."""
    draw = FIGURES.get(figure)
    if draw is None:
        raise NotFound("figure", f"configurations-{figure}")
    return figure_answer(draw(search_configurations(session, view, region, asked)))

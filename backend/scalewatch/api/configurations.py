"""Configurations: the best one of a region, what matters, and figures of it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from scalewatch.api.answers import answer, answers, figure_answer
from scalewatch.api.configuration_schemas import ConfigurationSearch
from scalewatch.api.dependencies import ReadingDep
from scalewatch.api.problems import problems
from scalewatch.api.views import ViewDep
from scalewatch.errors import NotFound
from scalewatch.services.configuration_figures import FIGURES
from scalewatch.services.configuration_questions import ConfigurationQuestion
from scalewatch.services.configuration_search import search_configurations

router = APIRouter(tags=["configurations"])


def question(  # noqa: PLR0913, PLR0917 - one per parameter of the query
    objective: Annotated[
        str | None,
        Query(description="`area` unless given, `growth`, `correlation` or `time`."),
    ] = None,
    kind: Annotated[
        str | None, Query(description="`strong` unless given, or `weak`.")
    ] = None,
    target: Annotated[
        str | None, Query(description="p at which the time counts.")
    ] = None,
    size: Annotated[str | None, Query(description="Problem size.")] = None,
    where: Annotated[
        list[str] | None,
        Query(
            description="Levels that a setting may have.", examples=[["threads=1|2"]]
        ),
    ] = None,
    declare: Annotated[
        list[str] | None,
        Query(
            description="Levels that belong to the space, run or not.",
            examples=[["threads=1|2|4|8"]],
        ),
    ] = None,
) -> ConfigurationQuestion:
    """Read what is looked for."""
    return ConfigurationQuestion.stated(
        objective, kind, target, size, where or [], declare or []
    )


QuestionDep = Annotated[ConfigurationQuestion, Depends(question)]
RegionQuery = Annotated[
    str | None, Query(description="The first by name unless given.")
]


@router.get(
    "/projects/{project}/configurations",  # noqa: FAST003 - the view reads the project
    responses=answers(ConfigurationSearch, 404, 409, 422),
)
def show_configurations(
    session: ReadingDep, view: ViewDep, asked: QuestionDep, region: RegionQuery = None
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
    asked: QuestionDep,
    figure: Annotated[str, Path(description="`main-effects` or `interaction`")],
    region: RegionQuery = None,
) -> Response:
    """Return a figure of configurations: main effects, or the largest interaction."""
    draw = FIGURES.get(figure)
    if draw is None:
        raise NotFound("figure", f"configurations-{figure}")
    return figure_answer(draw(search_configurations(session, view, region, asked)))

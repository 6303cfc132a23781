"""Figures as plotly JSON, for the pages and for notebooks."""

from typing import Annotated

from fastapi import Path, Query, Response

from scalewatch.api.http.answers import api_router, figure_answer
from scalewatch.api.http.problems import problems
from scalewatch.errors import NotFound
from scalewatch.services.histories.commits import Axis, Window
from scalewatch.services.histories.histories import history_figure
from scalewatch.services.regions import figures, outlook, preview
from scalewatch.services.regions.region import region_at
from scalewatch.services.regressions.evidence import evidence_figure
from scalewatch.web import queries, sessions

TargetQuery = Annotated[
    float | None,
    Query(
        gt=0,
        le=outlook.LARGEST_TARGET,
        description="Setting of the parameter up to which the interval is drawn.",
        examples=[65536],
    ),
]

router = api_router("figures", "/figures")


@router.get(
    "/regression-{figure}", name="regression-figure", responses=problems(404, 422)
)
def show_regression_figure(
    session: sessions.ReadingDep,
    project: str,
    regression: queries.RegressionId,
    figure: Annotated[str, Path(description="`curves` or `strip`")],
    series: Annotated[int, Query(ge=0, description="Its place, worst first.")] = 0,
) -> Response:
    """Return the curves of a series before and after a change, or a strip of it."""
    return figure_answer(evidence_figure(session, project, regression, figure, series))


@router.get("/history", name="history-figure", responses=problems(404, 409, 422))
def show_history_figure(
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    region: str,
    before: Annotated[
        str | None, Query(description="Only older ones: hash, its beginning, or tag.")
    ] = None,
    axis: Annotated[
        Axis, Query(description="What commits are spaced by.")
    ] = Axis.COMMIT,
) -> Response:
    """Return the exponent of a region over the commits that a machine measured."""
    window = Window(before or None)
    by_date = axis is Axis.DATE
    return figure_answer(history_figure(session, view, region, window, by_date=by_date))


@router.get(
    "/{figure}", name="figure", summary="Show Figure", responses=problems(404, 409, 422)
)
def show_figure(  # noqa: PLR0913, PLR0917 - one per parameter of the query
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    figure: Annotated[str, Path(description=f"one of {', '.join(figures.FIGURES)}")],
    region: str,
    target: TargetQuery = None,
    under: Annotated[
        str | None,
        Query(description="A commit whose curve lies under that of one scan."),
    ] = None,
    expected: Annotated[
        str | None,
        Query(
            max_length=1000,
            description="A growth drawn as expected, instead of the one in force.",
            examples=["p log p"],
        ),
    ] = None,
    deviation_limit: Annotated[
        str | None, Query(max_length=1000, description="How far it may be off.")
    ] = None,
) -> Response:
    """Return a figure: `scaling` of a region on one machine, or on all `machines`.

    `slices` shows a scan over several parameters, `residuals` how far measurements
    lie from their model, `composed` the model composed of other regions.
    """
    draw = figures.FIGURES.get(figure)
    if draw is None:
        raise NotFound("figure", figure)
    shown = region_at(session, view, region)
    expectation = None
    if expected:
        expectation = preview.declared_as(shown, expected, deviation_limit or None)
    asked_for = figures.Overlay(target, under or None, expectation)
    return figure_answer(draw(session, shown, asked_for))

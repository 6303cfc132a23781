"""Results of a commit: each as JSON, and the figures that are drawn of it.

Figures are plotly's JSON, for the pages and for notebooks.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, Final, NamedTuple, TypeVar

from fastapi import APIRouter, Depends, Path, Query, Response

from scalewatch.api.http import answers, problems
from scalewatch.errors import NotFound
from scalewatch.figures.figure import Figure
from scalewatch.services import configurations as searches
from scalewatch.services import costs as costing
from scalewatch.services import hotspots as profiled
from scalewatch.services.histories.commits import Axis, Measure, Span, Window
from scalewatch.services.histories.histories import history_figure
from scalewatch.services.machines import lines
from scalewatch.services.regions import efficiency, preview
from scalewatch.services.regions import figures as region_figures
from scalewatch.services.regions.outlook import LARGEST_TARGET
from scalewatch.services.regions.region import region_at
from scalewatch.services.regressions.evidence import evidence_figure
from scalewatch.services.scaling_errors import region as scalings
from scalewatch.services.traces import traces as programs
from scalewatch.web import queries, sessions

Shown = TypeVar("Shown")

Find = Callable[[], Shown]
"""Finds a result once all of its question is read."""

STATUSES: Final = (404, 409, 422)

CostTarget = Annotated[
    float | None,
    Query(
        gt=0,
        le=LARGEST_TARGET,
        description="Processes up to which shares are told; 16 times the most measured "
        "unless given.",
        examples=[65536],
    ),
]
Region = Annotated[
    str | None,
    Query(description="The one that most often scales unlike expected unless given."),
]
LinesScale = Annotated[
    queries.Scale,
    Query(description="p of all that is compared; where most was measured by default."),
]


async def find_cost(
    session: sessions.ReadingDep, view: queries.ViewDep, target: CostTarget = None
) -> Find[costing.Cost]:
    """Return what the regions of a machine cost, most expensive first."""
    return partial(costing.cost_at, session, view, target)


async def find_configurations(
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    question: queries.ConfigurationQuestionDep,
    region: Region = None,
) -> Find[searches.ConfigurationSearch]:
    """Return the best configuration of a region, and which settings matter."""
    return partial(searches.search_configurations, session, view, region, question)


async def find_hotspots(
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    question: queries.HotspotQuestionDep,
) -> Find[profiled.Hotspots]:
    """Return how the profiles of a commit change over scale, size or configuration."""
    return partial(profiled.hotspots_at, session, view, question)


async def find_machine_lines(
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    region: Region = None,
    scale: LinesScale = None,
) -> Find[lines.MachineLines]:
    """Read which region and scale machines are compared at."""
    return partial(lines.machine_lines_at, session, view, region, scale)


async def find_scaling_errors(
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    question: queries.ScalingQuestionDep,
    region: Region = None,
) -> Find[scalings.RegionScaling]:
    """Return the strong or weak scaling errors of a region between all scales."""
    return partial(scalings.scaling_errors_at, session, view, region, question)


async def find_efficiency(
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    question: queries.EfficiencyQuestionDep,
    region: Region = None,
) -> Find[efficiency.RegionEfficiency]:
    """Return speed-up, efficiency and cost of a region at each size of its scan."""
    return partial(efficiency.efficiency_at, session, view, region, question)


async def find_traces(
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    question: queries.TracesQuestionDep,
) -> Find[programs.Traces]:
    """Return where a program spends its time in MPI, and how that grows."""
    return partial(programs.traces_at, session, view, question)


class Figures(NamedTuple):
    """The figures of a result.

    Parameters
    ----------
    route
        The name of their route.
    names, drawn
        Their names and what they show, for the description.
    draws
        By name, the figure of a result.
    """

    route: str
    names: str
    drawn: str
    draws: Mapping[str, Callable[[Any], Figure]]


def result_router(
    tag: str, path: str, find: Callable[..., Any], kind: type[Any], figures: Figures
) -> APIRouter:
    """Return the routes of a result: itself below a project, and its figures.

    Parameters
    ----------
    path
        How the address of the result ends, and those of its figures begin.
    find
        Reads the question of both routes; its docstring describes the result.
    kind
        The dataclass that is answered.
    """
    router = answers.api_router(tag)

    def show(
        result: Annotated[Find[Any], Depends(find)],
        cursor: queries.CursorQuery = None,
    ) -> Response:
        return answers.answer(result(), cursor)

    def show_figure(
        result: Annotated[Find[Any], Depends(find)],
        figure: Annotated[str, Path(description=figures.names)],
        wanted: answers.DrawnQuery = answers.Drawn.JSON,
    ) -> Response:
        draw = figures.draws.get(figure)
        if draw is None:
            raise NotFound("figure", f"{path}-{figure}")
        shown = result()
        return answers.figure_answer(draw(shown), wanted, figure, of=shown)

    router.add_api_route(
        f"/projects/{{project}}/{path}",
        show,
        name=find.__name__.replace("find", "show"),
        description=find.__doc__,
        responses=answers.of(kind, *STATUSES),
    )
    router.add_api_route(
        f"/figures/{path}-{{figure}}",
        show_figure,
        name=figures.route,
        description=figures.drawn,
        responses=problems.of(*STATUSES),
    )
    return router


efficiencies = result_router(
    "efficiency",
    "efficiency",
    find_efficiency,
    efficiency.RegionEfficiency,
    Figures(
        "efficiency-figure",
        "`time`, `speed-up` or `efficiency`",
        "Return a figure of a scan: its times, its speed-up or its efficiency.",
        efficiency.FIGURES,
    ),
)
scaling_errors = result_router(
    "scaling errors",
    "scaling-error",
    find_scaling_errors,
    scalings.RegionScaling,
    Figures(
        "scaling-error-figure",
        "`efficiency` or `efficiency-rows`; of the errors `contours`, `rows` or "
        "`difference`",
        "Return a figure of efficiencies or scaling errors: contours, a row of them.",
        scalings.FIGURES,
    ),
)
hotspots = result_router(
    "hotspots",
    "hotspots",
    find_hotspots,
    profiled.Hotspots,
    Figures(
        "hotspot-figure",
        "`differences`, `shares` or `movements`",
        "Return a figure of hotspots: differences, shares, or two profiles.",
        profiled.FIGURES,
    ),
)
traces = result_router(
    "traces",
    "traces",
    find_traces,
    programs.Traces,
    Figures(
        "trace-figure",
        "`extrapolation`, `times`, `waits` or `efficiencies`",
        "Return a figure of traces: times, extrapolations, waits or efficiencies.",
        programs.FIGURES,
    ),
)
costs = result_router(
    "costs",
    "cost",
    find_cost,
    costing.Cost,
    Figures(
        "cost-figure",
        "`shares`",
        "Return the shares of regions over the number of processes, stacked.",
        costing.FIGURES,
    ),
)
configurations = result_router(
    "configurations",
    "configurations",
    find_configurations,
    searches.ConfigurationSearch,
    Figures(
        "configuration-figure",
        "`main-effects` or `interaction`",
        "Return a figure of configurations: main effects, or the largest interaction.",
        searches.FIGURES,
    ),
)

machine_lines = answers.api_router("machines")


@machine_lines.get(
    "/projects/{project}/machine-lines",
    name="show_machine_lines",
    responses=answers.of(lines.MachineLines, *STATUSES),
)
def show_machine_lines(
    result: Annotated[Find[lines.MachineLines], Depends(find_machine_lines)],
) -> Response:
    """Return how the time of a region grows with the problem size on each machine."""
    return answers.answer(result())


@machine_lines.get(
    "/figures/machine-lines",
    name="machine-lines-figure",
    responses=problems.of(*STATUSES),
)
def show_lines_figure(
    result: Annotated[Find[lines.MachineLines], Depends(find_machine_lines)],
    wanted: answers.DrawnQuery = answers.Drawn.JSON,
) -> Response:
    """Return the figure of the same."""
    shown = result()
    title = "time over the problem size"
    return answers.figure_answer(lines.lines_figure(shown), wanted, title, of=shown)


TargetQuery = Annotated[
    float | None,
    Query(
        gt=0,
        le=LARGEST_TARGET,
        description="Setting of the parameter up to which the interval is drawn.",
        examples=[65536],
    ),
]

figures = answers.api_router("figures", "/figures")


@figures.get(
    "/regression-{figure}", name="regression-figure", responses=problems.of(404, 422)
)
def show_regression_figure(  # noqa: PLR0913, PLR0917 - one per parameter
    session: sessions.ReadingDep,
    project: str,
    regression: queries.RegressionId,
    figure: Annotated[str, Path(description="`curves` or `strip`")],
    series: Annotated[int, Query(ge=0, description="Its place, worst first.")] = 0,
    wanted: answers.DrawnQuery = answers.Drawn.JSON,
) -> Response:
    """Return the curves of a series before and after a change, or a strip of it."""
    drawn = evidence_figure(session, project, regression, figure, series)
    title = f"{project} · regression {regression}"
    return answers.figure_answer(drawn, wanted, title, figure, of=None)


@figures.get("/history", name="history-figure", responses=problems.of(404, 409, 422))
def show_history_figure(  # noqa: PLR0913, PLR0917 - one per parameter of the query
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    region: str,
    before: Annotated[
        str | None, Query(description="Only older ones: hash, its beginning, or tag.")
    ] = None,
    axis: Annotated[
        Axis, Query(description="What commits are spaced by.")
    ] = Axis.COMMIT,
    show: Annotated[
        Measure, Query(description="Values at the largest setting, or exponents.")
    ] = Measure.VALUE,
    last: Annotated[Span, Query(description="How many commits.")] = Span.USUAL,
    wanted: answers.DrawnQuery = answers.Drawn.JSON,
) -> Response:
    """Return a region over the commits that a machine measured."""
    window, by_date = Window(before or None, last.limit), axis is Axis.DATE
    drawn = history_figure(session, view, region, window, by_date=by_date, shown=show)
    return answers.figure_answer(drawn, wanted, region, "history", of=view)


@figures.get(
    "/{figure}",
    name="figure",
    summary="Show Figure",
    responses=problems.of(404, 409, 422),
)
def show_figure(  # noqa: PLR0913, PLR0917 - one per parameter of the query
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    figure: Annotated[
        str, Path(description=f"one of {', '.join(region_figures.FIGURES)}")
    ],
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
    wanted: answers.DrawnQuery = answers.Drawn.JSON,
) -> Response:
    """Return a figure: `scaling` of a region on one machine, or on all `machines`.

    `slices` shows a scan over several parameters, `residuals` how far measurements
    lie from their model, `composed` the model composed of other regions.
    """
    draw = region_figures.FIGURES.get(figure)
    if draw is None:
        raise NotFound("figure", figure)
    shown = region_at(session, view, region)
    expectation = None
    if expected:
        expectation = preview.declared_as(shown, expected, deviation_limit or None)
    asked_for = region_figures.Overlay(target, under or None, expectation)
    drawn = draw(session, shown, asked_for)
    machines = {scan.machine for scan in shown.scans} - {shown.machine}
    title = (figure, *(machines if len(machines) == 1 else ()))
    return answers.figure_answer(drawn, wanted, *title, of=shown)

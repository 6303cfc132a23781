"""Results of a commit: each as JSON, and the figures that are drawn of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final, TypeVar

from fastapi import APIRouter, Depends, Path, Query, Response

from scalewatch.api.http import answers, problems
from scalewatch.errors import NotFound
from scalewatch.figures.figure import Figure
from scalewatch.services.configurations import FIGURES as CONFIGURATION_FIGURES
from scalewatch.services.configurations import (
    ConfigurationSearch,
    search_configurations,
)
from scalewatch.services.costs import figures as cost_figures
from scalewatch.services.costs.cost import Cost, cost_at
from scalewatch.services.hotspots import scans
from scalewatch.services.machines import lines
from scalewatch.services.regions.outlook import LARGEST_TARGET
from scalewatch.services.scaling_errors.region import FIGURES as SCALING_ERROR_FIGURES
from scalewatch.services.scaling_errors.region import RegionScaling, scaling_errors_at
from scalewatch.services.traces.traces import FIGURES as TRACE_FIGURES
from scalewatch.services.traces.traces import Traces, traces_at
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
) -> Find[Cost]:
    """Return what the regions of a machine cost, most expensive first."""
    return partial(cost_at, session, view, target)


async def find_configurations(
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    question: queries.ConfigurationQuestionDep,
    region: Region = None,
) -> Find[ConfigurationSearch]:
    """Return the best configuration of a region, and which settings matter."""
    return partial(search_configurations, session, view, region, question)


async def find_hotspots(
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    question: queries.HotspotQuestionDep,
) -> Find[scans.Hotspots]:
    """Return how the profiles of a commit change over scale, size or configuration."""
    return partial(scans.hotspots_at, session, view, question)


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
) -> Find[RegionScaling]:
    """Return the strong or weak scaling errors of a region between all scales."""
    return partial(scaling_errors_at, session, view, region, question)


async def find_traces(
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    question: queries.TracesQuestionDep,
) -> Find[Traces]:
    """Return where a program spends its time in MPI, and how that grows."""
    return partial(traces_at, session, view, question)


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a result: `/figures/{prefix}-{figure}`.

    Parameters
    ----------
    name
        Of their route.
    names, drawn
        Their names and what they show, for the description.
    draws
        By name, the figure of a result.
    """

    prefix: str
    name: str
    names: str
    drawn: str
    draws: Mapping[str, Callable[[Any], Figure]]


def result_router(
    tag: str, path: str, find: Callable[..., Any], kind: type[Any], figures: Figures
) -> APIRouter:
    """Return the routes of a result: itself below a project, and its figures.

    Parameters
    ----------
    find
        Reads the question of both routes; its docstring describes the result.
    kind
        The dataclass that is answered.
    """
    router = answers.api_router(tag)

    def show(result: Annotated[Find[Any], Depends(find)]) -> Response:
        return answers.answer(result())

    def show_figure(
        result: Annotated[Find[Any], Depends(find)],
        figure: Annotated[str, Path(description=figures.names)],
    ) -> Response:
        draw = figures.draws.get(figure)
        if draw is None:
            raise NotFound("figure", f"{figures.prefix}-{figure}")
        return answers.figure_answer(draw(result()))

    router.add_api_route(
        f"/projects/{{project}}/{path}",
        show,
        name=find.__name__.replace("find", "show"),
        description=find.__doc__,
        responses=answers.answers(kind, *STATUSES),
    )
    router.add_api_route(
        f"/figures/{figures.prefix}-{{figure}}",
        show_figure,
        name=figures.name,
        description=figures.drawn,
        responses=problems.problems(*STATUSES),
    )
    return router


scaling_errors = result_router(
    "scaling errors",
    "scaling-error",
    find_scaling_errors,
    RegionScaling,
    Figures(
        "scaling-error",
        "scaling-error-figure",
        "`efficiency` or `efficiency-rows`; of the errors `contours`, `rows` or "
        "`difference`",
        "Return a figure of efficiencies or scaling errors: contours, a row of them.",
        SCALING_ERROR_FIGURES,
    ),
)
hotspots = result_router(
    "hotspots",
    "hotspots",
    find_hotspots,
    scans.Hotspots,
    Figures(
        "hotspots",
        "hotspot-figure",
        "`differences`, `shares` or `movements`",
        "Return a figure of hotspots: differences, shares, or two profiles.",
        scans.FIGURES,
    ),
)
traces = result_router(
    "traces",
    "traces",
    find_traces,
    Traces,
    Figures(
        "traces",
        "trace-figure",
        "`extrapolation`, `times`, `waits` or `efficiencies`",
        "Return a figure of traces: times, extrapolations, waits or efficiencies.",
        TRACE_FIGURES,
    ),
)
costs = result_router(
    "costs",
    "cost",
    find_cost,
    Cost,
    Figures(
        "cost",
        "cost-figure",
        "`shares`",
        "Return the shares of regions over the number of processes, stacked.",
        cost_figures.FIGURES,
    ),
)
configurations = result_router(
    "configurations",
    "configurations",
    find_configurations,
    ConfigurationSearch,
    Figures(
        "configurations",
        "configuration-figure",
        "`main-effects` or `interaction`",
        "Return a figure of configurations: main effects, or the largest interaction.",
        CONFIGURATION_FIGURES,
    ),
)

machine_lines = answers.api_router("machines")


@machine_lines.get(
    "/projects/{project}/machine-lines",
    name="show_machine_lines",
    responses=answers.answers(lines.MachineLines, *STATUSES),
)
def show_machine_lines(
    result: Annotated[Find[lines.MachineLines], Depends(find_machine_lines)],
) -> Response:
    """Return how the time of a region grows with the problem size on each machine."""
    return answers.answer(result())


@machine_lines.get(
    "/figures/machine-lines",
    name="machine-lines-figure",
    responses=problems.problems(*STATUSES),
)
def show_lines_figure(
    result: Annotated[Find[lines.MachineLines], Depends(find_machine_lines)],
) -> Response:
    """Return the figure of the same."""
    return answers.figure_answer(lines.lines_figure(result()))

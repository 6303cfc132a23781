"""Figures as plotly JSON, for the pages and for notebooks."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Response
from sqlalchemy.orm import Session

from scalewatch.api.answers import figure_answer
from scalewatch.api.dependencies import ReadingDep
from scalewatch.api.problems import problems
from scalewatch.errors import NotFound
from scalewatch.figures.figure import Figure
from scalewatch.figures.residuals import residuals_figure
from scalewatch.figures.scaling import machines_figure, scaling_figure
from scalewatch.services.outlooks import LARGEST_TARGET, curve_forecasts
from scalewatch.services.regions import Region, region_at
from scalewatch.services.scalings import repetitions_of, scaling_of, slices_of
from scalewatch.services.scans import Scan
from scalewatch.web.views import ViewDep

NAMES: Final = ("scaling", "machines", "slices", "residuals")

TargetQuery = Annotated[
    float | None,
    Query(
        gt=0,
        le=LARGEST_TARGET,
        description="Setting of the parameter up to which the interval is drawn.",
        examples=[65536],
    ),
]

router = APIRouter(prefix="/figures", tags=["figures"])


@router.get(
    "/{figure}", name="figure", summary="Show Figure", responses=problems(404, 409, 422)
)
def show_figure(
    session: ReadingDep,
    view: ViewDep,
    figure: Annotated[str, Path(description=f"one of {', '.join(NAMES)}")],
    region: str,
    target: TargetQuery = None,
) -> Response:
    """Return a figure: `scaling` of a region on one machine, or on all `machines`.

    `slices` shows a scan over several parameters, `residuals` how far measurements
    lie from their model.
    """
    draw = FIGURES.get(figure)
    if draw is None:
        raise NotFound("figure", figure)
    drawn = draw(session, region_at(session, view, region), target)
    return figure_answer(drawn)


def _scaling(session: Session, region: Region, target: float | None) -> Figure:
    scan = region.scans[0]
    drawn = scaling_of(scan, repetitions_of(session, scan))
    if not drawn.x.size:
        return scaling_figure(drawn)
    return scaling_figure(
        replace(drawn, forecasts=curve_forecasts(session, scan, target))
    )


def _slices(_session: Session, region: Region, _target: float | None) -> Figure:
    return machines_figure(slices_of(region.scans[0]))


def _residuals(_session: Session, region: Region, _target: float | None) -> Figure:
    return residuals_figure(slices_of(region.scans[0]))


def _machines(_session: Session, region: Region, _target: float | None) -> Figure:
    by_machine: dict[str, list[Scan]] = {}
    for scan in region.scans:
        by_machine.setdefault(scan.machine, []).append(scan)
    return machines_figure(
        [
            scaling_of(scan, distinction=region.distinction(scan), position=position)
            for scans in by_machine.values()
            for position, scan in enumerate(scans)
        ]
    )


FIGURES: Final[Mapping[str, Callable[[Session, Region, float | None], Figure]]] = {
    "machines": _machines,
    "residuals": _residuals,
    "scaling": _scaling,
    "slices": _slices,
}

"""Figures as plotly JSON, for the pages and for notebooks."""

from collections.abc import Callable, Mapping
from typing import Annotated, Final

import plotly.graph_objects as go
from fastapi import APIRouter, Path, Response
from sqlalchemy.orm import Session

from scalewatch.api.answers import figure_answer
from scalewatch.api.dependencies import ReadingDep
from scalewatch.api.problems import problems
from scalewatch.api.views import ViewDep
from scalewatch.errors import NotFound
from scalewatch.figures.scaling import machines_figure, scaling_figure
from scalewatch.services.regions import Region, region_at
from scalewatch.services.scalings import repetitions_of, scaling_of
from scalewatch.services.scans import Scan

router = APIRouter(prefix="/figures", tags=["figures"])


@router.get(
    "/{figure}", name="figure", summary="Show Figure", responses=problems(404, 409, 422)
)
def show_figure(
    session: ReadingDep,
    view: ViewDep,
    figure: Annotated[str, Path(description="`scaling` or `machines`")],
    region: str,
) -> Response:
    """Return a figure: `scaling` of a region on one machine, or on all `machines`."""
    draw = FIGURES.get(figure)
    if draw is None:
        raise NotFound("figure", figure)
    drawn = draw(session, region_at(session, view, region))
    return figure_answer(drawn)


def _scaling(session: Session, region: Region) -> go.Figure:
    scan = region.scans[0]
    return scaling_figure(scaling_of(scan, repetitions_of(session, scan)))


def _machines(_session: Session, region: Region) -> go.Figure:
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


FIGURES: Final[Mapping[str, Callable[[Session, Region], go.Figure]]] = {
    "machines": _machines,
    "scaling": _scaling,
}

"""What figures draw of a region: its scans, how they scale and what they miss."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.figures.compositions import composed_figure
from scalewatch.figures.figure import Figure
from scalewatch.figures.residuals import residuals_figure
from scalewatch.figures.scaling import machines_figure, scaling_figure
from scalewatch.services.compositions.scans import compositions_of
from scalewatch.services.regions.outlook import curve_forecasts
from scalewatch.services.regions.region import Region
from scalewatch.services.series.drawn import repetitions_of, scaling_of, slices_of
from scalewatch.services.series.scans import Scan


def _scaling(session: Session, region: Region, target: float | None) -> Figure:
    scan = region.scans[0]
    drawn = scaling_of(scan, repetitions_of(session, [scan]))
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


def _composed(session: Session, region: Region, _target: float | None) -> Figure:
    compositions = compositions_of(
        session, region.project, region.commit.sha, region.scans
    )
    return composed_figure(next((each.composed for each in compositions), None))


FIGURES: Final[Mapping[str, Callable[[Session, Region, float | None], Figure]]] = {
    "composed": _composed,
    "machines": _machines,
    "residuals": _residuals,
    "scaling": _scaling,
    "slices": _slices,
}

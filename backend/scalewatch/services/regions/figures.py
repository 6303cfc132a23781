"""Figures of a region: its scans, how they scale and what they miss."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import ceil, log2
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.errors import NotMeasured
from scalewatch.figures.curves import Scaling
from scalewatch.figures.figure import Figure
from scalewatch.figures.residuals import composed_figure, residuals_figure
from scalewatch.figures.scaling import machines_figure, scaling_figure
from scalewatch.modelling import Mark
from scalewatch.services.expectations.in_force import Expectation
from scalewatch.services.regions.outlook import curve_forecasts
from scalewatch.services.regions.preview import under
from scalewatch.services.regions.region import Region, region_at, with_compositions
from scalewatch.services.selection.view import View
from scalewatch.services.series.scans import (
    Scan,
    leaves_tolerance,
    scaling_of,
    slices_of,
)
from scalewatch.services.series.snapshots import repetitions_of


@dataclass(frozen=True, slots=True)
class Overlay:
    """Parts that a figure of a region shows besides its measurements.

    Parameters
    ----------
    target
        Setting of the parameter up to which it is drawn.
    under
        A commit whose curve lies, in grey, under the present one.
    expected
        The expectation that is drawn instead of the one in force.
    """

    target: float | None = None
    under: str | None = None
    expected: Expectation | None = None


NO_OVERLAY: Final = Overlay()

PAST: Final = 2.0
"""A curve is drawn to this multiple of where it leaves its tolerance, or doublings of
the largest run beyond."""

MOST_BEYOND: Final = 64.0
"""Multiple of the largest run beyond which a curve is drawn only on demand."""


def _scaling(session: Session, region: Region, overlay: Overlay) -> Figure:
    scan = _expecting(region, overlay).scans[0]
    drawn = scaling_of(scan, repetitions_of(session, [scan]))
    under = _under(session, region, scan, overlay.under)
    if not drawn.x.size:
        return scaling_figure(drawn, under)
    forecasts = curve_forecasts(session, scan, overlay.target or _parting(scan))
    return scaling_figure(replace(drawn, forecasts=forecasts), under)


def _parting(scan: Scan) -> float | None:
    """Return how far to draw a mismatch that leaves its tolerance beyond the runs."""
    standing = scan.standing
    if standing.mark is not Mark.MISMATCH or standing.is_open:
        return None
    leaves = leaves_tolerance(scan)
    largest = max(each.x for each in scan.evidence)
    if leaves is None or leaves > MOST_BEYOND * largest:
        return None
    return largest * 2.0 ** ceil(log2(PAST * leaves / largest))


def _under(
    session: Session, region: Region, scan: Scan, commit: str | None
) -> Scaling | None:
    """Return a scan as it was at another commit, if it was measured there."""
    if commit is None:
        return None
    view = View(region.project, commit, region.metric, scan.machine)
    try:
        former = region_at(session, view, region.region)
    except NotMeasured:
        return None
    same = (s for s in former.scans if s.configuration == scan.configuration)
    if (at_former := next(same, None)) is None:
        return None
    drawn = replace(scaling_of(at_former), name=former.commit.label).evidence
    return drawn if drawn.x.size else None


def _expecting(region: Region, overlay: Overlay) -> Region:
    """Return a region beside the expectation that is to be drawn, if there is one."""
    return region if overlay.expected is None else under(region, overlay.expected)


def _slices(_session: Session, region: Region, overlay: Overlay) -> Figure:
    return machines_figure(slices_of(_expecting(region, overlay).scans[0]))


def _residuals(_session: Session, region: Region, _overlay: Overlay) -> Figure:
    return residuals_figure(slices_of(region.scans[0]))


def _machines(_session: Session, region: Region, overlay: Overlay) -> Figure:
    by_machine: dict[str, list[Scan]] = {}
    for scan in _expecting(region, overlay).scans:
        by_machine.setdefault(scan.machine, []).append(scan)
    return machines_figure(
        [
            scaling_of(scan, distinction=region.distinction(scan), position=position)
            for scans in by_machine.values()
            for position, scan in enumerate(scans)
        ]
    )


def _composed(session: Session, region: Region, _overlay: Overlay) -> Figure:
    shown = region if region.compositions else with_compositions(session, region)
    composed = (each.composed for each in shown.compositions)
    return composed_figure(next(composed, None))


FIGURES: Final[Mapping[str, Callable[[Session, Region, Overlay], Figure]]] = {
    "composed": _composed,
    "machines": _machines,
    "residuals": _residuals,
    "scaling": _scaling,
    "slices": _slices,
}

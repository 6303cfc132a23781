"""Figures of scaling errors: contours, rows, efficiencies, differences."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from scalewatch.errors import NotFound
from scalewatch.figures.axes import canvas
from scalewatch.figures.figure import Figure
from scalewatch.figures.scaling_errors.contours import (
    ErrorRow,
    contour_figure,
    difference_figure,
    rows_figure,
)
from scalewatch.figures.scaling_errors.efficiency import (
    efficiency_figure,
    efficiency_rows_figure,
)
from scalewatch.modelling import ScalingErrors
from scalewatch.modelling.arrays import Reals
from scalewatch.services.scaling_errors.region import RegionScaling
from scalewatch.services.scaling_errors.scan import CodeScaling


def label(scaling: CodeScaling, shared: Mapping[str, Any]) -> str:
    """Name a scaling by its machine and the settings that others do not share."""
    settings = [
        f"{name}={value}"
        for name, value in scaling.configuration.items()
        if name not in shared
    ]
    return " ".join([scaling.machine, *settings])


def _contours(shown: RegionScaling) -> Figure:
    errors = shown.chosen.errors
    return canvas() if errors is None else contour_figure(errors)


def _efficiency(shown: RegionScaling) -> Figure:
    errors = shown.chosen.errors
    return canvas() if errors is None else efficiency_figure(errors)


def _rows(shown: RegionScaling) -> Figure:
    rows = _rows_of(shown, lambda errors: errors.errors)
    return rows_figure(shown.kind, shown.question.base or 1.0, rows)


def _efficiency_rows(shown: RegionScaling) -> Figure:
    rows = _rows_of(shown, lambda errors: errors.normalised)
    return efficiency_rows_figure(shown.question.base or 1.0, rows)


def _rows_of(
    shown: RegionScaling, values: Callable[[ScalingErrors], Reals]
) -> list[ErrorRow]:
    """Return the row of n₁ of each scaling that has one."""
    differing = shown.choices
    rows: list[ErrorRow] = []
    for scaling in shown.scalings:
        errors, sped = scaling.errors, scaling.speed_up
        if errors is None or sped is None:
            continue
        row = int(np.flatnonzero(errors.scales == sped.base)[0])
        shared = {name: 0 for name in scaling.configuration if name not in differing}
        rows.append(
            ErrorRow(
                label(scaling, shared),
                scaling.slot,
                errors.scales,
                values(errors)[row],
                errors.is_extrapolated[row],
                position=sum(each.slot == scaling.slot for each in rows),
            )
        )
    return rows


def _difference(shown: RegionScaling) -> Figure:
    if shown.other is None:
        raise NotFound("comparison", "vs")
    mine, others = shown.chosen.errors, shown.other.errors
    if mine is None or others is None:
        return canvas()
    return difference_figure(mine, others)


FIGURES: Final[Mapping[str, Callable[[RegionScaling], Figure]]] = {
    "contours": _contours,
    "difference": _difference,
    "efficiency": _efficiency,
    "efficiency-rows": _efficiency_rows,
    "rows": _rows,
}

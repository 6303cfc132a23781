"""Residuals: measurements relative to their model."""

from collections.abc import Sequence
from html import escape

import numpy as np

from scalewatch.figures.axes import canvas, nothing, parameter_axis
from scalewatch.figures.curves import Scaling
from scalewatch.figures.figure import Figure
from scalewatch.figures.palette import PALETTE, machine_role, symbol
from scalewatch.modelling.arrays.types import Reals


def residuals_figure(scalings: Sequence[Scaling]) -> Figure:
    """Plot measured over modelled, less 1, with the quartiles of each measurement."""
    drawn = [
        (scaling, model)
        for scaling in (each.evidence for each in scalings)
        if scaling.x.size and (model := scaling.modelled(scaling.x)) is not None
    ]
    if not drawn:
        return nothing("there is no model")
    figure = canvas()
    settings = np.concatenate([scaling.x for scaling, _ in drawn])
    figure.update_layout(
        showlegend=len(drawn) > 1,
        xaxis=parameter_axis(drawn[0][0].parameter, settings),
        yaxis=_axis([_residual(scaling.middle, model) for scaling, model in drawn]),
    )
    is_one_machine = len({scaling.slot for scaling, _ in drawn}) == 1
    for scaling, model in drawn:
        place = scaling.slot + (scaling.position if is_one_machine else 0)
        _add_residuals(figure, scaling, model, machine_role(place))
    return figure


def _add_residuals(figure: Figure, scaling: Scaling, model: Reals, role: str) -> None:
    low, middle, high = (
        _residual(values, model)
        for values in (scaling.low, scaling.middle, scaling.high)
    )
    figure.add_scatter(
        x=scaling.x,
        y=middle,
        mode="markers",
        marker={
            "color": PALETTE[role],
            "size": 7,
            "symbol": symbol(scaling.slot + scaling.position),
        },
        error_y={
            "array": high - middle,
            "arrayminus": middle - low,
            "color": PALETTE[role],
            "thickness": 2,
            "width": 0,
        },
        name=escape(scaling.name),
        hovertemplate="%{x:,}: %{y:+.1%}<extra></extra>",
        meta=role,
    )


def _residual(values: Reals, model: Reals) -> Reals:
    with np.errstate(divide="ignore", invalid="ignore"):
        residual: Reals = np.where(model != 0, values / model - 1, np.nan)
    return residual


def _axis(residuals: Sequence[Reals]) -> dict[str, object]:
    """Return an axis that shows noise of one per cent as small as it is."""
    largest = np.nanmax(np.abs(np.concatenate(residuals)), initial=0.0)
    reach = max(0.05, 1.3 * float(largest))
    return {
        "automargin": True,
        "gridcolor": PALETTE["grid"],
        "linecolor": PALETTE["grid"],
        "range": [-reach, reach],
        "tickformat": "~%",
        "title": {"text": "deviation", "standoff": 12},
        "zeroline": True,
        "zerolinecolor": PALETTE["quiet"],
        "zerolinewidth": 1,
    }

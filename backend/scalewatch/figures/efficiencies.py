"""Three pictures of a scan: its time, its speed-up and its efficiency.

Filled marks are measured, hollow ones forecast, dashed is the ideal.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from scalewatch.figures.axes import canvas, metric_axis, parameter_axis, plain_axis
from scalewatch.figures.colours import PALETTE, machine_role
from scalewatch.figures.figure import Figure
from scalewatch.modelling import Model
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.efficiencies import (
    Scaling,
    SizeRow,
)
from scalewatch.texts.scales import Scale

NEAR: Final = 0.15
"""A model is drawn where it is as near as this to every median."""

STEPS: Final = 60
"""Points of a curve."""

TOP: Final = 105.0
"""Where the axis of efficiencies ends, in per cent, unless something exceeds it."""

IDEAL: Final = {"color": PALETTE["expectation"], "dash": "6px,5px", "width": 1}


def time_figure(  # noqa: PLR0913, PLR0917, what is drawn of a scan
    scaling: Scaling | None,
    forecasts: Sequence[SizeRow],
    scale: Scale,
    quantity: tuple[str, str],
    slot: int,
    model: Model | None,
) -> Figure:
    """Plot the time or the rate of each size, with the ideal and the model if near.

    Parameters
    ----------
    quantity
        The metric and its unit.
    model
        Over the scale alone.
    """
    if scaling is None:
        return canvas()
    rows = scaling.rows
    values = [row.value.value for row in rows]
    sizes = _sizes(rows)
    ideal = values[0] * (sizes / sizes[0]) ** scaling.ideal_exponent
    figure = _figure(
        rows,
        forecasts,
        scale,
        "",
        slot,
        {
            row.size: (row.value.value, row.value.low, row.value.high)
            for row in (*rows, *forecasts)
        },
        ideal,
    )
    _by_decades(figure, *quantity)
    if model is not None:
        along = np.geomspace(sizes[0], sizes[-1], STEPS)
        fitted = model({scale.name: sizes}) * np.ones(len(sizes))
        if (fitted > 0).all() and np.abs(np.log(fitted / values)).max() <= NEAR:
            figure.add_scatter(
                x=along,
                y=model({scale.name: along}) * np.ones(STEPS),
                mode="lines",
                line={"width": 1.5},
                hoverinfo="skip",
                name="model",
                meta=machine_role(slot),
            )
    return figure


def speed_up_figure(
    scaling: Scaling | None, forecasts: Sequence[SizeRow], scale: Scale, slot: int
) -> Figure:
    """Plot the speed-up of each size beside the ideal one."""
    if scaling is None:
        return canvas()
    rows = scaling.rows
    figure = _figure(
        rows,
        forecasts,
        scale,
        "speed-up",
        slot,
        {
            row.size: (row.speed_ups.value, row.speed_ups.low, row.speed_ups.high)
            for row in (*rows, *forecasts)
        },
        _sizes(rows) / rows[0].size,
    )
    _by_decades(figure, "speed-up", "")
    return figure


def efficiency_figure(
    scaling: Scaling | None,
    forecasts: Sequence[SizeRow],
    scale: Scale,
    slot: int,
    limits: Sequence[float],
) -> Figure:
    """Plot the efficiency of each size in per cent, with lines at the limits."""
    if scaling is None:
        return canvas()
    rows = [*scaling.rows, *forecasts]
    figure = _figure(
        scaling.rows,
        forecasts,
        scale,
        "efficiency",
        slot,
        {
            row.size: (
                100 * row.efficiency.value,
                100 * row.efficiency.low,
                100 * row.efficiency.high,
            )
            for row in rows
        },
        np.full(len(scaling.rows), 100.0),
    )
    for limit in limits:
        line = {"color": PALETTE["quiet"], "dash": "2px,4px", "width": 1}
        figure.add_level(y=100 * limit, line=line)
    best = max(100 * row.efficiency.high for row in rows)
    axis = {"range": [0, max(TOP, 1.05 * best)], "ticksuffix": " %"}
    figure.update_layout(yaxis=axis)
    return figure


def _figure(  # noqa: PLR0913, PLR0917, what is drawn of a scan
    rows: Sequence[SizeRow],
    forecasts: Sequence[SizeRow],
    scale: Scale,
    quantity: str,
    slot: int,
    values: dict[float, tuple[float, float, float]],
    ideal: Reals,
) -> Figure:
    """Plot values with intervals over sizes, forecasts hollow, and the ideal dashed."""
    role = machine_role(slot)
    figure = canvas()
    axis = parameter_axis(scale.name, _sizes([*rows, *forecasts]))
    figure.update_layout(xaxis=axis, yaxis=plain_axis(axis, quantity), showlegend=False)
    figure.add_scatter(
        x=_sizes(rows),
        y=ideal,
        mode="lines",
        line=IDEAL,
        hoverinfo="skip",
        name="ideal",
        meta="expectation",
    )
    kinds = ((rows, "circle", ""), (forecasts, "circle-open", "forecast"))
    for drawn, mark, word in kinds:
        if not drawn:
            continue
        bounds = np.array([values[row.size] for row in drawn]).T
        middle, low, high = bounds
        figure.add_scatter(
            x=_sizes(drawn),
            y=middle,
            error_y={
                "type": "data",
                "symmetric": False,
                "array": high - middle,
                "arrayminus": middle - low,
                "thickness": 1,
                "width": 3,
            },
            mode="markers" if word else "lines+markers",
            line={"width": 1, "dash": "dot"},
            marker={"size": 8, "symbol": mark},
            hovertemplate=f"%{{x:,}}: %{{y:.3~g}} {word}<extra></extra>",
            name=word or "measured",
            meta=role,
        )
    return figure


def _by_decades(figure: Figure, quantity: str, unit: str) -> None:
    """Make the axis upwards logarithmic."""
    values = np.concatenate([trace["y"] for trace in figure.data])
    figure.update_layout(yaxis=metric_axis(quantity, unit, values, values))


def _sizes(rows: Sequence[SizeRow]) -> Reals:
    return np.array([row.size for row in rows], np.float64)

"""Parallel efficiency: contours over pairs of scales, and single rows.

Efficiency is 1 less the scaling error as a share of the ideal: 1 - α·p₁/p₂ and 1 - β
with equations (4) and (5) of "Formulation of Scientific Codes", LA-UR-14-26577. From
p₂ back to p₁ it is the reciprocal and nothing new: only p₂ > p₁ is drawn.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from scalewatch.figures.axes import canvas, parameter_axis
from scalewatch.figures.colours import PALETTE, styles
from scalewatch.figures.figure import Figure
from scalewatch.figures.scaling_errors import (
    ErrorRow,
    add_row,
    cover_mirror,
    plain_axis,
)
from scalewatch.modelling import ScalingErrors
from scalewatch.modelling.arrays import Reals

STEP: Final = 10
"""Per cent between isolines."""

TICKS: Final = (0, 25, 50, 75, 100)
"""Per cent that the bar of colours names."""

TOP: Final = 105.0
"""Where axes of efficiency end, in per cent, unless something exceeds the ideal."""


def efficiency_figure(scaling: ScalingErrors) -> Figure:
    """Plot the efficiency in per cent over all pairs p₂ > p₁."""
    figure = canvas()
    percent = _percent(scaling)
    if scaling.scales.size < 2 or not np.isfinite(percent).any():
        return figure
    axis = parameter_axis("p", scaling.scales)
    figure.update_layout(
        xaxis=axis | {"title": {"text": "to p₂ processes", "standoff": 12}},
        yaxis=axis | {"title": {"text": "from p₁ processes", "standoff": 12}},
    )
    figure.add_contour(
        x=scaling.scales,
        y=scaling.scales,
        z=_continued(percent),
        zmin=0,
        zmax=100,
        zauto=False,
        autocontour=False,
        contours={"start": STEP, "end": 100 - STEP, "size": STEP},
        colorscale="Viridis",
        colorbar={
            "thickness": 10,
            "outlinewidth": 0,
            "tickvals": list(TICKS),
            "ticktext": [f"{tick} %" for tick in TICKS],
        },
        line={"color": "#ffffff", "width": 0.6},
        connectgaps=False,
        hoverinfo="skip",
    )
    cover_mirror(figure, scaling.scales)
    _add_pairs(figure, scaling, percent)
    return figure


def efficiency_rows_figure(base: float, rows: Sequence[ErrorRow]) -> Figure:
    """Plot the efficiency from p₁ to all larger p₂ of each scaling.

    Parameters
    ----------
    rows
        Their `errors` are shares of the ideal that are lost.
    """
    figure = canvas()
    drawn = [_from_base(row, base) for row in rows]
    drawn = [row for row in drawn if np.isfinite(row.errors).any()]
    if not drawn:
        return figure
    axis = parameter_axis("p", np.concatenate([row.n2 for row in drawn]))
    best = max(float(np.nanmax(row.errors)) for row in drawn)
    title = f"efficiency from p₁ = {base:,g}"
    figure.update_layout(
        xaxis=axis | {"title": {"text": "processes p₂", "standoff": 12}},
        yaxis=plain_axis(axis, title)
        | {"range": [0, max(TOP, 1.05 * best)], "ticksuffix": " %"},
    )
    figure.add_level(y=100, line={"color": PALETTE["expectation"], "dash": "6px,5px"})
    line_styles = styles([(row.slot, row.position) for row in drawn])
    for row, style in zip(drawn, line_styles, strict=True):
        add_row(figure, row, style, "efficiency = %{y:.3~g} %")
    return figure


def _percent(scaling: ScalingErrors) -> Reals:
    """Return efficiencies in per cent, NaN where p₂ < p₁; shape (n, n)."""
    percent = 100 * (1 - scaling.normalised)
    n = scaling.scales
    return np.where(n >= n[:, np.newaxis], percent, np.nan)


def _continued(percent: Reals) -> Reals:
    """Return efficiencies that go on evenly through the ideal of p₂ = p₁.

    Contours need all four corners of a cell; the fourth of those on the diagonal lies
    below it, where it is covered.
    """
    continued = percent.copy()
    after = np.arange(1, len(percent))
    continued[after, after - 1] = 200 - percent[after - 1, after]
    return continued


def _add_pairs(figure: Figure, scaling: ScalingErrors, percent: Reals) -> None:
    """Mark the pairs that are known, those of extrapolations hollow."""
    rows, columns = np.nonzero(np.isfinite(percent))
    is_beyond = scaling.is_extrapolated[rows, columns]
    figure.add_scatter(
        x=scaling.scales[columns],
        y=scaling.scales[rows],
        customdata=percent[rows, columns],
        mode="markers",
        marker={
            "color": PALETTE["ink"],
            "size": 6,
            "symbol": np.where(is_beyond, "circle-open", "circle").tolist(),
        },
        hovertemplate=(
            "from p₁ = %{y:,} to p₂ = %{x:,}<br>"
            "efficiency = %{customdata:.3~g} %<extra></extra>"
        ),
        showlegend=False,
        meta="ink",
    )


def _from_base(row: ErrorRow, base: float) -> ErrorRow:
    """Return the efficiencies of a row in per cent, at its base and beyond."""
    is_shown = row.n2 >= base
    return ErrorRow(
        row.name,
        row.slot,
        row.n2[is_shown],
        100 * (1 - row.errors[is_shown]),
        row.is_extrapolated[is_shown],
        row.position,
    )

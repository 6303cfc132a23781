"""Machines side by side: times over the problem size, with their lines.

Linear axes, since straight lines are what is compared; the best-fitting growth is
drawn beside a line that it fits better than.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np

from scalewatch.figures.axes import NAMES, canvas, hover_number, titled
from scalewatch.figures.colours import PALETTE, machine_dash, machine_role, symbol
from scalewatch.figures.figure import Figure
from scalewatch.figures.notation import growth_markup
from scalewatch.modelling import MachineLine

SAMPLES: Final = 200
"""Points of a curve."""


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A line, and the place of its machine among the project's."""

    slot: int
    line: MachineLine


def machine_lines_figure(
    lines: Sequence[DrawnLine], *, unit: str, parameter: str = "n"
) -> Figure:
    """Plot times over the problem size, machine by machine."""
    figure = canvas()
    if not lines:
        return figure
    axis = {"automargin": True, "gridcolor": PALETTE["grid"], "rangemode": "tozero"}
    largest = max(float(each.line.sizes.max()) for each in lines)
    figure.update_layout(
        xaxis=titled(axis, NAMES.get(parameter, parameter)),
        yaxis=titled(axis, f"time [{escape(unit)}]"),
    )
    at = np.linspace(0, largest, SAMPLES)
    for drawn in lines:
        line, role = drawn.line, machine_role(drawn.slot)
        name = escape(line.machine)
        figure.add_scatter(
            x=line.sizes,
            y=line.times,
            mode="markers",
            marker={"size": 8, "symbol": symbol(drawn.slot)},
            name=name,
            showlegend=True,
            hovertemplate=f"n = %{{x:,}}: {hover_number('y', unit)}",
            meta=role,
        )
        figure.add_scatter(
            x=at,
            y=line.line(at),
            mode="lines",
            line={"width": 2, "dash": machine_dash(drawn.slot)},
            hoverinfo="skip",
            name=f"{name}: line",
            showlegend=False,
            meta=role,
        )
        model, growth = line.finding.model, line.finding.told_growth
        if model is None or growth is None or line.is_line_enough:
            continue
        inside = at[at >= line.sizes.min()]
        figure.add_scatter(
            x=inside,
            y=np.broadcast_to(model({parameter: inside}), inside.shape),
            mode="lines",
            line={"width": 1.5, "dash": "2px,4px"},
            hoverinfo="skip",
            name=f"{name}: {growth_markup(growth)}",
            showlegend=True,
            meta=role,
        )
    figure.label_lines()
    return figure

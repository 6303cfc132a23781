"""Traced programs over p: times with their extrapolations, waits and efficiencies.

The times are those of Figure 2, the extrapolations those of Figures 3 and 4 of
"Knowledge Based Automatic Scalability Analysis and Extrapolation for MPI Programs":
linear axes, what was measured as marks, and a parabola through the first S settings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np

from scalewatch.figures.axes import (
    NAMES,
    canvas,
    category_axis,
    parameter_axis,
    plain_axis,
    titled,
)
from scalewatch.figures.colours import PALETTE, machine_dash, machine_role, symbol
from scalewatch.figures.figure import Figure
from scalewatch.modelling import Extrapolation

STEPS: Final = 80
"""Points of a parabola."""

DASHES: Final = ("2px,3px", "8px,3px,2px,3px", "8px,3px")
"""Lines of the first subsets; that through all settings is solid."""

Values = Sequence[float | None]


@dataclass(frozen=True, slots=True)
class TimeLine:
    """A time over the number of processes.

    Parameters
    ----------
    name
        In the legend, plain text.
    processes, values
        Shape (n,); None where unknown.
    rows
        Its extrapolations, S = 4 … N.
    """

    name: str
    processes: Sequence[float]
    values: Values
    rows: Sequence[Extrapolation] = ()


def extrapolation_figure(
    metric: str, lines: Sequence[TimeLine], target: float
) -> Figure:
    """Plot times with their parabolas; of one time alone, one for each subset."""
    figure = canvas()
    drawn = [line for line in lines if is_known(line.values)]
    if not drawn:
        return figure
    _lay_out(figure, f"{metric} [s]")
    for slot, line in enumerate(drawn):
        rows = line.rows if len(drawn) == 1 else line.rows[-1:]
        for place, row in enumerate(rows):
            role = machine_role(slot + place)
            # Far beyond the measurements a parabola would leave them as a dot.
            far = 2 * line.processes[-1]
            last = max(*line.processes, min(target, far))
            along = np.linspace(row.settings[0], last, STEPS)
            is_last = row is line.rows[-1]
            dash = "solid" if is_last else DASHES[len(row.settings) % len(DASHES)]
            figure.add_scatter(
                x=along,
                y=row(along),
                mode="lines",
                line={"width": 1.5, "dash": dash},
                name=f"first {len(row.settings)}",
                showlegend=True,
                hovertemplate="p = %{x:,.0f}<br>%{y:.4~g} s<extra></extra>",
                meta=role,
            )
        add_marks(figure, slot, line)
    figure.label_lines()
    return figure


def times_figure(lines: Sequence[TimeLine]) -> Figure:
    """Plot what all processes together take, with and without communication."""
    figure = canvas()
    drawn = [line for line in lines if is_known(line.values)]
    if not drawn:
        return figure
    _lay_out(figure, "time of all processes [s]")
    for slot, line in enumerate(drawn):
        add_marks(figure, slot, line, mode="lines+markers")
    figure.label_lines()
    return figure


def _lay_out(figure: Figure, title: str) -> None:
    axis = plain_axis(parameter_axis("p", np.array([1.0])), title)
    figure.update_layout(
        xaxis=titled(axis, NAMES["p"]), yaxis=axis | {"rangemode": "tozero"}
    )


def add_marks(
    figure: Figure,
    slot: int,
    line: TimeLine,
    *,
    mode: str = "markers",
    number: str = "%{y:.4~g} s",
) -> None:
    """Add the values of a line; `number` is how one is told on hover."""
    role = machine_role(slot)
    figure.add_scatter(
        x=list(line.processes),
        y=list(line.values),
        mode=mode,
        line={"width": 2, "dash": machine_dash(slot)},
        marker={"size": 8, "symbol": symbol(slot)},
        name=escape(line.name),
        showlegend=True,
        hovertemplate=f"p = %{{x:,}}<br>{number}<extra></extra>",
        meta=role,
    )


def is_known(values: Values) -> bool:
    """Tell whether there is anything to draw."""
    return any(value is not None for value in values)


def waits_figure(processes: Sequence[float], waits: Mapping[str, Values]) -> Figure:
    """Plot kinds of waiting, stacked over the number of processes."""
    figure = canvas()
    drawn = {kind: values for kind, values in waits.items() if is_known(values)}
    if not drawn:
        return figure
    figure.update_layout(
        barmode="stack",
        bargap=0.25,
        xaxis=category_axis(NAMES["p"]),
        yaxis={
            "automargin": True,
            "gridcolor": PALETTE["grid"],
            "title": {"text": "waiting of all processes [s]", "standoff": 12},
            "zeroline": False,
        },
    )
    for slot, (kind, values) in enumerate(drawn.items()):
        role = machine_role(slot)
        figure.add_bar(
            x=[f"{p:,g}" for p in processes],
            y=[value or 0.0 for value in values],
            name=escape(kind),
            hovertemplate="p = %{x}: %{y:.3~g} s",
            meta=role,
        )
    return figure


def efficiencies_figure(
    processes: Sequence[float], efficiencies: Mapping[str, Values], least: float
) -> Figure:
    """Plot efficiencies over the number of processes, with the line of the least."""
    figure = canvas()
    drawn = {name: each for name, each in efficiencies.items() if is_known(each)}
    if not drawn:
        return figure
    axis = parameter_axis("p", np.array(processes))
    figure.update_layout(
        xaxis=axis, yaxis=plain_axis(axis, "efficiency") | {"range": [0, 1.04]}
    )
    figure.add_level(y=least, line={"color": PALETTE["expectation"], "dash": "6px,5px"})
    for slot, (name, values) in enumerate(drawn.items()):
        line = TimeLine(name, processes, values)
        add_marks(figure, slot, line, mode="lines+markers", number="%{y:.3f}")
    figure.label_lines()
    return figure

"""Shares of a traced program's waits, and its efficiencies, over p."""

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from scalewatch.figures.axes import NAMES, canvas, parameter_axis
from scalewatch.figures.colours import PALETTE, machine_role
from scalewatch.figures.figure import Figure
from scalewatch.figures.scaling_errors.contours import plain_axis
from scalewatch.figures.traces.times import TimeLine, Values, add_marks, is_known


def waits_figure(processes: Sequence[float], waits: Mapping[str, Values]) -> Figure:
    """Plot kinds of waiting, stacked over the number of processes."""
    figure = canvas()
    drawn = {kind: values for kind, values in waits.items() if is_known(values)}
    if not drawn:
        return figure
    figure.update_layout(
        barmode="stack",
        bargap=0.25,
        xaxis={
            "automargin": True,
            "title": {"text": NAMES["p"], "standoff": 12},
            "type": "category",
        },
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
            marker={"color": PALETTE[role]},
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
    return figure

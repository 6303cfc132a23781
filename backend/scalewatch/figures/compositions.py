"""Measurements beside the model composed of other regions: points and dashed lines."""

from collections import defaultdict
from collections.abc import Iterator
from html import escape
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.figures.axes import (
    canvas,
    hover_number,
    metric_axis,
    nothing,
    parameter_axis,
)
from scalewatch.figures.colours import PALETTE, machine_role, symbol
from scalewatch.figures.figure import Figure
from scalewatch.figures.notation import held_text
from scalewatch.modelling import Composed

MOST_LINES: Final = 6
"""Settings of other parameters that share a figure; of more, evenly spread ones do."""

DASH: Final = "8px,3px"


def composed_figure(composed: Composed | None) -> Figure:
    """Plot what was measured, and what the composed model says at the same settings."""
    if composed is None:
        return nothing("the composed model cannot be computed")
    series = composed.series
    # The parameter with the most settings, the first of equal ones.
    column = int(np.argmax([len({*each}) for each in composed.settings.T.tolist()]))
    parameter, x = series.parameters[column], composed.settings[:, column]
    figure = canvas()
    figure.update_layout(
        xaxis=parameter_axis(parameter, x),
        yaxis=metric_axis(
            series.metric, series.unit or "", composed.measured, composed.expected
        ),
    )
    lines = list(_lines(composed, column))
    chosen = np.linspace(0, len(lines) - 1, min(len(lines), MOST_LINES)).round()
    for position, (name, rows) in enumerate(lines[int(k)] for k in chosen):
        role = machine_role(position)
        common = {
            "showlegend": True,
            "hovertemplate": f"%{{x:,}}: {hover_number('y', series.unit or '')}"
            "<extra></extra>",
            "meta": role,
        }
        suffix = f", {name}" if name else ""
        figure.add_scatter(
            x=x[rows],
            y=composed.measured[rows],
            name=escape(f"measured{suffix}"),
            **common,
            mode="markers",
            marker={"color": PALETTE[role], "size": 8, "symbol": symbol(position)},
        )
        figure.add_scatter(
            x=x[rows],
            y=composed.expected[rows],
            name=escape(f"composed{suffix}"),
            **common,
            mode="lines",
            line={"color": PALETTE[role], "width": 2, "dash": DASH},
        )
    return figure


def _lines(composed: Composed, column: int) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """Yield the other settings in words, and the rows of each, along the parameter."""
    others = [k for k in range(len(composed.series.parameters)) if k != column]
    rows: dict[tuple[float, ...], list[int]] = defaultdict(list)
    for row in np.argsort(composed.settings[:, column], kind="stable").tolist():
        rows[tuple(composed.settings[row, others].tolist())].append(row)
    for held in sorted(rows):
        names = (composed.series.parameters[k] for k in others)
        words = (
            f"{name} = {held_text(setting, name)}"
            for name, setting in zip(names, held, strict=True)
        )
        yield ", ".join(words), np.array(rows[held])

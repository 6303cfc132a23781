"""Measurements beside models: residuals, and points beside what others compose.

Residuals are in per cent where they are small. Where a measurement is far off, its
multiple of the model is drawn over a logarithmic axis, since one of fifty times would
flatten the rest.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
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
from scalewatch.figures.curves import Scaling
from scalewatch.figures.figure import Figure
from scalewatch.figures.notation import held_text
from scalewatch.modelling import Composed
from scalewatch.modelling.arrays import Reals

FAR: Final = 2.0
"""Residuals beyond this, three times the model, are drawn as multiples of it."""


def residuals_figure(scalings: Sequence[Scaling]) -> Figure:
    """Plot measured over modelled, with the quartiles of each measurement.

    Less 1, in per cent, unless a measurement is far from its model.
    """
    drawn = [
        (scaling, model)
        for scaling in (each.evidence for each in scalings)
        if scaling.x.size and (model := scaling.modelled(scaling.x)) is not None
    ]
    if not drawn:
        return nothing("there is no model")
    figure = canvas()
    settings = np.concatenate([scaling.x for scaling, _ in drawn])
    ratios = _known(
        [
            _ratio(values, model)
            for scaling, model in drawn
            for values in (scaling.low, scaling.middle, scaling.high)
        ]
    )
    middles = _known([_ratio(scaling.middle, model) for scaling, model in drawn])
    is_far = ratios.size > 0 and ratios.min() > 0 and middles.max() - 1 > FAR
    figure.update_layout(
        showlegend=len(drawn) > 1,
        xaxis=parameter_axis(drawn[0][0].parameter, settings),
        yaxis=metric_axis("measured / model", "", ratios, np.array([0.5, 2.0]))
        if is_far
        else _axis(middles - 1),
    )
    if is_far:
        # Measurements equal the model here, as at the line of zero elsewhere.
        figure.add_level(1.0, {"color": PALETTE["quiet"], "width": 1})
    hover, base = ("%{y:.3~g}× the model", 0.0) if is_far else ("%{y:+.1%}", 1.0)
    is_one_machine = len({scaling.slot for scaling, _ in drawn}) == 1
    for scaling, model in drawn:
        place = scaling.slot + (scaling.position if is_one_machine else 0)
        role = machine_role(place)
        low, middle, high = (
            _ratio(values, model) - base
            for values in (scaling.low, scaling.middle, scaling.high)
        )
        figure.add_scatter(
            x=scaling.x,
            y=middle,
            mode="markers",
            marker={"size": 7, "symbol": symbol(scaling.slot + scaling.position)},
            error_y={
                "array": high - middle,
                "arrayminus": middle - low,
                "thickness": 2,
                "width": 0,
            },
            name=escape(scaling.name),
            hovertemplate=f"%{{x:,}}: {hover}<extra></extra>",
            meta=role,
        )
    figure.label_lines()
    return figure


def _ratio(values: Reals, model: Reals) -> Reals:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: Reals = np.where(model != 0, values / model, np.nan)
    return ratio


def _known(ratios: Sequence[Reals]) -> Reals:
    every = np.concatenate(ratios)
    return every[np.isfinite(every)]


def _axis(residuals: Reals) -> dict[str, object]:
    """Return an axis that shows noise of one per cent as small as it is."""
    largest = np.abs(residuals).max(initial=0.0)
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

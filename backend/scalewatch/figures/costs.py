"""Shares of regions in their sum over the number of processes, stacked."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np

from scalewatch.figures.axes import (
    MOST_TICKS,
    NAMES,
    canvas,
    nothing,
    parameter_axis,
    titled,
    titled_axis,
)
from scalewatch.figures.colours import HUES, PALETTE, machine_role
from scalewatch.figures.figure import Figure
from scalewatch.figures.notation import listed

MOST: Final = HUES - 1
"""Regions with an area of their own: black stays for none, the rest share one."""

OTHERS: Final = "grid"
"""Role of the area of all other regions together."""

WIDE: Final = 0.6
"""Share of the axis beyond the areas in which lines of words fit on a narrow screen."""

NARROW: Final = 0.25
"""Share of it below which there is room for one upright line only."""

UPRIGHT: Final = 32
"""Letters of an upright line, as high as the areas."""


@dataclass(frozen=True, slots=True)
class ShareLine:
    """A region's shares, or those of several together.

    Parameters
    ----------
    name
        In the legend, plain text.
    shares
        0 … 1, shape (n,); None where they are not told.
    """

    name: str
    shares: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class SharesDrawn:
    """Shares of regions over a scale, as their plot draws them.

    Parameters
    ----------
    lines
        Largest first; those beyond `MOST` are drawn together.
    scales
        Shape (n,), ascending.
    largest
        The largest that was measured; beyond it shares are forecast.
    reach, target
        Where shares end, and where they were asked to.
    why, short
        Why they end before the target, in a few words, and without names.
    parameter
        Name of the scale.
    """

    lines: Sequence[ShareLine]
    scales: Sequence[float]
    largest: float
    reach: float | None
    target: float
    why: str
    short: str = ""
    parameter: str = "p"


def together(lines: Sequence[ShareLine]) -> list[ShareLine]:
    """Return the largest lines, and the others as one."""
    drawn, others = list(lines[:MOST]), lines[MOST:]
    if len(others) == 1:
        drawn += others
    elif others:
        columns = zip(*(line.shares for line in others), strict=True)
        drawn.append(ShareLine(f"{len(others)} others", [*map(known_sum, columns)]))
    return drawn


def known_sum(values: Sequence[float | None]) -> float | None:
    """Return the sum of the known values; None where none is known."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def shares_figure(shown: SharesDrawn) -> Figure:
    """Plot shares stacked to 100 %, and say where and why they end."""
    if shown.reach is None:
        return nothing(shown.why)
    figure = canvas()
    _lay_out(figure, shown, shown.reach)
    # Within the reach some scales may lack shares.
    known = [
        place
        for place, scale in enumerate(shown.scales)
        if scale <= shown.reach
        and any(line.shares[place] is not None for line in shown.lines)
    ]
    for slot, line in enumerate(together(shown.lines)):
        role = machine_role(slot) if slot < MOST else OTHERS
        figure.add_scatter(
            x=[shown.scales[place] for place in known],
            y=[100 * (line.shares[place] or 0.0) for place in known],
            stackgroup="shares",
            mode="lines",
            line={"width": 0.5},
            name=listed(line.name),
            showlegend=True,
            hovertemplate=f"{escape(line.name)}<br>{shown.parameter} = %{{x:,}}: "
            "%{y:.3~g} %"
            "<extra></extra>",
            meta=role,
        )
    return figure


def _lay_out(figure: Figure, shown: SharesDrawn, reach: float) -> None:
    """Add the axes, the line where forecasts begin, and the reason why shares end."""
    every = 1  # of the scales, until an axis has room for their names
    while len(shown.scales[::every]) > MOST_TICKS:
        every += 1
    ticks = np.array([*shown.scales[::-1][::every]])
    first, last = np.log10([shown.scales[0], last_of(shown)]).tolist()
    figure.update_layout(
        hovermode="x",
        xaxis=titled(parameter_axis(shown.parameter, ticks), NAMES[shown.parameter])
        | {"range": [first, last]},
        yaxis=titled_axis("share of the sum") | {"range": [0, 100], "ticksuffix": " %"},
    )
    if shown.largest < reach:
        line = {"color": PALETTE["ink"], "dash": "3px,3px", "width": 1.5}
        along = {"yref": "y domain", "y0": 0, "y1": 1}
        at = {"x0": shown.largest, "x1": shown.largest}
        figure.add_shape(type="line", xref="x", name="ink", line=line, **at, **along)
    notes = []
    if reach < last_of(shown):
        # Beside the areas; in a narrow strip upright, and in short.
        end = float(np.log10(reach or shown.largest))
        strip = (last - end) / (last - first)
        if strip >= WIDE:
            lines = wrapped(shown.why)
        else:
            lines = wrapped(shown.why, UPRIGHT) if strip >= NARROW else [shown.short]
        note = {
            "x": (end + last) / 2,
            "xref": "x",
            "y": 0.5,
            "yref": "y domain",
            "text": "<br>".join(map(escape, lines)),
            "textangle": 0 if strip >= WIDE else -90,
            "showarrow": False,
        }
        notes.append(note)
    figure.update_layout(annotations=notes)


def last_of(shown: SharesDrawn) -> float:
    """Return where the axis ends."""
    return max(shown.scales[-1], shown.target)


def wrapped(text: str, width: int = 16) -> list[str]:
    """Break a few words into lines that fit beside the areas."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + len(word) >= width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines

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
    titled_axis,
)
from scalewatch.figures.colours import COLOURS, PALETTE, machine_role
from scalewatch.figures.figure import Figure

MOST: Final = COLOURS - 1
"""Regions with an area of their own: black stays for none, the rest share one."""

OTHERS: Final = "grid"
"""Role of the area of all other regions together."""

WIDE: Final = 0.6
"""Share of the axis beyond the areas in which lines of words fit on a narrow screen."""

NARROW: Final = 0.25
"""Share of it below which there is room for one upright line only."""

UPRIGHT: Final = 32
"""Letters of an upright line, as high as the areas."""

LONGEST: Final = 40
"""Letters of a name in the legend."""


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
    """

    lines: Sequence[ShareLine]
    scales: Sequence[float]
    largest: float
    reach: float | None
    target: float
    why: str
    short: str = ""


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
    _lay_out(figure, shown)
    lines = together(shown.lines)
    for place, line in enumerate(lines):
        role = machine_role(place) if place < MOST else OTHERS
        points = [
            (scale, 100 * (share or 0.0))
            for scale, share in zip(shown.scales, line.shares, strict=True)
            if scale <= shown.reach and _is_known(shown, scale)
        ]
        figure.add_scatter(
            x=[scale for scale, _ in points],
            y=[share for _, share in points],
            stackgroup="shares",
            mode="lines",
            fillcolor=PALETTE[role],
            line={"color": PALETTE[role], "width": 0.5},
            name=_short(line.name),
            showlegend=True,
            hovertemplate=f"{escape(line.name)}<br>p = %{{x:,}}: %{{y:.3~g}} %"
            "<extra></extra>",
            meta=role,
        )
    return figure


def _is_known(shown: SharesDrawn, scale: float) -> bool:
    """Tell whether there are shares at a scale: within the reach some may lack."""
    place = list(shown.scales).index(scale)
    return any(line.shares[place] is not None for line in shown.lines)


def _lay_out(figure: Figure, shown: SharesDrawn) -> None:
    axis = parameter_axis("p", np.array(_ticks(shown)))
    first, last = np.log10([shown.scales[0], max(shown.scales[-1], shown.target)])
    figure.update_layout(
        hovermode="x",
        xaxis=axis
        | {
            "title": {"text": NAMES["p"], "standoff": 12},
            "range": [float(first), float(last)],
        },
        yaxis=titled_axis("share of the sum") | {"range": [0, 100], "ticksuffix": " %"},
    )
    notes = []
    if shown.reach is not None and shown.largest < shown.reach:
        line = {"color": PALETTE["ink"], "dash": "3px,3px", "width": 1.5}
        along = {"yref": "y domain", "y0": 0, "y1": 1}
        at = {"x0": shown.largest, "x1": shown.largest}
        figure.add_shape(type="line", xref="x", name="ink", line=line, **at, **along)
    if shown.reach is not None and shown.reach < last_of(shown):
        notes.append(_end(shown, (float(first), float(last))))
    figure.update_layout(annotations=notes)


def _end(shown: SharesDrawn, axis: tuple[float, float]) -> dict[str, object]:
    """Say why shares end, beside the areas; in a narrow strip upright, and in short."""
    first, last = axis
    reach = float(np.log10(shown.reach or shown.largest))
    strip = (last - reach) / (last - first)
    if strip >= WIDE:
        lines = wrapped(shown.why)
    else:
        lines = wrapped(shown.why, UPRIGHT) if strip >= NARROW else [shown.short]
    return {
        "x": (reach + last) / 2,
        "xref": "x",
        "y": 0.5,
        "yref": "y domain",
        "text": "<br>".join(map(escape, lines)),
        "textangle": 0 if strip >= WIDE else -90,
        "showarrow": False,
    }


def _ticks(shown: SharesDrawn) -> list[float]:
    """Return every other scale, and so on, until an axis has room for their names."""
    every = 1
    while len(shown.scales[::every]) > MOST_TICKS:
        every += 1
    return [*shown.scales[::-1][::every]]


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


def _short(name: str) -> str:
    """Return a name as the legend has room for it."""
    is_long = len(name) > LONGEST
    return escape(f"{name[: LONGEST - 1]}…" if is_long else name)

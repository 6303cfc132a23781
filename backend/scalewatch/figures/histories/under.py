"""The curve of another commit, in grey, under the present one."""

from html import escape

import numpy as np

from scalewatch.figures.axes import hover_number
from scalewatch.figures.curves import Scaling
from scalewatch.figures.figure import Figure
from scalewatch.figures.notation import listed
from scalewatch.figures.palette import PALETTE


def add_under(figure: Figure, under: Scaling) -> None:
    """Draw the medians of another commit as a line, with its quartiles as a band."""
    figure.add_scatter(
        x=np.concatenate([under.x, under.x[::-1]]),
        y=np.concatenate([under.low, under.high[::-1]]),
        mode="lines",
        fill="toself",
        fillcolor=PALETTE["quiet"],
        line={"width": 0},
        opacity=0.2,
        hoverinfo="skip",
        showlegend=False,
        meta="quiet",
    )
    figure.add_scatter(
        x=under.x,
        y=under.middle,
        mode="lines+markers",
        line={"color": PALETTE["quiet"], "width": 1.5},
        marker={"color": PALETTE["quiet"], "size": 5},
        hovertemplate=(
            f"{escape(under.name)}<br>{escape(under.parameter)} = %{{x:,}}<br>"
            f"median {hover_number('y', under.unit)}<extra></extra>"
        ),
        name=f"at {listed(under.name)}",
        meta="quiet",
    )

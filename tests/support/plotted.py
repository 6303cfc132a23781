"""Figures as Plotly's own classes read them, which refuse unknown attributes."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import plotly.graph_objects as go

from scalewatch.figures.figure import Figure

Arguments = ParamSpec("Arguments")


def plotted(draw: Callable[Arguments, Figure]) -> Callable[Arguments, go.Figure]:
    """Return a function that draws, and has what it drew checked."""

    @wraps(draw)
    def checked(*given: Arguments.args, **named: Arguments.kwargs) -> go.Figure:
        figure = draw(*given, **named)
        return go.Figure({"data": figure.data, "layout": figure.layout})

    return checked

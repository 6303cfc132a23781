"""Figures as Plotly's own classes read them, which refuse unknown attributes.

Each is drawn as a picture, too, which has to be a document of XML.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec
from xml.etree import ElementTree as ET

import plotly.graph_objects as go

from scalewatch.figures.drawing import svg
from scalewatch.figures.figure import Figure

Arguments = ParamSpec("Arguments")


def plotted(draw: Callable[Arguments, Figure]) -> Callable[Arguments, go.Figure]:
    """Return a function that draws, and has what it drew checked."""

    @wraps(draw)
    def checked(*given: Arguments.args, **named: Arguments.kwargs) -> go.Figure:
        figure = draw(*given, **named)
        ET.fromstring(svg(figure, "heading", "place"))  # noqa: S314 - our own
        return go.Figure({"data": figure.data, "layout": figure.layout})

    return checked

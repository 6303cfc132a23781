"""Curves of models: solid where a growth was found, thin where it is open."""

from typing import Final

import numpy as np

from scalewatch.figures.curves import Curves, Scaling
from scalewatch.figures.figure import Figure
from scalewatch.figures.notation import growth_markup
from scalewatch.figures.palette import PALETTE
from scalewatch.figures.styles import Style
from scalewatch.modelling.arrays.types import Reals

BEYOND: Final = "2px,4px"
"""Line of a model where nothing was measured."""


CANDIDATES: Final = ("7px,3px", "4px,3px", "1px,3px")
"""Lines of what an open growth may be, the likeliest first."""


def add_model(
    figure: Figure,
    curves: Curves,
    scaling: Scaling,
    style: Style,
    *,
    is_listed: bool,
) -> None:
    """Draw a growth that was found: solid where measured, and inside its interval."""
    if scaling.model is None or curves.model is None:
        return
    values = scaling.bounded(curves.x, curves.model)
    is_measured = curves.x <= scaling.largest
    for part, dash in ((is_measured, style.dash), (~is_measured, BEYOND)):
        if not part.any():
            continue
        figure.add_scatter(
            x=curves.x[part],
            y=values[part],
            mode="lines",
            line={"color": PALETTE[style.role], "width": 2, "dash": dash},
            hoverinfo="skip",
            showlegend=is_listed and part is is_measured,
            name=f"model {growth_markup(scaling.model.growth)}",
            meta=style.role,
        )


def add_candidates(figure: Figure, x: Reals, scaling: Scaling, style: Style) -> None:
    """Draw what an open growth may be: thin, and only inside of the interval."""
    for model, dash in zip(scaling.candidates, CANDIDATES, strict=False):
        values = np.broadcast_to(model(scaling.at(x)), x.shape)
        inside = scaling.bounded(x, values)
        if np.isnan(inside).all():
            continue
        figure.add_scatter(
            x=x,
            y=inside,
            mode="lines",
            line={"color": PALETTE[style.role], "width": 1, "dash": dash},
            hoverinfo="skip",
            name=f"perhaps {growth_markup(model.growth)}",
            meta=style.role,
        )

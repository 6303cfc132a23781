"""Curves of models: solid where a growth was found, thin where it is open."""

from html import escape
from typing import Any, Final

import numpy as np

from scalewatch.figures.axes import DIGITS, digits_within, hover_number
from scalewatch.figures.colours import PALETTE, Style
from scalewatch.figures.curves import Curves, Scaling
from scalewatch.figures.figure import Figure
from scalewatch.figures.notation import growth_markup
from scalewatch.modelling.arrays import Reals

BEYOND: Final = "2px,4px"
"""Line of a model where nothing was measured."""

HOVER_DISTANCE: Final = 60
"""Pixels beside a curve from which it is read; plotly's own are 20."""

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
    growth = growth_markup(scaling.model.growth)
    name = f"model {growth}"
    is_measured = curves.x <= scaling.largest
    for part, dash in ((is_measured, style.dash), (~is_measured, BEYOND)):
        if not part.any():
            continue
        figure.add_scatter(
            x=curves.x[part],
            y=values[part],
            mode="lines",
            line={"color": PALETTE[style.role], "width": 2, "dash": dash},
            showlegend=is_listed and part is is_measured,
            name=name,
            meta=style.role,
            **curve_hover(
                scaling,
                curves.x[part],
                name,
                "" if is_listed else scaling.name,
                assumed="" if part is is_measured else f"if {growth} stays true",
            ),
        )


def add_candidates(figure: Figure, x: Reals, scaling: Scaling, style: Style) -> None:
    """Draw what an open growth may be: thin, and only inside of the interval."""
    for model, dash in zip(scaling.candidates, CANDIDATES, strict=False):
        name = f"perhaps {growth_markup(model.growth)}"
        values = np.broadcast_to(model(scaling.at(x)), x.shape)
        inside = scaling.bounded(x, values)
        if np.isnan(inside).all():
            continue
        figure.add_scatter(
            x=x,
            y=inside,
            mode="lines",
            line={"color": PALETTE[style.role], "width": 1, "dash": dash},
            name=name,
            meta=style.role,
            **curve_hover(scaling, x, name),
        )


def curve_hover(
    scaling: Scaling,
    x: Reals,
    words: str,
    place: str = "",
    *,
    assumed: str | None = "",
) -> dict[str, Any]:
    """Return what tells the value of a curve at `x` and the interval of the scan there.

    Parameters
    ----------
    words
        Name of the curve; it may hold markup, unlike the scan's texts.
    place
        Of which machine it is, where a figure has several.
    assumed
        What the interval takes for granted at `x`, as a clause; None of a curve that
        it is not about, such as an expectation.
    """
    bounds = None if assumed is None else scaling.bounds_at(x)
    digits = DIGITS if bounds is None else digits_within(*bounds)
    value = hover_number("y", scaling.unit, digits)
    lines = [
        *([escape(place)] if place else []),
        f"{escape(scaling.parameter)} = %{{x:,.4~g}}",
        f"{words}: {value}",
    ]
    if bounds is None:
        return {"hovertemplate": "<br>".join(lines) + "<extra></extra>"}
    low, high = (
        hover_number(f"customdata[{column}]", scaling.unit, digits) for column in (0, 1)
    )
    level = f"{scaling.forecasts[0].level:.0%}"
    lines.append(f"{level} interval: {low} to {high}{assumed and f', {assumed}'}")
    return {
        "customdata": np.column_stack(bounds),
        "hovertemplate": "<br>".join(lines) + "<extra></extra>",
    }

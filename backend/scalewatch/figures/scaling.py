"""How a region scales: measurements, model and expectation over a parameter.

A model is solid where a growth was found, and thin where it is open.
"""

from collections.abc import Sequence
from html import escape
from typing import Any, Final

import numpy as np

from scalewatch.figures.axes import (
    DIGITS,
    canvas,
    digits_within,
    hover_number,
    metric_axis,
    nothing,
    parameter_axis,
)
from scalewatch.figures.colours import Style, machine_role, styles, symbol
from scalewatch.figures.curves import Curves, Scaling, curves_of, middle_of
from scalewatch.figures.figure import Figure
from scalewatch.figures.notation import growth_markup, listed
from scalewatch.modelling.arrays import Reals
from scalewatch.wire import SIMULATED

MOST_REPETITIONS: Final = 120
"""Repetitions drawn at a coordinate; of more, evenly spread quantiles are drawn."""

MOST_EXPECTATIONS: Final = 4
"""Machines up to this number have an expectation each; of more the one in the middle
has one, as a line for each would hide what was measured."""

GOLDEN: Final = (5**0.5 - 1) / 2
"""Multiples of it, modulo one, spread evenly however many there are."""

NOTHING: Final = "no measurement succeeded"

LEFT_OUT: Final = "no evidence, left out"

BEYOND: Final = "2px,4px"
"""Line of a model where nothing was measured."""

HOVER_DISTANCE: Final = 60
"""Pixels beside a curve from which it is read; plotly's own are 20."""

CANDIDATES: Final = ("7px,3px", "4px,3px", "1px,3px")
"""Lines of what an open growth may be, the likeliest first."""


def scaling_figure(scaling: Scaling, under: Scaling | None = None) -> Figure:
    """Plot one scan with its expectation and what may deviate from it.

    Parameters
    ----------
    under
        The same scan at another commit, after which it is named: a curve in grey.
    """
    if not scaling.x.size:
        return nothing(NOTHING)
    curves = curves_of(scaling)
    figure = _frame([scaling], [curves], [under] if under else [])
    style = Style(machine_role(scaling.slot))
    _add_band(figure, curves)
    if under is not None:
        _add_under(figure, under)
    _add_interval(figure, curves.x, scaling)
    _add_repetitions(figure, scaling)
    if scaling.is_open:
        _add_candidates(figure, curves.x, scaling, style)
    else:
        _add_model(figure, curves, scaling.evidence, style, is_listed=True)
    # Dashes on top of the model show both where they agree.
    _add_expectation(figure, curves, scaling)
    # A picture of it may leave the page that says so.
    of = f", {escape(scaling.name)}" if SIMULATED in scaling.name else ""
    _add_measurements(figure, scaling, style, f"median, quartiles{of}")
    figure.update_layout(hoverdistance=HOVER_DISTANCE)
    return figure


def machines_figure(scalings: Sequence[Scaling]) -> Figure:
    """Plot scans of several machines together, each with its model."""
    measured = [scaling for scaling in scalings if scaling.x.size]
    if not measured:
        return nothing(NOTHING)
    line_styles = styles([(each.slot, each.position) for each in measured])
    all_curves = [curves_of(scaling) for scaling in measured]
    figure = _frame(measured, all_curves)
    for curves, scaling, style in zip(all_curves, measured, line_styles, strict=True):
        if not scaling.is_open:
            _add_model(figure, curves, scaling.evidence, style, is_listed=False)
    if len(measured) <= MOST_EXPECTATIONS:
        note = ", for each" if len(measured) > 1 else ""
        for curves, scaling in zip(all_curves, measured, strict=True):
            _add_expectation(figure, curves, scaling, note)
    else:
        for place in middle_of(all_curves):
            _add_expectation(figure, all_curves[place], measured[place], None)
    for scaling, style in zip(measured, line_styles, strict=True):
        _add_measurements(figure, scaling, style, listed(scaling.name))
    figure.label_lines()
    return figure


def _frame(
    scalings: Sequence[Scaling],
    curves: Sequence[Curves],
    others: Sequence[Scaling] = (),
) -> Figure:
    first = scalings[0]
    settings = [scaling.x for scaling in (*scalings, *others)]
    reached = [[scaling.end] for scaling in scalings if scaling.forecasts]
    measured = [
        values
        for scaling in (*scalings, *others)
        for values in (scaling.low, scaling.high, *scaling.repetitions)
    ]
    # A forecast was asked for: all of it is in sight, wide as it may be.
    measured += [
        np.array([each.low or each.value, each.high or each.value])
        for scaling in scalings
        for each in scaling.forecasts
        if each.value > 0 and (each.low is None or each.low > 0)
    ]
    figure = canvas()
    figure.update_layout(
        xaxis=parameter_axis(first.parameter, np.concatenate([*settings, *reached])),
        yaxis=metric_axis(
            first.metric,
            first.unit,
            measured=np.concatenate(measured),
            drawn=np.concatenate([each.drawn for each in curves]),
        ),
    )
    return figure


def _add_band(figure: Figure, curves: Curves) -> None:
    if curves.lower is None or curves.upper is None:
        return
    drawn = np.isfinite(curves.lower) & np.isfinite(curves.upper)
    x, lower, upper = curves.x[drawn], curves.lower[drawn], curves.upper[drawn]
    figure.add_scatter(
        x=np.concatenate([x, x[::-1]]),
        y=np.concatenate([lower, upper[::-1]]),
        mode="lines",
        fill="toself",
        line={"width": 0},
        hoverinfo="skip",
        name="tolerance",
        meta="band",
    )


def _add_under(figure: Figure, under: Scaling) -> None:
    """Draw the medians of another commit as a line, with its quartiles as a band."""
    figure.add_band(under.x, under.low, under.high, "quiet", 0.2, showlegend=False)
    figure.add_scatter(
        x=under.x,
        y=under.middle,
        mode="lines+markers",
        line={"width": 1.5},
        marker={"size": 5},
        hovertemplate=(
            f"{escape(under.name)}<br>{escape(under.parameter)} = %{{x:,}}<br>"
            f"median {hover_number('y', under.unit)}<extra></extra>"
        ),
        name=f"at {listed(under.name)}",
        meta="quiet",
    )


def _add_interval(figure: Figure, along: Reals, scaling: Scaling) -> None:
    """Add where the truth lies, as far as the measurements tell."""
    x, low, high = scaling.bounds
    if (low == high).all():  # nothing is known, or a formula leaves nothing open
        return
    if (low > 0).all() and (between := scaling.bounds_at(along)) is not None:
        x, (low, high) = along, between
        x, low, high = (each[~np.isnan(low)] for each in (x, low, high))
    if scaling.is_open and not scaling.candidates:
        _add_forecast(figure, scaling)
    figure.add_band(
        *(x, low, high, machine_role(scaling.slot), 0.2),
        name=f"{scaling.forecasts[0].level:.0%} interval",
    )


def _add_forecast(figure: Figure, scaling: Scaling) -> None:
    """Let the interval be read where no curve can be, as no growth fits."""
    x = np.array([each.at[scaling.parameter] for each in scaling.forecasts])
    figure.add_scatter(
        x=x,
        y=np.array([each.value for each in scaling.forecasts]),
        mode="lines",
        line={"width": 0},
        showlegend=False,
        name="forecast",
        meta=machine_role(scaling.slot),
        **_curve_hover(scaling, x, "forecast"),
    )


def _add_expectation(
    figure: Figure, curves: Curves, scaling: Scaling, note: str | None = ""
) -> None:
    """Draw what is expected; with `note` as None the legend has no entry for it."""
    expectation = scaling.expectation
    if expectation is None or curves.expectation is None:
        return
    words = f"expected {growth_markup(expectation)}"
    name = f"{words}{'' if curves.has_level else ' (shape only)'}{note or ''}"
    place = "" if note == "" else scaling.name
    figure.add_scatter(
        x=curves.x,
        y=curves.expectation,
        mode="lines",
        line={"dash": "6px,5px", "width": 1.5},
        legendgroup=name,
        showlegend=note is not None
        and not any(trace.get("name") == name for trace in figure.data),
        name=name,
        meta="expectation",
        **_curve_hover(scaling, curves.x, words, place, assumed=None)
        if curves.has_level
        else {"hoverinfo": "skip"},
    )


def _add_repetitions(figure: Figure, scaling: Scaling) -> None:
    """Add every repetition as a faint dot, spread sideways so that dots show."""
    if max((values.size for values in scaling.repetitions), default=0) <= 1:
        return
    columns = [
        values
        if values.size <= MOST_REPETITIONS
        else np.sort(values)[
            np.linspace(0, values.size - 1, MOST_REPETITIONS).astype(int)
        ]
        for values in scaling.repetitions
    ]
    settings = np.unique(scaling.x)
    width = float((settings[1:] / settings[:-1]).min(initial=2.0)) ** 0.16
    x = [
        setting * width ** (2 * ((np.arange(column.size) * GOLDEN) % 1) - 1)
        for setting, column in zip(scaling.x, columns, strict=True)
    ]
    role = machine_role(scaling.slot)
    figure.add_scatter(
        x=np.concatenate(x),
        y=np.concatenate(columns),
        mode="markers",
        marker={"size": 3, "opacity": 0.28},
        hoverinfo="skip",
        name="repetitions",
        meta=role,
    )


def _add_measurements(
    figure: Figure, scaling: Scaling, style: Style, name: str
) -> None:
    """Add medians and quartiles, those that are left out as open markers."""
    evidence, left_out = scaling.evidence, scaling.left_out
    marker = symbol(scaling.slot + scaling.position)
    if evidence.x.size:
        _add_medians(figure, evidence, style, marker, name)
    if left_out.x.size:
        listed = LEFT_OUT if evidence.x.size else f"{name} ({LEFT_OUT})"
        _add_medians(figure, left_out, style, f"{marker}-open", listed)


def _add_medians(
    figure: Figure, scaling: Scaling, style: Style, marker: str, name: str
) -> None:
    role = style.role
    low, high = (
        hover_number(f"customdata[{column}]", scaling.unit) for column in (0, 1)
    )
    figure.add_scatter(
        x=scaling.x,
        y=scaling.middle,
        mode="markers",
        marker={"size": 7, "symbol": marker},
        error_y={
            "array": scaling.high - scaling.middle,
            "arrayminus": scaling.middle - scaling.low,
            "thickness": 2,
            "width": 0,
        },
        customdata=np.column_stack([scaling.low, scaling.high]),
        hovertemplate=(
            f"{escape(scaling.parameter)} = %{{x:,}}<br>"
            f"median {hover_number('y', scaling.unit)}<br>"
            f"quartiles {low} to {high}<extra></extra>"
        ),
        name=name,
        meta=role,
    )


def _add_model(
    figure: Figure, curves: Curves, scaling: Scaling, style: Style, *, is_listed: bool
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
            line={"width": 2, "dash": dash},
            showlegend=is_listed and part is is_measured,
            name=name,
            meta=style.role,
            **_curve_hover(
                scaling,
                curves.x[part],
                name,
                "" if is_listed else scaling.name,
                assumed="" if part is is_measured else f"if {growth} stays true",
            ),
        )


def _add_candidates(figure: Figure, x: Reals, scaling: Scaling, style: Style) -> None:
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
            line={"width": 1, "dash": dash},
            name=name,
            meta=style.role,
            **_curve_hover(scaling, x, name),
        )


def _curve_hover(
    scaling: Scaling, x: Reals, words: str, place: str = "", *, assumed: str | None = ""
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

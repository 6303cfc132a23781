"""How a region scales: measurements, model and expectation over a parameter."""

from collections.abc import Sequence
from html import escape
from typing import Final

import numpy as np

from scalewatch.figures.axes import (
    canvas,
    hover_number,
    metric_axis,
    nothing,
    parameter_axis,
)
from scalewatch.figures.colours import PALETTE, Style, machine_role, styles, symbol
from scalewatch.figures.curves import Curves, Scaling, curves_of, middle_of
from scalewatch.figures.figure import Figure
from scalewatch.figures.histories.evidence import add_under
from scalewatch.figures.models import (
    HOVER_DISTANCE,
    add_candidates,
    add_model,
    curve_hover,
)
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

LEFT_OUT: Final = "shared cores, left out"


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
        add_under(figure, under)
    _add_interval(figure, curves.x, scaling)
    _add_repetitions(figure, scaling)
    if scaling.is_open:
        add_candidates(figure, curves.x, scaling, style)
    else:
        add_model(figure, curves, scaling.evidence, style, is_listed=True)
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
            add_model(figure, curves, scaling.evidence, style, is_listed=False)
    if len(measured) <= MOST_EXPECTATIONS:
        note = ", for each" if len(measured) > 1 else ""
        for curves, scaling in zip(all_curves, measured, strict=True):
            _add_expectation(figure, curves, scaling, note)
    else:
        for place in middle_of(all_curves):
            _add_expectation(figure, all_curves[place], measured[place], None)
    for scaling, style in zip(measured, line_styles, strict=True):
        _add_measurements(figure, scaling, style, listed(scaling.name))
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
        fillcolor=PALETTE["band"],
        line={"color": PALETTE["band"], "width": 0},
        hoverinfo="skip",
        name="deviation limit",
        meta="band",
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
    figure.add_scatter(
        x=np.concatenate([x, x[::-1]]),
        y=np.concatenate([low, high[::-1]]),
        mode="lines",
        fill="toself",
        fillcolor=PALETTE[machine_role(scaling.slot)],
        line={"width": 0},
        opacity=0.2,
        hoverinfo="skip",
        name=f"{scaling.forecasts[0].level:.0%} interval",
        meta=machine_role(scaling.slot),
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
        **curve_hover(scaling, x, "forecast"),
    )


def _add_expectation(
    figure: Figure, curves: Curves, scaling: Scaling, note: str | None = ""
) -> None:
    """Draw what is expected; with `note` as None the legend has no entry for it."""
    expectation = scaling.expectation
    if expectation is None or curves.expectation is None:
        return
    name = f"expected {growth_markup(expectation)}{note or ''}"
    figure.add_scatter(
        x=curves.x,
        y=curves.expectation,
        mode="lines",
        line={"color": PALETTE["expectation"], "dash": "6px,5px", "width": 1.5},
        legendgroup=name,
        showlegend=note is not None
        and not any(trace.get("name") == name for trace in figure.data),
        name=name,
        meta="expectation",
        **curve_hover(
            scaling,
            curves.x,
            f"expected {growth_markup(expectation)}",
            "" if note == "" else scaling.name,
            assumed=None,
        ),
    )


def _add_repetitions(figure: Figure, scaling: Scaling) -> None:
    """Add every repetition as a faint dot, spread sideways so that dots show."""
    if max((values.size for values in scaling.repetitions), default=0) <= 1:
        return
    columns = [_thinned(values) for values in scaling.repetitions]
    width = _spacing(scaling.x) ** 0.16
    x = [
        setting * width ** (2 * ((np.arange(column.size) * GOLDEN) % 1) - 1)
        for setting, column in zip(scaling.x, columns, strict=True)
    ]
    role = machine_role(scaling.slot)
    figure.add_scatter(
        x=np.concatenate(x),
        y=np.concatenate(columns),
        mode="markers",
        marker={"color": PALETTE[role], "size": 3, "opacity": 0.28},
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
        marker={
            "color": PALETTE[role],
            "size": 7,
            "symbol": marker,
        },
        error_y={
            "array": scaling.high - scaling.middle,
            "arrayminus": scaling.middle - scaling.low,
            "color": PALETTE[role],
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


def _thinned(values: Reals) -> Reals:
    """Return at most `MOST_REPETITIONS` quantiles, the extremes among them."""
    if values.size <= MOST_REPETITIONS:
        return values
    evenly = np.linspace(0, values.size - 1, MOST_REPETITIONS).astype(int)
    quantiles: Reals = np.sort(values)[evenly]
    return quantiles


def _spacing(x: Reals) -> float:
    """Return the smallest ratio between neighbouring settings."""
    distinct = np.unique(x)
    return float((distinct[1:] / distinct[:-1]).min(initial=2.0))

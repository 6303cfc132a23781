"""Scaling errors and efficiencies: contours over pairs of scales, and single rows.

The contours are those of Figure 1, the rows those of Figure 2 of "Formulation of
Scientific Codes", LA-UR-14-26577, whose n₁ and n₂ are p₁ and p₂ here, as n is the
problem size: p₂ to the right, p₁ upwards, and an outline around what was measured.
Back from p₂ to fewer processes p₁ the error is that of the same two times and nothing
new: only p₂ > p₁ is drawn.

The parallel efficiency is 1 less the error as a share of the ideal: 1 - α·p₁/p₂ and
1 - β with equations (4) and (5) there.

α grows like p₂/p₁, so that few pairs in a corner are far above all others. The colours
are linear in the error over most pairs, the others have the last colour.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log10
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.figures.axes import canvas, parameter_axis, plain_axis, titled
from scalewatch.figures.colours import PALETTE, Style, styles, symbol
from scalewatch.figures.figure import Figure
from scalewatch.figures.notation import listed
from scalewatch.modelling import ScalingErrors, ScalingKind
from scalewatch.modelling.arrays import Reals
from scalewatch.texts.scales import RESOURCES, Scale

Matrix = Reals

PROCESSES: Final = RESOURCES["p"]

LETTERS: Final = {ScalingKind.STRONG: "α", ScalingKind.WEAK: "β"}

SIGNED: Final = ("below", "surface", "above")
"""Roles of the colours of a negative value, of 0 and of a positive one."""

PAIR: Final = "from %{y:,} to %{x:,}"
"""A pair in a hover text."""

MOST_LEVELS: Final = 6
"""Isolines on either side of 0."""

MOST_PAIRS: Final = 0.7
"""Share of the pairs over which colours are linear, where others are far above."""

FAR: Final = 2.0
"""Times as much as most pairs have: what is no larger has colours of its own."""

ROUNDING: Final = 1e-9
"""Errors below this are 0."""

STEP: Final = 10
"""Per cent of efficiency between isolines."""

TICKS: Final = (0, 25, 50, 75, 100)
"""Per cent of efficiency that the bar of colours names."""

TOP: Final = 105.0
"""Where axes of efficiency end, in per cent, unless something exceeds the ideal."""


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """The errors of one scaling for a fixed p₁, as a line draws them.

    Parameters
    ----------
    name
        In the legend, plain text.
    slot, position
        That of the machine among the project's, and of the row among the machine's.
    n2, errors
        Shape (n,).
    is_extrapolated
        Where a model was not measured, shape (n,).
    """

    name: str
    slot: int
    n2: Reals
    errors: Reals
    is_extrapolated: NDArray[np.bool_]
    position: int = 0


def contour_figure(scaling: ScalingErrors, scale: Scale = PROCESSES) -> Figure:
    """Plot the scaling error over all pairs p₂ > p₁, an outline around the measured."""
    letter = LETTERS[scaling.kind]
    figure = _error_contours(scaling.scales, scaling.errors, letter, scale)
    if not figure.data:
        return figure
    is_known = np.isfinite(scaling.errors)
    is_drawn = scaling.scales >= scaling.scales[:, np.newaxis]
    is_inside = is_known & ~scaling.is_extrapolated & is_drawn
    corners = convex_hull(np.log2(scaling.scales[np.argwhere(is_inside)[:, ::-1]]))
    if len(corners) >= 3:
        closed = np.exp2(np.vstack([corners, corners[:1]]))
        figure.add_scatter(
            x=closed[:, 0],
            y=closed[:, 1],
            mode="lines",
            line={"width": 2, "dash": "6px,4px"},
            hoverinfo="skip",
            name="measured",
            showlegend=bool(scaling.is_extrapolated.any()),
            meta="ink",
        )
    if not scaling.is_modelled:
        is_marked = is_known & upper_triangle(scaling.scales)
        value = f"{letter} = %{{customdata:.3~g}}"
        marker = {"color": PALETTE["ink"], "size": 5}
        pairs = scaling.scales, scaling.errors, is_marked
        _add_pairs(figure, *pairs, marker, value, name="measured")
    return figure


def difference_figure(
    scaling: ScalingErrors, other: ScalingErrors, scale: Scale = PROCESSES
) -> Figure:
    """Plot how much larger one scaling error is than another, where both are known."""
    common, rows, others = np.intersect1d(
        scaling.scales, other.scales, return_indices=True
    )
    difference = (
        scaling.errors[np.ix_(rows, rows)] - other.errors[np.ix_(others, others)]
    )
    return _error_contours(common, difference, f"Δ{LETTERS[scaling.kind]}", scale)


def efficiency_figure(scaling: ScalingErrors, scale: Scale = PROCESSES) -> Figure:
    """Plot the efficiency in per cent over all pairs p₂ > p₁."""
    scales = scaling.scales
    is_drawn = scales >= scales[:, np.newaxis]
    percent = np.where(is_drawn, 100 * (1 - scaling.normalised), np.nan)
    figure = canvas()
    is_known = np.isfinite(percent)
    if scales.size < 2 or not is_known.any():
        return figure
    _add_contours(
        figure,
        scales,
        _continued(percent, 100),
        (0, 100),
        scale,
        contours={"start": STEP, "end": 100 - STEP, "size": STEP},
        colorscale="Viridis",
        colorbar={
            "thickness": 10,
            "outlinewidth": 0,
            "tickvals": list(TICKS),
            "ticktext": [f"{tick} %" for tick in TICKS],
        },
        line={"color": "#ffffff", "width": 0.6},
        connectgaps=False,
        hoverinfo="skip",
    )
    is_beyond = scaling.is_extrapolated[is_known]
    hollow = np.where(is_beyond, "circle-open", "circle").tolist()
    marker = {"color": PALETTE["ink"], "size": 6, "symbol": hollow}
    value = "efficiency = %{customdata:.3~g} %"
    _add_pairs(figure, scales, percent, is_known, marker, value)
    return figure


def rows_figure(
    kind: ScalingKind,
    base: float,
    rows: Sequence[ErrorRow],
    scale: Scale = PROCESSES,
) -> Figure:
    """Plot one row of the contours of each scaling: the error from p₁ to all p₂."""
    drawn = [row for row in rows if np.isfinite(row.errors).any()]
    letter = LETTERS[kind]
    return _rows(
        drawn,
        f"{letter} from {scale.counted(base)} on",
        0,
        f"{letter} = %{{y:.3~g}}",
        scale,
    )


def efficiency_rows_figure(
    base: float, rows: Sequence[ErrorRow], scale: Scale = PROCESSES
) -> Figure:
    """Plot the efficiency from p₁ to all larger p₂ of each scaling.

    Parameters
    ----------
    rows
        Their `errors` are shares of the ideal that are lost.
    """
    drawn = []
    for row in rows:
        shown = row.n2 >= base
        percent = 100 * (1 - row.errors[shown])
        if np.isfinite(percent).any():
            n2, is_extrapolated = row.n2[shown], row.is_extrapolated[shown]
            drawn.append(
                replace(row, n2=n2, errors=percent, is_extrapolated=is_extrapolated)
            )
    title = f"efficiency from {scale.counted(base)} on"
    figure = _rows(drawn, title, 100, "efficiency = %{y:.3~g} %", scale)
    if drawn:
        best = max(float(np.nanmax(row.errors)) for row in drawn)
        axis = {"range": [0, max(TOP, 1.05 * best)], "ticksuffix": " %"}
        figure.update_layout(yaxis=axis)
    return figure


def _rows(
    drawn: Sequence[ErrorRow], title: str, level: float, value: str, scale: Scale
) -> Figure:
    """Plot rows over p₂ with a line at the ideal level."""
    figure = canvas()
    if not drawn:
        return figure
    axis = parameter_axis(scale.name, np.concatenate([row.n2 for row in drawn]))
    figure.update_layout(
        xaxis=titled(axis, scale.end("₂")), yaxis=plain_axis(axis, title)
    )
    line = {"color": PALETTE["expectation"], "dash": "6px,5px"}
    figure.add_level(y=level, line=line)
    line_styles = styles([(row.slot, row.position) for row in drawn])
    for row, style in zip(drawn, line_styles, strict=True):
        _add_row(figure, row, style, value, scale)
    figure.label_lines()
    return figure


def _error_contours(scales: Reals, errors: Matrix, letter: str, scale: Scale) -> Figure:
    """Plot errors of pairs p₂ > p₁ by signed colours with labelled isolines."""
    figure = canvas()
    values = errors[upper_triangle(scales)]
    values = values[np.isfinite(values)]
    if not values.size:
        return figure
    step, low, high = _levels(values)
    signs = SIGNED if low < 0 else SIGNED[1:]
    # The last level of the bar of colours is the least of all above.
    levels = np.arange(round(low / step), round(high / step) + 1) * step
    names = [f"{level:.3g}".replace("-", "−") for level in levels]
    if values.max() > high:
        names[-1] = f"≥ {names[-1]}"
    _add_contours(
        figure,
        scales,
        _continued(errors, 0),
        (low, high),
        scale,
        contours={
            "start": low + step,
            "end": high,
            "size": step,
            "showlabels": True,
            "labelfont": {"color": PALETTE["ink"], "size": 11},
        },
        colorscale=[
            [i / (len(signs) - 1), PALETTE[role]] for i, role in enumerate(signs)
        ],
        colorbar={
            "thickness": 10,
            "outlinewidth": 0,
            "title": {"text": letter},
            "tickvals": levels.tolist(),
            "ticktext": names,
        },
        line={"color": PALETTE["ink"], "width": 0.6},
        connectgaps=False,
        hovertemplate=f"{PAIR}<br>{letter} = %{{z:.3~g}}<extra></extra>",
        meta="ink",
    )
    return figure


def _add_contours(
    figure: Figure,
    scales: Reals,
    values: Matrix,
    ends: tuple[float, float],
    scale: Scale,
    **look: Any,
) -> None:
    """Add contours over pairs of scales, and cover what lies at p₂ < p₁."""
    axis = parameter_axis(scale.name, scales)
    figure.update_layout(
        xaxis=titled(axis, f"to {scale.end('₂')}"),
        yaxis=titled(axis, f"from {scale.end('₁')}"),
    )
    figure.add_contour(
        x=scales,
        y=scales,
        z=values,
        zmin=ends[0],
        zmax=ends[1],
        zauto=False,
        autocontour=False,
        **look,
    )
    low, high = float(scales.min()), float(scales.max())
    figure.add_scatter(
        x=[low, high, low, low],
        y=[low, high, high, low],
        mode="lines",
        fill="toself",
        line={"width": 1},
        hoverinfo="skip",
        showlegend=False,
        meta="surface",
    )


def upper_triangle(scales: Reals) -> NDArray[np.bool_]:
    """Tell which pairs lead to more processes, p₂ > p₁; shape (n, n)."""
    return np.asarray(scales > scales[:, np.newaxis])


def _continued(values: Matrix, ideal: float) -> Matrix:
    """Return values that go on evenly through the ideal of p₂ = p₁, no farther.

    Contours need all four corners of a cell; the fourth of those on the diagonal lies
    below it, where it is covered.
    """
    continued = np.where(np.tri(len(values), k=-1, dtype=bool), np.nan, values)
    after = np.arange(1, len(values))
    continued[after, after - 1] = 2 * ideal - values[after - 1, after]
    return continued


def _levels(values: Reals) -> tuple[float, float, float]:
    """Return a round distance of isolines, and multiples at the ends of the colours.

    Colours begin at 0 where nothing is below it, else 0 is in their middle.
    """
    sizes = np.abs(values)
    most = float(np.quantile(sizes, MOST_PAIRS))
    largest = float(sizes.max())
    if most >= ROUNDING and largest > FAR * most:
        largest = most
    if largest < ROUNDING:
        largest = 1.0
    rough = largest / MOST_LEVELS
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * nice for nice in (1, 2, 5, 10) if unit * nice >= rough)
    high = step * ceil(largest / step - ROUNDING)
    return step, (-high if values.min() < -step / 2 else 0.0), high


def _add_pairs(  # noqa: PLR0913, PLR0917 - which pairs, and how they look
    figure: Figure,
    scales: Reals,
    values: Matrix,
    is_marked: NDArray[np.bool_],
    marker: dict[str, Any],
    value: str,
    **named: str,
) -> None:
    """Mark pairs, each with its value."""
    rows, columns = np.nonzero(is_marked)
    figure.add_scatter(
        x=scales[columns],
        y=scales[rows],
        customdata=values[is_marked],
        mode="markers",
        marker=marker,
        hovertemplate=f"{PAIR}<br>{value}<extra></extra>",
        **named,
        showlegend=False,
        meta="ink",
    )


def _add_row(
    figure: Figure, row: ErrorRow, style: Style, value: str, scale: Scale
) -> None:
    """Add a row: a line that is dotted where it is extrapolated.

    Parameters
    ----------
    value
        How a value is told, as plotly's templates have it.
    """
    role, mark = style.role, symbol(row.slot + row.position)
    beyond = row.is_extrapolated
    # Each part keeps the points that it shares with the other: no gap between them.
    beside = np.convolve(beyond, [1, 1, 1], "same") > 0
    parts = [(~beyond, style.dash, True)]
    if beyond.any():
        parts.append((beside, "2px,4px", False))
    for is_part, dash, is_listed in parts:
        figure.add_scatter(
            x=row.n2,
            y=np.where(is_part, row.errors, np.nan),
            mode="lines+markers",
            line={"width": 2, "dash": dash},
            marker={"size": 7, "symbol": mark},
            hovertemplate=f"%{{x:,}} {scale.many}<br>{value}<extra></extra>",
            name=listed(row.name) if is_listed else "extrapolated",
            showlegend=is_listed,
            meta=role,
        )


Points = NDArray[np.float64]


def convex_hull(points: Points) -> Points:
    """Return the corners of the convex hull, counterclockwise (Andrew's chain).

    Parameters
    ----------
    points
        Shape (n, 2).
    """
    distinct = np.unique(points, axis=0)
    if len(distinct) < 3:
        return distinct
    lower, upper = _chain(distinct), _chain(distinct[::-1])
    return np.array(lower[:-1] + upper[:-1])


def _chain(points: Points) -> list[Points]:
    """Return the points that turn left all the way, from the first to the last."""
    chain: list[Points] = []
    for point in points:
        while len(chain) > 1:
            (ax, ay), (bx, by), (cx, cy) = chain[-2], chain[-1], point
            if (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) > 0:
                break  # to the left
            chain.pop()
        chain.append(point)
    return chain

"""Scaling errors: contours over pairs of scales, single rows, and differences.

The contours are those of Figure 1, the rows those of Figure 2 of "Formulation of
Scientific Codes", LA-UR-14-26577, whose n₁ and n₂ are p₁ and p₂ here, as n is the
problem size: p₂ to the right, p₁ upwards, and an outline around what was measured.
Back from p₂ to fewer processes p₁ the error is that of the same two times and nothing
new: only p₂ > p₁ is drawn.

α grows like p₂/p₁, so that few pairs in a corner are far above all others. The colours
are linear in the error over most pairs, the others have the last colour.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.figures.axes import canvas, parameter_axis
from scalewatch.figures.colours import PALETTE, Style, styles, symbol
from scalewatch.figures.figure import Figure
from scalewatch.figures.notation import listed
from scalewatch.modelling import ScalingErrors, ScalingKind
from scalewatch.modelling.arrays import Reals

Matrix = Reals

LETTERS: Final = {ScalingKind.STRONG: "α", ScalingKind.WEAK: "β"}

SIGNED: Final = ("below", "surface", "above")
"""Roles of the colours of a negative value, of 0 and of a positive one."""

MOST_LEVELS: Final = 6
"""Isolines on either side of 0."""

MOST_PAIRS: Final = 0.7
"""Share of the pairs over which colours are linear, where others are far above."""

FAR: Final = 2.0
"""Times as much as most pairs have: what is no larger has colours of its own."""

ROUNDING: Final = 1e-9
"""Errors below this are 0."""


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


def contour_figure(scaling: ScalingErrors) -> Figure:
    """Plot the scaling error over all pairs p₂ > p₁."""
    letter = LETTERS[scaling.kind]
    figure = _contours(scaling.scales, scaling.errors, letter)
    if figure.data:
        _add_outline(figure, scaling)
        _add_pairs(figure, scaling, letter)
    return figure


def difference_figure(scaling: ScalingErrors, other: ScalingErrors) -> Figure:
    """Plot how much larger one scaling error is than another, where both are known."""
    common, rows, others = np.intersect1d(
        scaling.scales, other.scales, return_indices=True
    )
    difference = (
        scaling.errors[np.ix_(rows, rows)] - other.errors[np.ix_(others, others)]
    )
    return _contours(common, difference, f"Δ{LETTERS[scaling.kind]}")


def rows_figure(kind: ScalingKind, base: float, rows: Sequence[ErrorRow]) -> Figure:
    """Plot one row of the contours of each scaling: the error from p₁ to all p₂."""
    drawn = [row for row in rows if np.isfinite(row.errors).any()]
    figure = canvas()
    if not drawn:
        return figure
    axis = parameter_axis("p", np.concatenate([row.n2 for row in drawn]))
    figure.update_layout(
        xaxis=axis | {"title": {"text": "processes p₂", "standoff": 12}},
        yaxis=plain_axis(axis, f"{LETTERS[kind]} from p₁ = {base:,g}"),
    )
    figure.add_level(y=0, line={"color": PALETTE["expectation"], "dash": "6px,5px"})
    line_styles = styles([(row.slot, row.position) for row in drawn])
    for row, style in zip(drawn, line_styles, strict=True):
        add_row(figure, row, style, f"{LETTERS[kind]} = %{{y:.3~g}}")
    return figure


def _contours(scales: Reals, errors: Matrix, letter: str) -> Figure:
    """Plot values of pairs p₂ > p₁ by signed colours with labelled isolines."""
    figure = canvas()
    values = errors[upper_triangle(scales)]
    values = values[np.isfinite(values)]
    if not values.size:
        return figure
    step, low, high = _levels(values)
    axis = parameter_axis("p", scales)
    figure.update_layout(
        xaxis=axis | {"title": {"text": "to p₂ processes", "standoff": 12}},
        yaxis=axis | {"title": {"text": "from p₁ processes", "standoff": 12}},
    )
    signs = SIGNED if low < 0 else SIGNED[1:]
    figure.add_contour(
        x=scales,
        y=scales,
        z=_continued(errors),
        zmin=low,
        zmax=high,
        zauto=False,
        autocontour=False,
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
        colorbar={"thickness": 10, "outlinewidth": 0, "title": {"text": letter}}
        | _ticks(step, low, high, float(values.max())),
        line={"color": PALETTE["ink"], "width": 0.6},
        connectgaps=False,
        hovertemplate=(
            "from p₁ = %{y:,} to p₂ = %{x:,}<br>"
            + letter
            + " = %{z:.3~g}<extra></extra>"
        ),
        meta="ink",
    )
    cover_mirror(figure, scales)
    return figure


def upper_triangle(scales: Reals) -> NDArray[np.bool_]:
    """Tell which pairs lead to more processes, p₂ > p₁; shape (n, n)."""
    return np.asarray(scales > scales[:, np.newaxis])


def cover_mirror(figure: Figure, scales: Reals) -> None:
    """Cover what lies at p₂ < p₁."""
    low, high = float(scales.min()), float(scales.max())
    figure.add_scatter(
        x=[low, high, low, low],
        y=[low, high, high, low],
        mode="lines",
        fill="toself",
        fillcolor=PALETTE["surface"],
        line={"color": PALETTE["surface"], "width": 1},
        hoverinfo="skip",
        showlegend=False,
        meta="surface",
    )


def _continued(errors: Matrix) -> Matrix:
    """Return errors that go on evenly through the 0 of p₂ = p₁, no farther.

    Contours need all four corners of a cell; the fourth of those on the diagonal lies
    below it, where it is covered.
    """
    continued = np.where(np.tri(len(errors), k=-1, dtype=bool), np.nan, errors)
    after = np.arange(1, len(errors))
    continued[after, after - 1] = -errors[after - 1, after]
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


def _ticks(step: float, low: float, high: float, largest: float) -> dict[str, Any]:
    """Name the levels of the bar of colours, the last one as the least of all above."""
    levels = np.arange(round(low / step), round(high / step) + 1) * step
    names = [f"{level:.3g}".replace("-", "−") for level in levels]
    if largest > high:
        names[-1] = f"≥ {names[-1]}"
    return {"tickvals": levels.tolist(), "ticktext": names}


def _add_outline(figure: Figure, scaling: ScalingErrors) -> None:
    """Outline the pairs that were measured, or that a model need not extrapolate."""
    is_drawn = upper_triangle(scaling.scales) | np.eye(scaling.scales.size, dtype=bool)
    is_inside = np.isfinite(scaling.errors) & ~scaling.is_extrapolated & is_drawn
    corners = convex_hull(np.log2(scaling.scales[np.argwhere(is_inside)[:, ::-1]]))
    if len(corners) < 3:
        return
    closed = np.exp2(np.vstack([corners, corners[:1]]))
    figure.add_scatter(
        x=closed[:, 0],
        y=closed[:, 1],
        mode="lines",
        line={"color": PALETTE["ink"], "width": 2, "dash": "6px,4px"},
        hoverinfo="skip",
        name="measured",
        showlegend=bool(scaling.is_extrapolated.any()),
        meta="ink",
    )


def _add_pairs(figure: Figure, scaling: ScalingErrors, letter: str) -> None:
    """Mark the pairs that were measured, each with its error."""
    if scaling.is_modelled:
        return
    is_known = np.isfinite(scaling.errors) & upper_triangle(scaling.scales)
    pairs = np.argwhere(is_known)
    figure.add_scatter(
        x=scaling.scales[pairs[:, 1]],
        y=scaling.scales[pairs[:, 0]],
        customdata=scaling.errors[is_known],
        mode="markers",
        marker={"color": PALETTE["ink"], "size": 5},
        hovertemplate=(
            "from p₁ = %{y:,} to p₂ = %{x:,}<br>"
            + letter
            + " = %{customdata:.3~g}<extra></extra>"
        ),
        name="measured",
        showlegend=False,
        meta="ink",
    )


def add_row(figure: Figure, row: ErrorRow, style: Style, value: str) -> None:
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
            line={"color": PALETTE[role], "width": 2, "dash": dash},
            marker={"color": PALETTE[role], "size": 7, "symbol": mark},
            hovertemplate=f"p₂ = %{{x:,}}<br>{value}<extra></extra>",
            name=listed(row.name) if is_listed else "extrapolated",
            showlegend=is_listed,
            meta=role,
        )


def plain_axis(axis: dict[str, Any], title: str) -> dict[str, Any]:
    """Return a linear axis that looks like another one."""
    kept = ("automargin", "gridcolor", "linecolor", "showline", "tickcolor", "ticks")
    titled = {"title": {"text": title, "standoff": 12}, "zeroline": False}
    return {name: axis[name] for name in kept} | titled


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
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain


def _turn(a: Points, b: Points, c: Points) -> float:
    """Return a number that is positive if a, b, c turn left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

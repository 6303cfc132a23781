"""Scaling errors: contours over pairs of scales, single rows, and differences.

The contours are those of Figure 1, the rows those of Figure 2 of "Formulation of
Scientific Codes", LA-UR-14-26577: n₂ to the right, n₁ upwards, 0 in the middle of the
colours, and an outline around what was measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.figures.axes import canvas, parameter_axis
from scalewatch.figures.figure import Figure
from scalewatch.figures.palette import PALETTE, symbol
from scalewatch.figures.scaling_errors.hull import convex_hull
from scalewatch.figures.styles import Style, styles
from scalewatch.modelling import ScalingErrors, ScalingKind
from scalewatch.modelling.arrays.types import Reals

Matrix = Reals

LETTERS: Final = {ScalingKind.STRONG: "α", ScalingKind.WEAK: "β"}

SIGNED: Final = ("below", "surface", "above")
"""Roles of the colours of a negative value, of 0 and of a positive one."""

MOST_LEVELS: Final = 6
"""Isolines on either side of 0."""

ROUNDING: Final = 1e-9
"""Errors below this are 0."""


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """What is drawn of one scaling for a fixed n₁.

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
    """Plot the scaling error over all pairs of scales."""
    letter = LETTERS[scaling.kind]
    figure = _contours(scaling.scales, scaling.errors, letter)
    if figure.data:
        _add_outline(figure, scaling)
        _add_pairs(figure, scaling)
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
    """Plot one row of the contours of each scaling: the error from n₁ to all n₂."""
    drawn = [row for row in rows if np.isfinite(row.errors).any()]
    figure = canvas()
    if not drawn:
        return figure
    axis = parameter_axis("p", np.concatenate([row.n2 for row in drawn]))
    figure.update_layout(
        xaxis=axis | {"title": {"text": "processes n₂", "standoff": 12}},
        yaxis=plain_axis(axis, f"{LETTERS[kind]} from n₁ = {base:,g}"),
    )
    figure.add_level(y=0, line={"color": PALETTE["expectation"], "dash": "6px,5px"})
    own = styles([(row.slot, row.position) for row in drawn])
    for row, style in zip(drawn, own, strict=True):
        add_row(figure, row, style, f"{LETTERS[kind]} = %{{y:.3~g}}")
    return figure


def _contours(scales: Reals, errors: Matrix, letter: str) -> Figure:
    """Plot values of pairs by signed colours with labelled isolines."""
    figure = canvas()
    if scales.size < 2 or not np.isfinite(errors).any():
        return figure
    step, reach = _levels(errors)
    axis = parameter_axis("p", scales)
    figure.update_layout(
        xaxis=axis | {"title": {"text": "processes n₂", "standoff": 12}},
        yaxis=axis | {"title": {"text": "processes n₁", "standoff": 12}},
    )
    figure.add_contour(
        x=scales,
        y=scales,
        z=errors,
        zmin=-reach,
        zmax=reach,
        zauto=False,
        autocontour=False,
        contours={
            "start": -reach,
            "end": reach,
            "size": step,
            "showlabels": True,
            "labelfont": {"color": PALETTE["ink"], "size": 11},
        },
        colorscale=[[i / 2, PALETTE[role]] for i, role in enumerate(SIGNED)],
        colorbar={"thickness": 10, "outlinewidth": 0, "title": {"text": letter}},
        line={"color": PALETTE["ink"], "width": 0.6},
        connectgaps=False,
        hovertemplate=(
            "n₁ = %{y:,}<br>n₂ = %{x:,}<br>" + letter + " = %{z:.3~g}<extra></extra>"
        ),
        meta="ink",
    )
    return figure


def _levels(errors: Matrix) -> tuple[float, float]:
    """Return a round distance of isolines, and the multiple that encloses all."""
    largest = float(np.nanmax(np.abs(errors)))
    if largest < ROUNDING:
        largest = 1.0
    rough = largest / MOST_LEVELS
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * nice for nice in (1, 2, 5, 10) if unit * nice >= rough)
    return step, step * ceil(largest / step)


def _add_outline(figure: Figure, scaling: ScalingErrors) -> None:
    """Outline the pairs that were measured, or that a model need not extrapolate."""
    is_inside = np.isfinite(scaling.errors) & ~scaling.is_extrapolated
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


def _add_pairs(figure: Figure, scaling: ScalingErrors) -> None:
    """Mark the pairs that were measured."""
    if scaling.is_modelled:
        return
    pairs = np.argwhere(np.isfinite(scaling.errors))
    figure.add_scatter(
        x=scaling.scales[pairs[:, 1]],
        y=scaling.scales[pairs[:, 0]],
        mode="markers",
        marker={"color": PALETTE["ink"], "size": 3},
        hoverinfo="skip",
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
            hovertemplate=f"n₂ = %{{x:,}}<br>{value}<extra></extra>",
            name=escape(row.name) if is_listed else "extrapolated",
            showlegend=is_listed,
            meta=role,
        )


def plain_axis(axis: dict[str, Any], title: str) -> dict[str, Any]:
    """Return a linear axis that looks like another one."""
    kept = ("automargin", "gridcolor", "linecolor", "showline", "tickcolor", "ticks")
    own = {"title": {"text": title, "standoff": 12}, "zeroline": False}
    return {name: axis[name] for name in kept} | own

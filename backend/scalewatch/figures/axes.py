"""Axes and frames that all figures share."""

from html import escape
from math import ceil, log10
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.figures.figure import Figure
from scalewatch.figures.palette import PALETTE

PREFIXED: Final = frozenset({"s", "B", "flop"})
"""Units that SI prefixes go with."""

WITHOUT: Final = frozenset({"", "1"})
"""Units that are not written: what has none, and what is counted."""

MOST_TICKS: Final = 9
"""Settings up to this number are the ticks of their axis."""

LEEWAY: Final = 4.0
"""Curves are in sight as far as this factor beyond the measurements."""

DIGITS: Final = 3
"""Significant digits of a number without an interval."""

FEWEST_DIGITS: Final = 2
MOST_DIGITS: Final = 6
SPREAD: Final = 4.0
"""A last digit is told if the narrowest interval is about this many of them wide."""

NAMES: Final = {"p": "processes p", "n": "problem size n"}


def canvas() -> Figure:
    """Return an empty figure: transparent, quiet lines, the legend on top."""
    return Figure(
        layout={
            "font": {"color": PALETTE["quiet"], "size": 12},
            "hoverlabel": {"align": "left"},
            "hovermode": "closest",
            "legend": {
                "orientation": "h",
                "x": 0,
                "xanchor": "left",
                "y": 1.02,
                "yanchor": "bottom",
            },
            "margin": {"l": 8, "r": 24, "t": 8, "b": 8},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
        }
    )


def nothing(why: str) -> Figure:
    """Return a figure without axes that says why nothing is drawn."""
    figure = canvas()
    figure.update_layout(
        xaxis={"visible": False},
        yaxis={"visible": False},
        annotations=[{"text": escape(why), "showarrow": False}],
    )
    return figure


def parameter_axis(parameter: str, settings: NDArray[np.float64]) -> dict[str, Any]:
    """Return a logarithmic axis with its ticks where measurements are."""
    axis = titled_axis(NAMES.get(parameter, parameter)) | {"type": "log"}
    distinct = np.unique(settings)
    if 1 < distinct.size <= MOST_TICKS:
        axis |= {
            "tickmode": "array",
            "tickvals": distinct.tolist(),
            "ticktext": [f"{setting:,g}" for setting in distinct],
        }
    return axis


def metric_axis(
    metric: str, unit: str, measured: NDArray[np.float64], drawn: NDArray[np.float64]
) -> dict[str, Any]:
    """Return a logarithmic axis, a linear one where a measurement is not positive.

    Parameters
    ----------
    measured, drawn
        Values of points, all of which are in sight, and of curves, which may leave
        the picture: a model can be tiny, or negative, between measurements.
    """
    axis = titled_axis(metric if unit in WITHOUT else f"{metric} [{unit}]")
    if measured.min() <= 0:
        return axis | {"rangemode": "tozero"}
    low, high = _range(measured, drawn)
    axis |= {
        "type": "log",
        "exponentformat": "SI",
        "minexponent": 0,
        "nticks": max(5, ceil(high - low) + 1),  # none of many decades is skipped
        "range": [low, high],
    }
    return axis | ({"ticksuffix": unit} if unit in PREFIXED else {})


def titled_axis(title: str) -> dict[str, Any]:
    """Return a linear axis that looks like all others."""
    return {
        "automargin": True,
        "gridcolor": PALETTE["grid"],
        "linecolor": PALETTE["grid"],
        "showline": True,
        "ticks": "outside",
        "tickcolor": PALETTE["grid"],
        # The margins hold all labels, at the very edge too: none need be looked for.
        "ticklabeloverflow": "allow",
        "title": {"text": escape(title), "standoff": 12},
        "zeroline": False,
    }


def hover_number(name: str, unit: str, digits: int = DIGITS) -> str:
    """Return a number of a hover text, to be filled in by the browser."""
    if unit in PREFIXED:
        return f"%{{{name}:.{digits}s}}{unit}"
    if unit in WITHOUT:
        return f"%{{{name}:,}}"
    return f"%{{{name}:.{digits}~g}} {escape(unit)}".rstrip()


def told_digits(low: NDArray[np.float64], high: NDArray[np.float64]) -> int:
    """Return the digits that intervals leave: all bounds differ, and none is finer.

    Parameters
    ----------
    low, high
        Bounds of the intervals, of one shape; NaN where there is none.
    """
    sizes = np.maximum(np.abs(low), np.abs(high))
    is_known = (high > low) & np.isfinite(sizes)
    if not is_known.any():
        return DIGITS
    narrowest = float(((high - low)[is_known] / sizes[is_known]).min())
    digits = 1 + ceil(log10(SPREAD / narrowest))
    return min(max(digits, FEWEST_DIGITS), MOST_DIGITS)


def _range(
    measured: NDArray[np.float64], drawn: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the decimal logarithms of what the axis begins and ends with."""
    lowest, highest = measured.min() / LEEWAY, measured.max() * LEEWAY
    near = drawn[(drawn >= lowest) & (drawn <= highest)]
    low, high = np.log10(
        [np.append(near, measured).min(), np.append(near, measured).max()]
    )
    margin = 0.06 * (high - low) + 0.02
    return low - margin, high + margin

"""Axes and frames that all figures share."""

from html import escape
from itertools import chain
from math import ceil, floor, frexp, ldexp, log10
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.figures.colours import PALETTE
from scalewatch.figures.figure import Figure
from scalewatch.texts.scales import RESOURCES

PREFIXED: Final = frozenset({"s", "B", "flop"})
"""Units that SI prefixes go with."""

PREFIXES: Final = {-4: "p", -3: "n", -2: "µ", -1: "m", 0: "", 1: "k", 2: "M", 3: "G"}
"""SI prefix by power of a thousand."""

DIGITS_OF_TICKS: Final = ((1.0,), (1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0))
"""First digits of the ticks of a logarithmic axis, the coarsest first."""

FEWEST_TICKS: Final = 3
MOST_EVEN: Final = 4
"""Steps of an axis whose ends are close together, or up to 2.5 times as many."""

LONGEST_GAP: Final = 6.0
"""Measured settings further apart than by this factor have ticks between them."""

EXACT: Final = range(-4, 7)
"""Powers of ten between which numbers are written in full."""

WITHOUT: Final = frozenset({"", "1"})
"""Units that are not written: what has none, and what is counted."""

MOST_TICKS: Final = 9
"""Settings up to this number are the ticks of their axis."""

NEARLY: Final = 1e-9
"""Tolerance of a logarithm: rounding may take so much from it."""

LEEWAY: Final = 4.0
"""Curves are in sight as far as this factor beyond the measurements."""

DIGITS: Final = 3
"""Significant digits of a number without an interval."""

FEWEST_DIGITS: Final = 2
MOST_DIGITS: Final = 6
SPREAD: Final = 4.0
"""A last digit is told if the narrowest interval is about this many of them wide."""

NAMES: Final = {
    **{name: scale.axis for name, scale in RESOURCES.items()},
    "n": "problem size n",
}


def canvas() -> Figure:
    """Return an empty figure: transparent, quiet lines, the legend on top."""
    return Figure(
        layout={
            "font": {"color": PALETTE["quiet"], "size": 12},
            "hoverlabel": {"align": "left"},
            "hovermode": "closest",
            "legend": {
                "orientation": "h",
                # Where lines share an entry, Plotly would give the others a column.
                "traceorder": "normal",
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
    """Return a logarithmic axis with its ticks where measurements are.

    Where these are many, its ticks are round values.
    """
    axis = titled_axis(NAMES.get(parameter, parameter)) | {"type": "log"}
    distinct = np.unique(settings)
    if distinct.size < 2 or distinct[0] <= 0:
        return axis
    if distinct.size <= MOST_TICKS:
        ticks = [distinct[0], *chain(*map(_filled, distinct, distinct[1:]))]
    else:
        ticks = log_ticks(log10(distinct[0]), log10(distinct[-1]))
    return axis | {
        "tickmode": "array",
        "tickvals": [float(tick) for tick in ticks],
        # Where forecasts end is no number that anybody chose.
        "ticktext": [
            f"{round(float(tick)):,}" if tick >= 100 else f"{float(tick):,g}"
            for tick in ticks
        ],
    }


def _filled(low: float, high: float) -> list[float]:
    """Return a setting after those between it and the one before, if that is far."""
    if not 0 < low * LONGEST_GAP < high:
        return [high]
    # By exponents: the quotient of two settings can overflow.
    (mantissa, first), (other, last) = frexp(low), frexp(high)
    if mantissa == other:
        between = [ldexp(mantissa, power) for power in range(first + 2, last, 2)]
    else:
        between = [
            10.0**power for power in range(floor(log10(low)) + 1, ceil(log10(high)))
        ]
    ticks = [tick for tick in between if 1.5 * low < tick < high / 1.5]
    return [*ticks[:: ceil(len(ticks) / MOST_TICKS) or 1], high]


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
    if measured.min() <= 0:
        return even_axis(metric, unit, np.append(measured, 0))
    in_sight = (drawn >= measured.min() / LEEWAY) & (drawn <= measured.max() * LEEWAY)
    shown = np.append(drawn[in_sight], measured)
    low, high = np.log10([shown.min(), shown.max()])
    margin = 0.06 * (high - low) + 0.02
    low, high = low - margin, high + margin
    ticks = log_ticks(low, high)
    has_unit = unit in PREFIXED or unit in WITHOUT
    return titled_axis(metric if has_unit else f"{metric} [{unit}]") | {
        "type": "log",
        "range": [low, high],
        "tickmode": "array",
        "tickvals": ticks,
        "ticktext": [tick_text(tick, unit) for tick in ticks],
    }


def even_axis(metric: str, unit: str, values: NDArray[np.float64]) -> dict[str, Any]:
    """Return a linear axis whose ticks have the unit of these values."""
    low, high = float(values.min()), float(values.max())
    has_unit = unit in PREFIXED or unit in WITHOUT
    axis = titled_axis(metric if has_unit else f"{metric} [{unit}]")
    if not low < high:
        return axis | {"rangemode": "tozero"}
    ticks = even_ticks(low, high)
    return axis | {
        "tickmode": "array",
        "tickvals": ticks,
        "ticktext": [tick_text(tick, unit) for tick in ticks],
    }


def log_ticks(low: float, high: float) -> list[float]:
    """Return round values between two decimal logarithms, each a tick with a label."""
    decades = range(floor(low), ceil(high) + 1)
    for digits in DIGITS_OF_TICKS:
        ticks = [
            tick
            for decade in decades
            for digit in digits
            if (tick := float(f"{digit}e{decade}")) and low <= log10(tick) <= high
        ]
        if len(ticks) >= FEWEST_TICKS:
            break
    else:
        ticks = even_ticks(10**low, 10**high)
    every = ceil(len(ticks) / (2 * MOST_TICKS))
    return ticks[::every]


def even_ticks(low: float, high: float) -> list[float]:
    """Return multiples of a round step between two values that are close together."""
    rough = (high - low) / MOST_EVEN
    unit = 10.0 ** floor(log10(rough))
    step = max(
        unit * nice for nice in (1, 2, 5) if unit * nice <= rough + NEARLY * unit
    )
    places = range(ceil(low / step), floor(high / step) + 1)
    return [float(f"{place * step:.6g}") for place in places]


def tick_text(value: float, unit: str) -> str:
    """Write a round value with its unit: `100 µs`, `5 MB`, `10⁻⁷`."""
    if value == 0:
        return "0"
    if value < 0:
        return f"−{tick_text(-value, unit)}"
    if unit in PREFIXED:
        most = 0 if unit == "s" else max(PREFIXES)  # nobody reads kiloseconds
        power = min(max(floor(log10(value) / 3 + NEARLY), min(PREFIXES)), most)
        return f"{value / 1000.0**power:,.4g} {PREFIXES[power]}{unit}"
    power = floor(log10(value) + NEARLY)
    if power in EXACT:
        return f"{value:,.12g}"
    return f"{value / 10.0**power:.3g}×10<sup>{power}</sup>"


def titled_axis(title: str) -> dict[str, Any]:
    """Return a linear axis that looks like all others."""
    return {
        "automargin": True,
        "gridcolor": PALETTE["grid"],
        "linecolor": PALETTE["grid"],
        "separatethousands": True,
        "showline": True,
        "ticks": "outside",
        "tickcolor": PALETTE["grid"],
        # The margins hold all labels, at the very edge too: none need be looked for.
        "ticklabeloverflow": "allow",
        "title": {"text": escape(title), "standoff": 12},
        "zeroline": False,
    }


def titled(axis: dict[str, Any], title: str) -> dict[str, Any]:
    """Return an axis with a title, which may hold markup."""
    return axis | {"title": {"text": title, "standoff": 12}}


def plain_axis(axis: dict[str, Any], title: str) -> dict[str, Any]:
    """Return a linear axis that looks like another one."""
    kept = ("automargin", "gridcolor", "linecolor", "showline", "tickcolor", "ticks")
    return titled({name: axis[name] for name in kept}, title) | {"zeroline": False}


def category_axis(title: str) -> dict[str, Any]:
    """Return an axis of names."""
    return titled({"automargin": True}, title) | {"type": "category"}


def hover_number(name: str, unit: str, digits: int = DIGITS) -> str:
    """Return a number of a hover text, to be filled in by the browser."""
    if unit in PREFIXED:
        return f"%{{{name}:.{digits}s}}{unit}"
    if unit in WITHOUT:
        return f"%{{{name}:,}}"
    return f"%{{{name}:.{digits}~g}} {escape(unit)}".rstrip()


def digits_within(low: NDArray[np.float64], high: NDArray[np.float64]) -> int:
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

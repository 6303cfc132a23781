"""Ratios of two sides over what was varied, and which side is better above 1."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np

from scalewatch.figures.axes import canvas, digits_within, nothing, parameter_axis
from scalewatch.figures.colours import PALETTE, SYMBOLS, machine_role
from scalewatch.figures.figure import Figure
from scalewatch.figures.notation import listed
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.versions.ratios import Ratio

MOST_BANDS: Final = len(SYMBOLS)
"""Lines with a colour and a band of their own; there are no more colours."""

LEAST_SPAN: Final = float(np.log10(1.25))
"""The axis goes this far from 1, at least: small differences look small."""

ROOM: Final = 0.14
"""Share of what ratios take that is left for words beyond them, on either side."""

FINE: Final = (0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5)
COARSE: Final = tuple(
    digit * 10.0**power for power in range(-6, 7) for digit in (1, 2, 5)
)
"""Ticks of axes that go to less than twice as much, and of others."""


@dataclass(frozen=True, slots=True)
class RatioLine:
    """A ratio and what it is of."""

    name: str
    ratio: Ratio


def ratios_figure(
    lines: Sequence[RatioLine], parameter: str, above: str, below: str
) -> Figure:
    """Plot ratios, those first that come first; the others are thin lines behind them.

    Parameters
    ----------
    above, below
        The sides that are better where a ratio is above 1, and below.
    """
    if not lines:
        return nothing("nothing that both sides have forecasts of")
    figure = canvas()
    # The settings that were measured, and the ends of what is forecast.
    settings = np.concatenate(
        [[*line.ratio.settings, line.ratio.x[-1]] for line in lines]
    )
    values = np.log10(np.concatenate([line.ratio.value for line in lines]))
    low, high = float(values.min()), float(values.max())
    room = max(LEAST_SPAN, ROOM * (max(high, 0.0) - min(low, 0.0)))
    low, high = min(-room, low - room), max(room, high + room)
    ticks = FINE if max(-low, high) < np.log10(2) else COARSE
    figure.update_layout(
        xaxis=parameter_axis(parameter, settings),
        yaxis=parameter_axis("", np.array([1.0]))
        | {
            "title": {"text": "ratio"},
            "range": [low, high],
            "tickmode": "array",
            "tickvals": [*ticks],
            "ticktext": [f"{tick:,g}×" for tick in ticks],
        },
        legend={"traceorder": "reversed"},
        annotations=[
            _words(f"{listed(above)} better ↑", 1, "top"),
            _words(f"{listed(below)} better ↓", 0, "bottom"),
        ],
    )
    figure.add_level(1, {"color": PALETTE["quiet"], "width": 1.5})
    if others := lines[MOST_BANDS:]:
        _add_others(figure, others)
    for place, line in reversed([*enumerate(lines[:MOST_BANDS])]):
        ratio = line.ratio
        figure.add_band(
            *(ratio.x, ratio.low, ratio.high, machine_role(place), 0.18),
            showlegend=False,
            name=f"{ratio.level:.0%} interval",
        )
        _add_line(figure, line, machine_role(place))
    return figure


def _words(text: str, y: float, anchor: str) -> dict[str, object]:
    place = {"xref": "paper", "x": 0.01, "yref": "paper", "y": y}
    return {"text": text, "showarrow": False, "yanchor": anchor, **place}


def _add_others(figure: Figure, lines: Sequence[RatioLine]) -> None:
    """Draw lines without a colour as one trace with gaps: many traces take long."""
    ratios = [line.ratio for line in lines]
    digits = max(digits_within(ratio.low, ratio.high) for ratio in ratios)
    figure.add_scatter(
        x=_with_gaps([ratio.x for ratio in ratios]),
        y=_with_gaps([ratio.value for ratio in ratios]),
        mode="lines",
        line={"width": 0.8},
        text=[escape(line.name) for line in lines for _ in (*line.ratio.x, None)],
        customdata=np.column_stack(
            [
                _with_gaps([ratio.low for ratio in ratios]),
                _with_gaps([ratio.high for ratio in ratios]),
            ]
        ),
        hovertemplate=_hover("%{text}", digits, ratios[0].level),
        showlegend=False,
        name="other ratios",
        meta="expectation",
    )


def _with_gaps(values: Sequence[Reals]) -> Reals:
    """Return values one after the other, NaN behind those of each line."""
    return np.concatenate([part for each in values for part in (each, [np.nan])])


def _hover(name: str, digits: int, level: float) -> str:
    return (
        f"{name}<br>at %{{x:,.4~g}}: %{{y:.{digits}~g}}×<br>"
        f"{level:.0%} interval %{{customdata[0]:.{digits}~g}} to "
        f"%{{customdata[1]:.{digits}~g}}<extra></extra>"
    )


def _add_line(figure: Figure, line: RatioLine, role: str) -> None:
    ratio = line.ratio
    digits = digits_within(ratio.low, ratio.high)
    figure.add_scatter(
        x=ratio.x,
        y=ratio.value,
        mode="lines",
        line={"width": 2},
        customdata=np.column_stack([ratio.low, ratio.high]),
        hovertemplate=_hover(escape(line.name), digits, ratio.level),
        legendrank=1000,
        name=listed(line.name),
        meta=role,
    )
    crossings = [each.at for each in ratio.crossings]
    if crossings:
        figure.add_scatter(
            x=crossings,
            y=[1.0] * len(crossings),
            mode="markers",
            marker={"size": 9, "symbol": "x"},
            hovertemplate=(
                f"{escape(line.name)} crosses at %{{x:,.3~g}}<extra></extra>"
            ),
            showlegend=False,
            name=f"{escape(line.name)}: crossing",
            meta=role,
        )

"""Distributions in the width of a table cell, drawn as SVG by the server."""

from collections.abc import Sequence
from math import log
from typing import Final

from markupsafe import Markup

MOST_TICKS: Final = 60
"""Repetitions that are drawn; of more, evenly spread ones are."""

WIDTH: Final = 120

TICK: Final = Markup('<line class="strip__tick" x1="{0}" x2="{0}" y1="3" y2="13"/>')
STRIP: Final = Markup(
    '<svg class="strip" viewBox="0 0 {width} 16" aria-hidden="true">'
    '<rect class="strip__box" x="{low}" width="{span}" y="1" height="14"/>{ticks}'
    '<line class="strip__middle" x1="{middle}" x2="{middle}" y1="0" y2="16"/></svg>'
)


def strip(
    repetitions: Sequence[float], low: float, middle: float, high: float
) -> Markup:
    """Draw repetitions as ticks over their quartiles; the numbers stand beside it.

    The scale is logarithmic where all of them are positive, and the row's own.
    """
    if len(repetitions) < 2:
        return Markup()
    ordered = sorted(repetitions)
    steps = min(len(ordered), MOST_TICKS)
    shown = [ordered[round(k * (len(ordered) - 1) / (steps - 1))] for k in range(steps)]
    place = _scale(ordered[0], ordered[-1])
    return STRIP.format(
        width=WIDTH,
        low=place(low),
        span=round(max(place(high) - place(low), 1.0), 1),
        middle=place(middle),
        ticks=Markup().join(TICK.format(place(value)) for value in shown),
    )


class _scale:  # noqa: N801 - it is called like the function that it is
    """Map values to the width of a strip."""

    def __init__(self, least: float, most: float) -> None:
        self._is_logarithmic = least > 0
        self._least = self._measure(least)
        self._span = self._measure(most) - self._least or 1.0

    def __call__(self, value: float) -> float:
        share = (self._measure(value) - self._least) / self._span
        return round(2 + share * (WIDTH - 4), 1)

    def _measure(self, value: float) -> float:
        return log(value) if self._is_logarithmic else value

"""Drawings as SVG by the server: axes, sheets of symbols, and strips of values."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import log
from typing import Final

import numpy as np
from fastapi import Response
from markupsafe import Markup

from scalewatch.modelling.arrays import Reals

MOST_TICKS: Final = 60
"""Repetitions that are drawn; of more, evenly spread ones are."""

WIDTH: Final = 120

TICK: Final = Markup('<line class="strip__tick" x1="{0}" x2="{0}" y1="3" y2="13"/>')
STRIP: Final = Markup(
    '<svg class="strip" viewBox="0 0 {width} 16" aria-hidden="true">'
    '<rect class="strip__box" x="{low}" width="{span}" y="1" height="14"/>{ticks}'
    '<line class="strip__middle" x1="{middle}" x2="{middle}" y1="0" y2="16"/></svg>'
)


@dataclass(frozen=True, slots=True)
class LogAxis:
    """A logarithmic axis from `least` to `most`, between two places of a drawing.

    Parameters
    ----------
    least_span
        Logarithm of the smallest ratio of `most` to `least` that fills the axis.
    """

    least: float
    most: float
    start: float
    end: float
    least_span: float = 0.0

    def places(self, values: Reals) -> Reals:
        """Return where values are, shape (n,)."""
        share: Reals = np.log(values / self.least) / self._span
        return self.start + share * (self.end - self.start)

    def place(self, value: float) -> float:
        """Return where a value is, as precisely as a drawing shows it."""
        share = log(value / self.least) / self._span
        return round(self.start + share * (self.end - self.start), 1)

    @property
    def _span(self) -> float:
        return max(log(self.most / self.least), self.least_span) or 1.0


def points(x: Reals, y: Reals) -> list[str]:
    """Return the points of a path."""
    pairs = zip(x.tolist(), y.tolist(), strict=True)
    return [f"{across:.1f} {down:.1f}" for across, down in pairs]


def sheet(symbols: Iterable[str], if_none_match: str) -> Response:
    """Answer with symbols that pages use, or that the browser has them already."""
    body = f'<svg xmlns="http://www.w3.org/2000/svg">{"".join(symbols)}</svg>'.encode()
    tag = f'"{sha256(body).hexdigest()[:16]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if tag in if_none_match:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type="image/svg+xml", headers=headers)


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
    least, most = ordered[0], ordered[-1]

    def place(value: float) -> float:
        if least > 0:
            return LogAxis(least, most, 2, WIDTH - 2).place(value)
        return round(2 + (value - least) / (most - least or 1.0) * (WIDTH - 4), 1)

    return STRIP.format(
        width=WIDTH,
        low=place(low),
        span=round(max(place(high) - place(low), 1.0), 1),
        middle=place(middle),
        ticks=Markup().join(TICK.format(place(value)) for value in shown),
    )

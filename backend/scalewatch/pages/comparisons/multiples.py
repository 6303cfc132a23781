"""Small multiples of ratios: one picture for each row, all on the same axes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Self

import numpy as np
from markupsafe import Markup

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.versions.ratios import Ratio

WIDTH: Final = 150
HEIGHT: Final = 60

LEAST: Final = float(np.log(1.25))
MOST: Final = float(np.log(50))
"""How far the axis goes from 1 at least and at most, in logarithms."""

BEYOND: Final = 9
"""Forecasts that leave the picture are drawn so many times as far."""

PICTURE: Final = (
    '<svg class="ratio" viewBox="0 0 {width} {height}" '
    'preserveAspectRatio="none" aria-hidden="true">'
    '<path class="ratio__band" d="{band}"/>'
    '<line class="ratio__one" x1="0" x2="{width}" y1="{middle}" y2="{middle}"/>'
    '<line class="ratio__end" x1="{end}" x2="{end}" y1="0" y2="{height}"/>'
    '<path class="ratio__line" d="{line}"/></svg>'
)


@dataclass(frozen=True, slots=True)
class Multiples:
    """Maps settings and ratios to places, the same for all pictures of a page."""

    start: float
    end: float
    span: float

    @classmethod
    def of(cls, ratios: Sequence[Ratio]) -> Self:
        """Return the axes that hold all ratios where they were measured."""
        farthest = max(abs(float(np.log(ratio.at_largest))) for ratio in ratios)
        return cls(
            start=min(float(ratio.x[0]) for ratio in ratios),
            end=max(float(ratio.x[-1]) for ratio in ratios),
            span=min(max(LEAST, 1.15 * farthest), MOST),
        )

    def picture(self, ratio: Ratio) -> Markup:
        """Draw a ratio with its interval; the dotted line ends what was measured."""
        return _picture(self, ratio)

    def draw(self, ratio: Ratio) -> Markup:
        """Draw it anew."""
        x = self._across(ratio.x)
        low, high = self._up(ratio.low), self._up(ratio.high)
        there, back = _points(x, high), _points(x[::-1], low[::-1])
        drawn = PICTURE.format(
            width=WIDTH,
            height=HEIGHT,
            middle=HEIGHT / 2,
            end=round(float(self._across(np.array([ratio.largest]))[0]), 1),
            band=f"M{there}L{back}Z",
            line=f"M{_points(x, self._up(ratio.value))}",
        )
        return Markup(drawn)  # noqa: S704, its parts are numbers

    def _across(self, x: Reals) -> Reals:
        places: Reals = WIDTH * np.log(x / self.start) / np.log(self.end / self.start)
        return places

    def _up(self, ratio: Reals) -> Reals:
        share = np.clip(np.log(ratio) / self.span, -BEYOND, BEYOND)
        places: Reals = HEIGHT / 2 * (1 - share)
        return places


# A ratio is known by itself: those of commits are kept until something changes there.
@lru_cache(maxsize=4096)
def _picture(axes: Multiples, ratio: Ratio) -> Markup:
    return axes.draw(ratio)


def _points(x: Reals, y: Reals) -> str:
    places = zip(x.tolist(), y.tolist(), strict=True)
    return "L".join([f"{a:.1f} {b:.1f}" for a, b in places])

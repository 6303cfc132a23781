"""What each region costs, measured and forecast, drawn as SVG in its row."""

from math import log
from typing import Final

from markupsafe import Markup

from scalewatch.pages.costs_sentences import value_at
from scalewatch.services.costs.cost import Cost, RegionCost

WIDTH: Final = 200
MARGIN: Final = 6

BAR: Final = (
    '<svg class="cost" viewBox="0 0 {width} 16" aria-hidden="true">{parts}</svg>'
)
MOVE: Final = '<line class="cost__move" x1="{}" x2="{}" y1="8" y2="8"/>'
INTERVAL: Final = (
    '<rect class="cost__interval" x="{}" width="{}" y="3" height="10" rx="2"/>'
)
BEFORE: Final = '<circle class="cost__before" cx="{}" cy="8" r="3.5"/>'
AFTER: Final = '<circle class="cost__after" cx="{}" cy="8" r="4"/>'


class CostBars:
    """Draws rows on one logarithmic scale: hollow measured, filled where ranked."""

    def __init__(self, shown: Cost) -> None:
        self._shown = shown
        self._largest = shown.measured[-1] if shown.measured else 1.0
        drawn = [
            value
            for region in shown.regions
            for value in (*self._marks(region), region.low, region.high)
            if value is not None and value > 0
        ]
        self._least = min(drawn, default=1.0)
        self._most = max(drawn, default=1.0)

    def __call__(self, region: RegionCost) -> Markup:
        """Draw a row; empty where no value has a place on the scale."""
        before, after = self._marks(region)
        parts = []
        if _is_drawn(region.low) and _is_drawn(region.high):
            low, high = self._place(region.low), self._place(region.high)
            parts.append(INTERVAL.format(low, round(max(high - low, 1.0), 1)))
        if _is_drawn(before) and _is_drawn(after):
            parts.append(MOVE.format(self._place(before), self._place(after)))
        if _is_drawn(before):
            parts.append(BEFORE.format(self._place(before)))
        if _is_drawn(after):
            parts.append(AFTER.format(self._place(after)))
        if not parts:
            return Markup()
        drawn = BAR.format(width=WIDTH, parts="".join(parts))
        return Markup(drawn)  # noqa: S704, its parts are numbers

    def _marks(self, region: RegionCost) -> tuple[float | None, float | None]:
        """Return the value at the largest scale measured, and where it is ranked."""
        return value_at(self._shown, region, self._largest), region.value

    def _place(self, value: float | None) -> float:
        span = log(self._most / self._least) or 1.0
        share = log((value or self._least) / self._least) / span
        return round(MARGIN + share * (WIDTH - 2 * MARGIN), 1)


def _is_drawn(value: float | None) -> bool:
    """Tell whether a logarithmic scale has a place for a value."""
    return value is not None and value > 0

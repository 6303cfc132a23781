"""Figures of hotspots: differences, movements and shares of functions."""

from collections.abc import Callable, Mapping
from typing import Final

from scalewatch.figures.axes import canvas
from scalewatch.figures.figure import Figure
from scalewatch.figures.hotspots import (
    DifferenceLine,
    differences_figure,
    movements_figure,
    shares_figure,
)
from scalewatch.services.hotspots.profiles import SCALE
from scalewatch.services.hotspots.scans import Hotspots, HotspotScan


def _name(scan: HotspotScan, name: str | None) -> str:
    """Return a name of a scan that tells it from the other."""
    return name or scan.label or scan.machine


def _differences(shown: Hotspots) -> Figure:
    if shown.chosen is None:
        return canvas()
    lines = [DifferenceLine(_name(shown.chosen, None), shown.chosen.steps)]
    if shown.other is not None:
        name = shown.alternatives.get(shown.question.vs or "")
        lines.append(DifferenceLine(_name(shown.other, name), shown.other.steps))
    return differences_figure(shown.question.over or SCALE, lines)


def _shares(shown: Hotspots) -> Figure:
    scan = shown.chosen
    if scan is None:
        return canvas()
    over = shown.question.over or SCALE
    return shares_figure(over, scan.settings, scan.functions, scan.seconds)


def _movements(shown: Hotspots) -> Figure:
    if shown.step is None:
        return canvas()
    return movements_figure(shown.step.before, shown.step.after, shown.movements)


FIGURES: Final[Mapping[str, Callable[[Hotspots], Figure]]] = {
    "differences": _differences,
    "movements": _movements,
    "shares": _shares,
}

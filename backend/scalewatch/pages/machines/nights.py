"""Nights of a machine as a small chart, drawn by the server: it needs no script."""

from dataclasses import dataclass
from typing import Final

from scalewatch.services.machines.nights import Nights

WIDTH: Final = 360.0
HEIGHT: Final = 120.0
LEFT: Final = 48.0
EDGE: Final = 12.0
LEAST_REACH: Final = 0.01
"""Of the effects shown, so that noise does not look like a slow machine."""


@dataclass(frozen=True, slots=True)
class NightMark:
    """A night that lies apart, or from which on the machine took another time."""

    x: float
    title: str


@dataclass(frozen=True, slots=True)
class NightChart:
    """What the template draws of the nights of a metric.

    Parameters
    ----------
    dots
        A path, of a dot per night.
    ticks
        Height and label.
    """

    nights: Nights
    dots: str
    ticks: tuple[tuple[float, str], ...]
    bad: tuple[NightMark, ...]
    steps: tuple[NightMark, ...]


def night_chart(nights: Nights) -> NightChart:
    """Return the chart of a metric's nights."""
    effects = [effect for _, effect in nights.effects]
    low = min([*effects, -LEAST_REACH])
    high = max([*effects, LEAST_REACH])
    step = (WIDTH - LEFT - EDGE) / max(len(effects) - 1, 1)
    place = {commit: LEFT + step * n for n, (commit, _) in enumerate(nights.effects)}

    def y(effect: float) -> float:
        return round(EDGE + (HEIGHT - 2 * EDGE) * (high - effect) / (high - low), 1)

    dots = [f"M{place[commit]:.1f} {y(effect)}h0" for commit, effect in nights.effects]
    return NightChart(
        nights=nights,
        dots="".join(dots),
        ticks=tuple((y(each), f"{100 * each:+.1f} %") for each in (low, 0.0, high)),
        bad=tuple(
            NightMark(round(place[each], 1), f"bad night at {each}")
            for each in nights.bad.values()
            if each in place
        ),
        steps=tuple(
            NightMark(round(place[each.commit], 1), each.sentence)
            for each in nights.steps
            if each.commit in place
        ),
    )

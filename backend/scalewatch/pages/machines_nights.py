"""Nights of a machine as a small chart, drawn by the server: it needs no script."""

from dataclasses import dataclass
from typing import Final

from scalewatch.pages.wording.formats import SPACE
from scalewatch.services.machines.machine import Nights

WIDTH: Final = 360.0
HEIGHT: Final = 120.0
FOOT: Final = 16.0
"""Below the nights, for the commits of the first and the last one."""
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
    ends
        Place, side it ends or begins at, and commit of the first and the last night.
    """

    nights: Nights
    dots: str
    ticks: tuple[tuple[float, str], ...]
    ends: tuple[tuple[float, str, str], ...]
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
        height = HEIGHT - FOOT - 2 * EDGE
        return round(EDGE + height * (high - effect) / (high - low), 1)

    dots = [f"M{place[commit]:.1f} {y(effect)}h0" for commit, effect in nights.effects]
    return NightChart(
        nights=nights,
        dots="".join(dots),
        ticks=(
            (y(low), f"−{-100 * low:.1f}{SPACE}%"),
            (y(0.0), f"0{SPACE}%"),
            (y(high), f"+{100 * high:.1f}{SPACE}%"),
        ),
        ends=_ends([(place[commit], commit) for commit, _ in nights.effects]),
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


def _ends(places: list[tuple[float, str]]) -> tuple[tuple[float, str, str], ...]:
    """Return where the first and the last commit are written, once if they are one."""
    ends = zip(("start", "end"), (places[:1], places[1:][-1:]), strict=True)
    return tuple(
        (round(x, 1), side, commit) for side, found in ends for x, commit in found
    )

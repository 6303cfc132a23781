"""The page of a machine: its states, its noise, its coverage of commits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fastapi import APIRouter, Request, Response

from scalewatch.exporters.listing import Columns, Listing
from scalewatch.pages.rendering import navigation, templates
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.wording.formats import SPACE, assignments, count
from scalewatch.services.machines.machine import Coverage, Nights, Platform, platform
from scalewatch.web.sessions import ReadingDep

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)


@router.get("/p/{project}/m/{machine}", name="machine")
def show_machine(
    request: Request,
    session: ReadingDep,
    project: str,
    machine: str,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show the states, noise and coverage of a machine."""
    shown = platform(session, project, machine)
    if wanted is not Format.HTML:
        return download(wanted, f"{project}-{machine}", shown, coverage_listing)
    return templates.render(
        request,
        "machines/show.html",
        machine=shown,
        scales=scales,
        nights=[night_chart(each) for each in shown.nights],
    )


def scales(coordinates: Sequence[Mapping[str, Any]]) -> str:
    """Write where was measured, each parameter once: `p = 2, 4, 8`."""
    settings: dict[str, set[float]] = {}
    for coordinate in coordinates:
        for name, value in coordinate.items():
            settings.setdefault(name, set()).add(value)
    return " · ".join(
        f"{name} = {', '.join(count(value) for value in sorted(values))}"
        for name, values in sorted(settings.items(), key=lambda entry: entry[0] != "p")
    )


def coverage_listing(shown: Platform) -> Listing:
    """Return what a machine measured of its newest commits."""
    return Columns[Coverage](
        {
            "machine": lambda _: shown.name,
            "commit": lambda covered: covered.commit.label,
            "sha": lambda covered: covered.commit.sha,
            "runs": lambda covered: len(covered.coordinates),
            "coordinates": lambda covered: " | ".join(
                map(assignments, covered.coordinates)
            ),
            "results": lambda covered: covered.results,
            "failures": lambda covered: covered.failures,
            "last_run_at": lambda covered: covered.last_run_at.isoformat(),
        }
    ).listing(zip(shown.coverage))


WIDTH: Final = 360.0
HEIGHT: Final = 120.0
FOOT: Final = 16.0
"""Below the nights, for the commits of the first and the last one."""
LEFT: Final = 48.0
EDGE: Final = 12.0
LEAST_REACH: Final = 0.01
"""Smallest range of effects on an axis: noise does not look like a slow machine."""


@dataclass(frozen=True, slots=True)
class NightMark:
    """A night that lies apart, or from which on the machine took another time."""

    x: float
    title: str


@dataclass(frozen=True, slots=True)
class NightChart:
    """The chart of the nights of a metric.

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

    first_and_last = [*nights.effects[:1], *nights.effects[1:][-1:]]
    dots = [f"M{place[commit]:.1f} {y(effect)}h0" for commit, effect in nights.effects]
    return NightChart(
        nights=nights,
        dots="".join(dots),
        ticks=(
            (y(low), f"−{-100 * low:.1f}{SPACE}%"),
            (y(0.0), f"0{SPACE}%"),
            (y(high), f"+{100 * high:.1f}{SPACE}%"),
        ),
        ends=tuple(
            (round(place[commit], 1), side, commit)
            for side, (commit, _) in zip(("start", "end"), first_and_last, strict=False)
        ),
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

"""Machines: the states, noise and coverage of one, and all by the problem size."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from fastapi import APIRouter, Request, Response

from scalewatch.errors import NoTimes
from scalewatch.exporters.listing import Columns, Listing
from scalewatch.modelling import Estimate, MachineLine
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.pages.rendering import addresses, errors, navigation, plots, templates
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.wording import formats, intervals
from scalewatch.services.machines.lines import (
    MachineLines,
    PlacedLine,
    lines_figure,
    machine_lines_at,
)
from scalewatch.services.machines.machine import Coverage, Nights, Platform, platform
from scalewatch.texts.numbers import MISSING, SPACE, significant
from scalewatch.texts.scales import RESOURCES
from scalewatch.web.queries import Scale, ViewDep
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
        usual_future=USUAL.future,
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
        f"{name} = {', '.join(formats.count(value) for value in sorted(values))}"
        for name, values in sorted(
            settings.items(), key=lambda entry: entry[0] not in RESOURCES
        )
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
                map(formats.assignments, covered.coordinates)
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


@router.get("/p/{project}/scaling/sizes", name="machine-lines")  # noqa: FAST003
def show_machine_lines(  # noqa: PLR0913, PLR0917 - parts of the address
    request: Request,
    session: ReadingDep,
    view: ViewDep,
    region: str | None = None,
    scale: Scale = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show how the time of a region grows with the problem size on each machine."""
    try:
        shown = machine_lines_at(session, view, region or None, scale)
    except NoTimes as error:
        if wanted is not Format.HTML:
            raise
        return errors.show_untimed(request, view, "machine-lines", error)
    if wanted is not Format.HTML:
        name = f"{shown.region}-{shown.commit.label}-machine-lines"
        return download(wanted, name, shown, times, lines)
    query = {
        "region": shown.region,
        "commit": view.commit,
        "metric": view.metric,
        "configuration": view.settings,
        "scale": None if scale is None else formats.number(scale),
    }
    return templates.render(
        request,
        "machines/lines.html",
        shown=shown,
        query=query,
        plot=plots.Plot(
            addresses.path_to(
                request, "machine-lines-figure", {"project": shown.project, **query}
            ),
            partial(lines_figure, shown),
        ),
        written=written,
        growth_text=growth_text,
    )


def written(estimate: Estimate, unit: str) -> tuple[str, str]:
    """Write an estimate and its interval: `1.30 s`, `1.20 s … 1.40 s`, else a dash."""
    if estimate.low is None or estimate.high is None:
        return formats.quantity(estimate.value, unit), MISSING
    value, low, high = intervals.quantities(
        estimate.value, estimate.low, estimate.high, unit
    )
    return value, f"{low} … {high}"


def growth_text(line: MachineLine) -> str:
    """Write how far the best-fitting growth is from the times."""
    return "–" if line.growth_error is None else significant(100 * line.growth_error)


def times(shown: MachineLines) -> Listing:
    """Return one line per machine and problem size."""
    return Columns[str, float, float](
        {
            "machine": lambda machine, _, __: machine,
            shown.parameter.name: lambda _, __, ___: shown.scale,
            "n": lambda _, size, __: size,
            "time": lambda _, __, time: time,
            "unit": lambda _, __, ___: shown.unit,
        }
    ).listing(
        (placed.machine, size, time)
        for placed in shown.lines
        if (line := placed.line) is not None
        for size, time in zip(line.sizes.tolist(), line.times.tolist(), strict=True)
    )


def lines(shown: MachineLines) -> Listing:
    """Return one line per machine."""
    return Columns[PlacedLine, MachineLine | None](
        {
            "Machine": lambda placed, _: placed.machine,
            "Intercept": lambda _, line: line and line.intercept.value,
            "Slope": lambda _, line: line and line.slope.value,
            "R²": lambda _, line: line and line.line.r2,
            "Growth": lambda _, line: (
                line and line.finding.told_growth and str(line.finding.told_growth)
            ),
            "Remarks": lambda placed, _: placed.reason,
        }
    ).listing((placed, placed.line) for placed in shown.lines)

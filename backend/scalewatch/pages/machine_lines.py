"""The page of machine lines: the time over the problem size, machine by machine."""

from functools import partial

from fastapi import APIRouter, Request, Response

from scalewatch.errors import NoTimes
from scalewatch.exporters.listing import Columns, Listing
from scalewatch.modelling import Estimate, MachineLine
from scalewatch.pages.rendering import addresses, errors, navigation, plots, templates
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.wording.formats import MISSING, number, quantity, significant
from scalewatch.pages.wording.intervals import quantities
from scalewatch.services.machines.lines import (
    MachineLines,
    PlacedLine,
    lines_figure,
    machine_lines_at,
)
from scalewatch.web.queries import Scale, ViewDep
from scalewatch.web.sessions import ReadingDep

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)


@router.get("/p/{project}/lines", name="machine-lines")  # noqa: FAST003, the view
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
        "scale": None if scale is None else number(scale),
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
        return quantity(estimate.value, unit), MISSING
    value, low, high = quantities(estimate.value, estimate.low, estimate.high, unit)
    return value, f"{low} … {high}"


def growth_text(line: MachineLine) -> str:
    """Write how far the best-fitting growth is from the times."""
    return "–" if line.growth_error is None else significant(100 * line.growth_error)


def times(shown: MachineLines) -> Listing:
    """Return one line per machine and problem size."""
    return Columns[str, float, float](
        {
            "machine": lambda machine, _, __: machine,
            "p": lambda _, __, ___: shown.scale,
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
                line and line.finding.growth and str(line.finding.growth)
            ),
            "Remarks": lambda placed, _: placed.reason,
        }
    ).listing((placed, placed.line) for placed in shown.lines)

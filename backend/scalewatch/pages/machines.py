"""The page of a machine: its states, its noise, its coverage of commits."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request, Response

from scalewatch.exporters.listing import Listing
from scalewatch.pages.machines_nights import night_chart
from scalewatch.pages.rendering.delay import DELAY
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.rendering.templates import render
from scalewatch.pages.wording.formats import assignments, count
from scalewatch.services.machines.machine import Platform, platform
from scalewatch.web.sessions import ReadingDep

router = APIRouter(include_in_schema=False, dependencies=DELAY)


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
    return render(
        request,
        "machines/show.html",
        machine=shown,
        scales=scales,
        nights=[night_chart(each) for each in shown.nights],
        server=str(request.base_url).rstrip("/"),
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
    return Listing(
        (
            "machine",
            "commit",
            "sha",
            "runs",
            "coordinates",
            "results",
            "failures",
            "last_run_at",
        ),
        [
            (
                shown.name,
                each.commit.label,
                each.commit.sha,
                len(each.coordinates),
                " | ".join(map(assignments, each.coordinates)),
                each.results,
                each.failures,
                each.last_run_at.isoformat(),
            )
            for each in shown.coverage
        ],
    )

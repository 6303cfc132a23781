"""The page of a region: how it scales on each machine."""

from collections.abc import Mapping
from typing import Final, TypeVar

from fastapi import APIRouter, Request, Response

from scalewatch.pages import listings
from scalewatch.pages.dependencies import SessionDep, ViewDep
from scalewatch.pages.downloads import Format, FormatQuery, download
from scalewatch.pages.templates import Query, path_to, render
from scalewatch.services.measurements import Measurement
from scalewatch.services.regions import region_at
from scalewatch.services.scans import Scan

NEGLIGIBLE: Final = 0.005
"""Probabilities below this are not listed."""

Likely = TypeVar("Likely")

router = APIRouter(include_in_schema=False)


@router.get("/p/{project}/r/{region}", name="region")  # noqa: FAST003, see the view
def show_region(
    request: Request,
    session: SessionDep,
    view: ViewDep,
    region: str,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show measurements, model and expectation of a region on one or all machines."""
    shown = region_at(session, view, region)
    if wanted is not Format.HTML:
        name = f"{shown.region}-{shown.commit.label}-{shown.metric}"
        listing = listings.points(shown)
        return download(wanted, name, shown, listing, listing)
    query: Query = {
        "commit": shown.commit.label,
        "metric": shown.metric,
        "configuration": view.settings,
    }
    return render(
        request,
        "regions/show.html",
        region=shown,
        query=query,
        likeliest=likeliest,
        predicted=predicted,
        figure=path_to(
            request,
            "figure",
            {
                "project": shown.project,
                "region": shown.region,
                "machine": shown.machine,
                **query,
            },
            figure="scaling" if len(shown.scans) == 1 else "machines",
        ),
    )


def predicted(scan: Scan, taken: Measurement) -> float | None:
    """Return what the model of a scan says where it was measured."""
    model = scan.standing.model
    if model is None:
        return None
    return float(model(taken.coordinate))


def likeliest(
    probability: Mapping[Likely, float], most: int = 5
) -> list[tuple[Likely, float]]:
    """Return the most probable of the keys that are probable at all."""
    return [entry for entry in probability.items() if entry[1] >= NEGLIGIBLE][:most]

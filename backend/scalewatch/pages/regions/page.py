"""The page of a region: how it scales on each machine."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Final, TypeVar

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BeforeValidator, Field
from sqlalchemy.orm import Session

from scalewatch.errors import NotMeasured
from scalewatch.exporters.compositions import composed_words, left_out_words
from scalewatch.pages.rendering import listings
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.rendering.plots import Plot
from scalewatch.pages.rendering.templates import Query, path_to, render
from scalewatch.pages.wording.formats import number
from scalewatch.services.access.callers import Role, may
from scalewatch.services.compositions.scans import compositions_of
from scalewatch.services.expectations.declarations import versions
from scalewatch.services.machines.machines import newest_fingerprint
from scalewatch.services.regions.figures import FIGURES
from scalewatch.services.regions.outlook import LARGEST_TARGET, Outlook, outlook
from scalewatch.services.regions.region import Region, region_at
from scalewatch.services.selection.renamed_regions import renamed
from scalewatch.services.selection.view import View
from scalewatch.services.series.measurements import Measurement
from scalewatch.services.series.scans import Scan
from scalewatch.web.protection.forms import Form
from scalewatch.web.sessions import ReadingDep
from scalewatch.web.views import ViewDep

NEGLIGIBLE: Final = 0.005
"""Probabilities below this are not listed."""

Likely = TypeVar("Likely")

TargetQuery = Annotated[
    Annotated[float, Field(gt=0, le=LARGEST_TARGET)] | None,
    BeforeValidator(lambda text: text or None),  # an empty field asks for nothing
]
"""The scale that a forecast is wanted for: `?target=65536`."""

router = APIRouter(include_in_schema=False)


@router.get("/p/{project}/r/{region}", name="region")  # noqa: FAST003, see the view
def show_region(  # noqa: PLR0913, PLR0917, one per part of the address
    request: Request,
    session: ReadingDep,
    view: ViewDep,
    region: str,
    target: TargetQuery = None,
    again: int | None = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show measurements, model and expectation of a region on one or all machines."""
    try:
        if wanted is not Format.HTML:
            shown = region_at(session, view, region)
            name = f"{shown.region}-{shown.commit.label}-{shown.metric}"
            return download(wanted, name, shown, listings.points)
        return region_page(request, session, view, region, target, again=again)
    except NotMeasured:
        present = renamed(session, view.project, region)
        if present is None:
            raise
        address = path_to(request, "region", project=view.project, region=present)
        return RedirectResponse(f"{address}?{request.url.query}")


def region_page(  # noqa: PLR0913, PLR0917, one per part of the address, and a form
    request: Request,
    session: Session,
    view: View,
    region: str,
    target: float | None = None,
    again: int | None = None,
    entered: Form | None = None,
    refused: str | None = None,
) -> Response:
    """Render the page, with what was entered in its form if that was refused.

    Parameters
    ----------
    again
        The earlier version of the expectation that the form begins with.
    """
    shown = region_at(session, view, region)
    declared = versions(session, shown.project, shown.region, shown.metric)
    compositions = compositions_of(
        session, shown.project, shown.commit.sha, shown.scans
    )
    query: Query = {
        "commit": shown.commit.label,
        "metric": shown.metric,
        "configuration": view.settings,
    }
    return render(
        request,
        "regions/show.html",
        status_code=200 if refused is None else 422,
        region=shown,
        query=query,
        target=target,
        outlook=_outlook(session, shown, target),
        entered=entered,
        refused=refused,
        may_declare=may(session, Role.ADMIN, shown.project),
        versions=declared,
        compositions=compositions,
        composed_words=composed_words,
        left_out_words=left_out_words,
        again=next((each for each in declared if each.version == again), None),
        likeliest=likeliest,
        predicted=predicted,
        plots=_plots(
            request, session, shown, query, target, has_composed=bool(compositions)
        ),
    )


def _outlook(session: Session, shown: Region, target: float | None) -> Outlook | None:
    """Return forecasts where a single scan is shown."""
    if len(shown.scans) != 1:
        return None
    scan = shown.scans[0]
    return outlook(
        session, scan, target, newest_fingerprint(session, shown.project, scan.machine)
    )


def _plots(  # noqa: PLR0913 - what is drawn, and where
    request: Request,
    session: Session,
    shown: Region,
    query: Query,
    target: float | None,
    *,
    has_composed: bool,
) -> dict[str, Plot]:
    """Return the figures of the page, of what can be drawn."""
    view: Query = {
        "project": shown.project,
        "region": shown.region,
        "machine": shown.machine,
        **query,
        "target": None if target is None else number(target),
    }
    is_measured = any(
        taken.count for scan in shown.scans for taken in scan.measurements
    )
    is_modelled = len(shown.scans) == 1 and shown.scans[0].standing.model is not None
    drawn = {"main": _main(shown)} if is_measured else {}
    drawn |= {"residuals": "residuals"} if is_modelled else {}
    drawn |= {"composed": "composed"} if has_composed else {}
    return {
        place: Plot(
            path_to(request, "figure", view, figure=figure),
            partial(FIGURES[figure], session, shown, target),
        )
        for place, figure in drawn.items()
    }


def _main(shown: Region) -> str:
    if len(shown.scans) > 1:
        return "machines"
    return "slices" if len(shown.scans[0].parameters) > 1 else "scaling"


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

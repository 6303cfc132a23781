"""The page of a region: how it scales on each machine."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Final, TypeVar

import numpy as np
from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BeforeValidator, Field
from sqlalchemy.orm import Session

from scalewatch.errors import NotMeasured
from scalewatch.exporters import findings, listing
from scalewatch.pages.rendering import navigation, templates
from scalewatch.pages.rendering.addresses import Query, path_to
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.rendering.plots import Plot
from scalewatch.pages.wording.formats import (
    assignments,
    number,
    quantity,
    settings,
    stated,
)
from scalewatch.pages.wording.sentences import step_sentence
from scalewatch.services.access.callers import Role, may
from scalewatch.services.commits.find import commit_of, find_commit
from scalewatch.services.efficiencies.wording import speed_sentence
from scalewatch.services.expectations.declarations import versions
from scalewatch.services.histories.segments import is_tracked, since_of
from scalewatch.services.machines.machine import newest_fingerprint
from scalewatch.services.regions import models, outlook
from scalewatch.services.regions.figures import FIGURES, NO_OVERLAY, Overlay
from scalewatch.services.regions.region import Region, region_at, with_compositions
from scalewatch.services.selection import renamed_regions, view
from scalewatch.services.series.scans import Measurement, Scan
from scalewatch.storage.access import projects
from scalewatch.web import queries, sessions
from scalewatch.web.protection.origins import Form

NEGLIGIBLE: Final = 0.005
"""Probabilities below this are not listed."""

Likely = TypeVar("Likely")

Beside = tuple[float | None, float | None]
"""The value of a composed model and its quotient, None where unknown."""

TargetQuery = Annotated[
    Annotated[float, Field(gt=0, le=outlook.LARGEST_TARGET)] | None,
    BeforeValidator(lambda text: text or None),  # an empty field asks for nothing
]
"""The scale that a forecast is wanted for: `?target=65536`."""

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)


@router.get("/p/{project}/r/{region}", name="region")  # noqa: FAST003, see the view
def show_region(  # noqa: PLR0913, PLR0917, one per part of the address
    request: Request,
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    region: str,
    target: TargetQuery = None,
    under: str | None = None,
    again: int | None = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show measurements, model and expectation of a region on one or all machines."""
    try:
        if wanted is not Format.HTML:
            shown = _composed(session, region_at(session, view, region), target)
            name = f"{shown.region}-{shown.commit.label}-{shown.metric}"
            return download(wanted, name, shown, points, overview)
        question = Overlay(target, under or None)
        return region_page(request, session, view, region, question, again=again)
    except NotMeasured:
        present = renamed_regions.renamed(session, view.project, region)
        if present is None:
            raise
        address = path_to(request, "region", project=view.project, region=present)
        return RedirectResponse(f"{address}?{request.url.query}")


def region_page(  # noqa: PLR0913, PLR0917, one per part of the address, and a form
    request: Request,
    session: Session,
    view: view.View,
    region: str,
    question: Overlay = NO_OVERLAY,
    again: int | None = None,
    entered: Form | None = None,
    refused: str | None = None,
) -> Response:
    """Render the page, with what was entered in its form if that was refused.

    Parameters
    ----------
    again
        The earlier version of the expectation that the form begins with.

    Raises
    ------
    NotFound, AmbiguousReference
        If the commit whose curve lies under the present one is unknown.
    """
    shown = _composed(session, region_at(session, view, region), question.target)
    scan = shown.scans[0] if len(shown.scans) == 1 else None
    declared = versions(session, shown.project, shown.region, shown.metric)
    query: Query = {
        "commit": shown.commit.label,
        "metric": shown.metric,
        "configuration": view.settings,
    }
    return templates.render(
        request,
        "regions/show.html",
        status_code=200 if refused is None else 422,
        region=shown,
        is_single=has_one_setting(shown),
        query=query,
        target=question.target,
        outlook=scan
        and outlook.outlook(
            session,
            scan,
            question.target,
            newest_fingerprint(session, shown.project, scan.machine),
        ),
        since=since_of(session, shown),
        under=question.under
        and commit_of(
            find_commit(
                session, projects.existing(session, shown.project), question.under
            )
        ),
        entered=entered,
        refused=refused,
        may_declare=may(session, Role.ADMIN, shown.project),
        versions=declared,
        compositions=shown.compositions,
        composed_words=findings.composed_words,
        forecast_words=findings.forecast_words,
        left_out_words=findings.left_out_words,
        again=next((each for each in declared if each.version == again), None),
        likeliest=likeliest,
        predictions=predictions,
        factors=partial(factors, session),
        plots=_plots(
            request,
            session,
            shown,
            query,
            question,
            has_composed=bool(shown.compositions),
        ),
    )


def _composed(session: Session, shown: Region, target: float | None) -> Region:
    """Return a region with what composed models say, at a target, too, if asked."""
    targets = [
        {**outlook.held_at(scan), scan.parameter: target}
        for scan in shown.scans
        if target is not None
    ]
    return with_compositions(session, shown, targets)


def _plots(  # noqa: PLR0913 - what is drawn, and where
    request: Request,
    session: Session,
    shown: Region,
    query: Query,
    question: Overlay,
    *,
    has_composed: bool,
) -> dict[str, Plot]:
    """Return the figures of the page, of what can be drawn."""
    view: Query = {
        "project": shown.project,
        "region": shown.region,
        "machine": shown.machine,
        **query,
        "target": None if question.target is None else number(question.target),
        "under": question.under,
    }
    is_measured = any(
        taken.count for scan in shown.scans for taken in scan.measurements
    )
    is_modelled = len(shown.scans) == 1 and shown.scans[0].standing.model is not None
    drawn = {"main": main_figure(shown)} if is_measured else {}
    drawn |= {"residuals": "residuals"} if is_modelled else {}
    drawn |= {"composed": "composed"} if has_composed else {}
    plots = {
        place: Plot(
            path_to(request, "figure", view, figure=figure),
            partial(FIGURES[figure], session, shown, question),
        )
        for place, figure in drawn.items()
    }
    is_of_commits = len(shown.scans) == 1 or has_one_setting(shown)
    if is_of_commits and is_tracked(session, shown):
        for at, scan in enumerate(shown.scans):
            # Asked for by the browser: it reads all commits of the scan.
            of_scan: Query = {
                "project": shown.project,
                "region": shown.region,
                "machine": scan.machine,
                "metric": shown.metric,
                "configuration": stated(scan.configuration),
            }
            address = path_to(request, "history-figure", of_scan)
            plots[f"history{at or ''}"] = Plot(address)
    return plots


def has_one_setting(region: Region) -> bool:
    """Tell whether values are shown over commits, as nothing is expected over a scale.

    There is one setting then on each machine.
    """
    is_over_scale = any(scan.level is None for scan in region.scans)
    return not (is_over_scale or region.expectation or region.composition)


def factors(session: Session, scan: Scan) -> list[str]:
    """Return factors and efficiency of a scan that has too few settings for a model."""
    (steps,) = models.steps_of_scans(session, [scan])
    sentences = [step_sentence(step, scan.metric, scan.parameter) for step in steps]
    scalings = models.scalings_of_scan(session, scan) if steps else ()
    speeds = (speed_sentence(scaled, scan.region) for scaled in scalings)
    return [*sentences, *filter(None, speeds)]


def points(region: Region) -> listing.Listing:
    """Return a region's measurements with one line per coordinate."""
    composed: dict[str, Callable[[Scan, Measurement, Beside], object]] = {
        "composed": lambda _, __, beside: beside[0],
        "measured/composed": lambda _, __, beside: beside[1],
    }
    return listing.Columns[Scan, Measurement, Beside](
        {
            "machine": lambda scan, _, __: scan.machine,
            "configuration": lambda scan, _, __: assignments(scan.configuration),
            "coordinate": lambda _, taken, __: assignments(taken.coordinate),
            "unit": lambda scan, _, __: scan.unit,
            "repetitions": lambda _, taken, __: taken.count,
            "minimum": lambda _, taken, __: taken.minimum,
            "q25": lambda _, taken, __: taken.low,
            "median": lambda _, taken, __: taken.middle,
            "q75": lambda _, taken, __: taken.high,
            "q95": lambda _, taken, __: taken.q95,
            "mean": lambda _, taken, __: taken.mean,
            "flags": lambda _, taken, __: ", ".join(taken.flags),
            "reason": lambda _, taken, __: taken.reason,
            "run": lambda _, taken, __: taken.run,
            **(composed if region.compositions else {}),
        }
    ).listing(
        (scan, taken, _beside_composed(region, scan, taken))
        for scan in region.scans
        for taken in scan.measurements
    )


def overview(region: Region) -> listing.Listing:
    """Return a region's medians and quartiles as its page shows them."""
    return listing.Columns[Scan, Measurement](
        {
            "Machine": lambda scan, _: scan.machine,
            "Configuration": lambda scan, _: settings(scan.configuration),
            "Coordinate": lambda _, taken: settings(taken.coordinate),
            f"Median {region.metric}": lambda scan, taken: quantity(
                taken.middle, scan.unit
            ),
            "Lower quartile": lambda scan, taken: quantity(taken.low, scan.unit),
            "Upper quartile": lambda scan, taken: quantity(taken.high, scan.unit),
            "Repetitions": lambda _, taken: taken.count,
            "Remarks": lambda _, taken: ", ".join(
                filter(None, [*taken.flags, taken.reason])
            ),
        }
    ).listing((scan, taken) for scan in region.scans for taken in scan.measurements)


def _beside_composed(region: Region, scan: Scan, taken: Measurement) -> Beside:
    """Return the value of the composed model where one is expected, and the quotient.

    None where a part has no value, or cores were shared.
    """
    composed = next((e.composed for e in region.compositions if e.scan is scan), None)
    if composed is not None:
        at = tuple(taken.coordinate.get(name) for name in composed.series.parameters)
        for point in composed.points:
            if point.setting == at:
                return point.expected, point.quotient
    return None, None


def main_figure(shown: Region) -> str:
    """Return the name of the figure that shows a region at once."""
    if len(shown.scans) > 1:
        return "machines"
    return "slices" if len(shown.scans[0].parameters) > 1 else "scaling"


def predictions(scan: Scan) -> list[float]:
    """Return what the model of a scan says at each of its measurements."""
    model = scan.standing.model
    if model is None:
        return []
    at = [taken.coordinate for taken in scan.measurements]
    named = {name for term in model.terms for name in term.growth.parameters}
    values = model({name: [each[name] for each in at] for name in named})
    return [*map(float, np.broadcast_to(values, len(at)))]


def likeliest(
    probability: Mapping[Likely, float], most: int = 5
) -> list[tuple[Likely, float]]:
    """Return the most probable of the keys that are probable at all."""
    return [entry for entry in probability.items() if entry[1] >= NEGLIGIBLE][:most]

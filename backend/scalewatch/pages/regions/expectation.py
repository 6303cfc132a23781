"""The expectation of a region: its form, and a preview of the verdicts that it gives.

With scripts the page of a region takes the parts of the preview while somebody types.
"""

from collections import Counter
from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from markupsafe import Markup
from sqlalchemy.orm import Session

from scalewatch.errors import BadExpression, FallingLimit, InvalidReport, NotMeasured
from scalewatch.exporters.listing import Columns, Listing
from scalewatch.modelling import Mark
from scalewatch.pages.regions.page import main_figure, region_page
from scalewatch.pages.rendering import navigation, plots, templates
from scalewatch.pages.rendering.addresses import Query as Address
from scalewatch.pages.rendering.addresses import path_to, stated_view
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.wording import mathematics, sentences
from scalewatch.pages.wording.formats import assignments, plural
from scalewatch.services.access.callers import Role, may
from scalewatch.services.expectations import declarations, in_force
from scalewatch.services.expectations.declarations import Declaration, versions
from scalewatch.services.regions import figures, preview
from scalewatch.services.regions.region import Region, region_at
from scalewatch.services.selection.view import View
from scalewatch.web.protection.origins import Form, FormDep
from scalewatch.web.queries import ViewDep
from scalewatch.web.sessions import AdminDep, ReadingDep

MOST_LETTERS: Final = 1000
"""Longer texts in a field of the form are no expression, name or reason."""

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)


@router.post("/p/{project}/r/{region}", name="declare")  # noqa: FAST003, the view
def declare(
    request: Request, session: AdminDep, view: ViewDep, region: str, form: FormDep
) -> Response:
    """Declare or withdraw an expectation, and show the region it is about."""
    try:
        _declare(session, view, region, form)
    except (BadExpression, FallingLimit, InvalidReport, NotMeasured) as error:
        return region_page(
            request, session, view, region, entered=form, refused=str(error)
        )
    session.flush()
    query = stated_view(view)
    path = path_to(request, "region", query, project=view.project, region=region)
    return RedirectResponse(f"{path}#expectation", status_code=303)


def _declare(session: AdminDep, view: View, region: str, form: Form) -> None:
    """Store what a form says.

    Raises
    ------
    InvalidReport
        If a field is missing or too long.
    BadExpression, FallingLimit
        If a growth or a deviation limit makes no sense.
    NotMeasured
        If the growth as it is is wanted, and nobody knows it.
    """
    author, growth = form.text("author"), form.text("growth")
    is_withdrawn, is_as_it_is = form.has("withdraw"), form.has("as_it_is")
    if author is None:
        raise InvalidReport([("", "enter your name in the field Saved by")])
    if growth is None and not (is_withdrawn or is_as_it_is):
        raise InvalidReport([("", "say how it should grow, such as log p")])
    texts = [author, growth, form.text("deviation_limit"), form.text("reason")]
    if max(len(text or "") for text in texts) > MOST_LETTERS:
        raise InvalidReport([("", f"a field holds more than {MOST_LETTERS} letters")])
    if growth is not None:
        preview.check_parameters(region_at(session, view, region), growth)
    if is_as_it_is:
        preview.accept(
            session,
            view.project,
            view.commit,
            author=author,
            reason=form.text("reason"),
            regions=[region],
            metric=view.metric or "time",
        )
        return
    declarations.declare(
        session,
        view.project,
        [
            Declaration(
                region=region,
                metric=view.metric or "time",
                growth=None if is_withdrawn else growth,
                deviation_limit=form.text("deviation_limit"),
            )
        ],
        author=author,
        reason=form.text("reason"),
    )


Field = Annotated[str, Query(max_length=MOST_LETTERS)]


@router.get("/p/{project}/r/{region}/expectation", name="preview")  # noqa: FAST003
def show_preview(  # noqa: PLR0913, PLR0917 - one per field of the form
    request: Request,
    session: ReadingDep,
    view: ViewDep,
    region: str,
    growth: Field = "",
    deviation_limit: Field = "",
    author: Field = "",
    reason: Field = "",
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show how the last commits would be judged by a growth, which is not declared."""
    shown = region_at(session, view, region)
    growth, deviation_limit = growth.strip(), deviation_limit.strip()
    if wanted is not Format.HTML:
        preview.check_parameters(shown, growth)
        expectation = preview.declared_as(shown, growth, deviation_limit or None)
        previewed = preview.preview(session, view, shown, expectation)
        return download(wanted, f"{region}-preview", previewed, listing)
    # What is half typed is no error: the page says what is missing.
    faults = _faults(shown, growth, deviation_limit) if growth else {}
    drawn, plot = None, None
    if growth and not faults:
        expectation = preview.declared_as(shown, growth, deviation_limit or None)
        drawn = preview.preview(session, view, shown, expectation)
        plot = _plot(request, session, view, shown, expectation)
    return templates.render(
        request,
        "regions/preview.html",
        region=shown,
        query={
            "commit": view.commit,
            "metric": shown.metric,
            "machine": view.machine,
            "configuration": view.settings,
        },
        entered={
            "growth": growth,
            "deviation_limit": deviation_limit,
            "author": author,
            "reason": reason,
        },
        faults=faults,
        preview=drawn,
        preview_sentence=preview_sentence,
        plot=plot,
        may_declare=may(session, Role.ADMIN, shown.project),
        versions=versions(session, shown.project, shown.region, shown.metric),
    )


def _faults(shown: Region, growth: str, deviation_limit: str) -> dict[str, str]:
    """Return what is wrong with each field."""
    faults = {}
    try:
        preview.declared_as(shown, growth, None)
        preview.check_parameters(shown, growth)
    except (BadExpression, InvalidReport) as error:
        faults["growth"] = str(error)
    if deviation_limit:
        try:
            preview.declared_as(shown, "1", deviation_limit)
        except (BadExpression, FallingLimit) as error:
            faults["deviation_limit"] = str(error)
    return faults


def _plot(
    request: Request,
    session: Session,
    view: View,
    shown: Region,
    expectation: in_force.Expectation,
) -> plots.Plot | None:
    """Return a region's figure beside an expectation; None where nothing succeeded."""
    if not any(each.count for scan in shown.scans for each in scan.measurements):
        return None
    figure = main_figure(shown)
    query: Address = {
        "project": shown.project,
        "region": shown.region,
        "machine": shown.machine,
        "commit": shown.commit.label,
        "metric": shown.metric,
        "configuration": view.settings,
        "expected": str(expectation.growth),
        "deviation_limit": str(expectation.deviation_limit),
    }
    address = path_to(request, "figure", query, figure=figure)
    drawn = partial(
        figures.FIGURES[figure], session, shown, figures.Overlay(expected=expectation)
    )
    return plots.Plot(address, drawn)


def preview_sentence(shown: preview.Preview) -> Markup:
    """Count the newest verdicts as they would be, and how many would change."""
    if not shown.series:
        return Markup("No measurement here can be judged.")
    newest = Counter(each.then for each in shown.newest)
    then = {mark: newest[mark] for mark in Mark}
    changed = sum(
        each.now is not each.then for series in shown.series for each in series.verdicts
    )
    number = sum(len(series.verdicts) for series in shown.series)
    lead = Markup("If {} is expected").format(mathematics.big_o(shown.growth))
    return Markup("{}: {} at the newest commit; {} of {} shown would change.").format(
        lead, sentences.counts_sentence(then), changed, plural(number, "verdict")
    )


def listing(shown: preview.Preview) -> Listing:
    """Return a preview with one line per series and commit."""
    return Columns[preview.PreviewedSeries, preview.PreviewedVerdict](
        {
            "machine": lambda series, _: series.machine,
            "configuration": lambda series, _: assignments(series.configuration),
            "commit": lambda _, verdict: verdict.commit.label,
            "verdict now": lambda _, verdict: verdict.now,
            "verdict then": lambda _, verdict: verdict.then,
            "probability": lambda _, verdict: verdict.probability,
            "divergence": lambda _, verdict: verdict.divergence,
            "reason": lambda _, verdict: verdict.reason,
        }
    ).listing(
        (series, verdict) for series in shown.series for verdict in series.verdicts
    )

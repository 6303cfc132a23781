"""The page of costs: which region takes most where the code is to run."""

from functools import partial

from fastapi import APIRouter, Request, Response

from scalewatch.exporters.listing import Listing
from scalewatch.pages.costs.bars import CostBars
from scalewatch.pages.costs.sentences import (
    assumption_sentence,
    cost_sentence,
    end_sentence,
    forecast_words,
    share,
    share_at,
    value_at,
    without_sentence,
)
from scalewatch.pages.rendering.delay import DELAY
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.rendering.plots import plots_of
from scalewatch.pages.rendering.templates import Query, render
from scalewatch.pages.wording.formats import assignments, number, stated
from scalewatch.services.costs.cost import Cost, cost_at
from scalewatch.services.costs.figures import FIGURES
from scalewatch.services.selection.view import View
from scalewatch.web.queries import Scale
from scalewatch.web.sessions import ReadingDep
from scalewatch.web.views import ViewDep

router = APIRouter(include_in_schema=False, dependencies=DELAY)


@router.get("/p/{project}/cost", name="cost")  # noqa: FAST003, the view has it
def show_cost(
    request: Request,
    session: ReadingDep,
    view: ViewDep,
    target: Scale = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show the share of every region over p, and what costs most at a target."""
    shown = cost_at(session, view, target)
    if wanted is not Format.HTML:
        name = f"{shown.project}-{shown.commit.label}-{shown.machine}-cost"
        return download(wanted, name, shown, listing)
    query = query_of(view, target)
    return render(
        request,
        "costs/show.html",
        shown=shown,
        query=query,
        plots=plots_of(
            request, "cost-figure", FIGURES, shown, {"project": shown.project, **query}
        ),
        lead=cost_sentence(shown),
        end=end_sentence(shown),
        assumption=assumption_sentence(shown),
        without=without_sentence(shown),
        bar=CostBars(shown),
        share=share,
        share_at=partial(share_at, shown),
        value_at=partial(value_at, shown),
        bounds=forecast_words,
        largest=shown.measured[-1] if shown.measured else None,
        region_query={
            "commit": shown.commit.label,
            "metric": shown.metric,
            "machine": shown.machine,
            "configuration": stated(shown.chosen),
            "target": number(shown.reach or shown.target),
        },
    )


def query_of(view: View, target: float | None) -> Query:
    """Return the whole state of the page; what was not asked for is left out."""
    return {
        "commit": view.commit,
        "metric": view.metric,
        "machine": view.machine,
        "configuration": view.settings,
        "target": None if target is None else number(target),
    }


def listing(shown: Cost) -> Listing:
    """Return one line per region and scale, most expensive regions first."""
    return Listing(
        ("region", "configuration", "machine", "p", "origin", "value", "share"),
        [
            (
                each.region,
                assignments(each.configuration),
                shown.machine,
                scale,
                "measured" if scale in shown.measured else "forecast",
                value,
                part,
            )
            for each in shown.regions
            for scale, value, part in zip(
                shown.scales, each.values, each.shares, strict=True
            )
        ],
    )

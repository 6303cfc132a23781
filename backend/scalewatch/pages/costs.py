"""The page of costs: which region takes most where the code is to run."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response

from scalewatch.exporters.listing import Listing
from scalewatch.pages.costs_bars import CostBars
from scalewatch.pages.costs_sentences import (
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
from scalewatch.pages.rendering.templates import Query as LinkQuery
from scalewatch.pages.rendering.templates import render
from scalewatch.pages.wording.formats import assignments, number, stated
from scalewatch.services.costs.cost import Cost, cost_at
from scalewatch.services.costs.figures import FIGURES
from scalewatch.services.selection.view import View
from scalewatch.web.queries import Scale
from scalewatch.web.sessions import ReadingDep
from scalewatch.web.views import ViewDep

router = APIRouter(include_in_schema=False, dependencies=DELAY)

MOST_ROWS: Final = 50
"""Regions with a row of their own, unless all are asked for: browsers take longer to
lay hundreds of rows out than to draw the picture above them."""


@router.get("/p/{project}/cost", name="cost")  # noqa: FAST003, the view has it
def show_cost(  # noqa: PLR0913 - parts of the address
    request: Request,
    session: ReadingDep,
    view: ViewDep,
    target: Scale = None,
    *,
    all_rows: Annotated[bool, Query(alias="all")] = False,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show the share of every region over p, and what costs most at a target."""
    shown = cost_at(session, view, target)
    if wanted is not Format.HTML:
        name = f"{shown.project}-{shown.commit.label}-{shown.machine}-cost"
        return download(wanted, name, shown, listing)
    query = query_of(view, target)
    most = len(shown.regions) if all_rows else MOST_ROWS
    others = shown.regions[most:]
    return render(
        request,
        "costs/show.html",
        shown=shown,
        regions=shown.regions[:most],
        others=others,
        others_share=_sum([each.share for each in others]),
        others_value=_sum([each.value for each in others]),
        others_shares=[*map(_sum, zip(*(each.shares for each in others), strict=True))],
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


def _sum(values: Sequence[float | None]) -> float | None:
    """Return the sum of the values that are told; None where none is."""
    told = [value for value in values if value is not None]
    return sum(told) if told else None


def query_of(view: View, target: float | None) -> LinkQuery:
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

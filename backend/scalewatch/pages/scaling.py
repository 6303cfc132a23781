"""The page Scaling: speed-up, efficiency and cost of a region at each size."""

import re
from typing import Final

from fastapi import APIRouter, Request, Response

from scalewatch.errors import NoTimes
from scalewatch.exporters.listing import Columns, Listing
from scalewatch.modelling.efficiencies import SizeRow
from scalewatch.pages.moved import moved_to
from scalewatch.pages.rendering import addresses, navigation, plots, templates
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.rendering.errors import show_untimed
from scalewatch.services.efficiencies import wording
from scalewatch.services.efficiencies.table import table_of
from scalewatch.services.regions.efficiency import (
    FIGURES,
    RegionEfficiency,
    efficiency_at,
)
from scalewatch.texts.numbers import significant
from scalewatch.texts.scales import RESOURCES
from scalewatch.web.queries import EfficiencyQuestionDep, ViewDep
from scalewatch.web.sessions import ReadingDep

LIMITS = (90, 80, 70, 60)
"""Efficiencies in per cent that a choice offers."""

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)


OF_CONTOURS: Final = frozenset({"quantity", "size", "source", "to", "vs"})
"""Names that only the address of the contours has, which was this one before."""


@router.get("/p/{project}/scaling", name="scaling")  # noqa: FAST003, the view
@router.get("/p/{project}/scaling/serial", name="serial-fraction")
def show_scaling(  # noqa: PLR0913, PLR0917 - parts of the address
    request: Request,
    session: ReadingDep,
    view: ViewDep,
    question: EfficiencyQuestionDep,
    region: str | None = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show how much faster a region gets on more nodes, GPUs or processes."""
    if OF_CONTOURS & request.query_params.keys():
        return moved_to(request, "scaling-errors", project=view.project)
    route = str(request.scope["route"].name)
    try:
        shown = efficiency_at(session, view, region or None, question)
    except NoTimes as error:
        if wanted is not Format.HTML:
            raise
        return show_untimed(request, view, route, error)
    if wanted is not Format.HTML:
        name = f"{shown.region}-{shown.commit.label}-efficiency"
        return download(wanted, name, shown, numbers, cells)
    scaled = shown.chosen
    limit = None if question.limit is None else f"{100 * question.limit:.10g}"
    query = {
        "region": shown.region,
        **addresses.stated_view(view),
        **addresses.stated_question(question),
        "limit": limit,
    }
    return templates.render(
        request,
        "scaling/show.html",
        route=route,
        shown=shown,
        scaled=scaled,
        query=query,
        limits=LIMITS,
        scales=[(name, RESOURCES[name].many) for name in shown.scales],
        table=table_of(scaled) if scaled else None,
        lead=wording.speed_sentence(scaled, shown.region) if scaled else "",
        kind=_in_address(wording.kind_words(scaled)) if scaled else "",
        limit=wording.limits_sentence(scaled) if scaled else "",
        following=wording.next_sentence(scaled) if scaled else "",
        remarks=[*map(_in_address, wording.remarks(scaled))] if scaled else [],
        questions=[*map(_in_address, wording.questions(scaled))] if scaled else [],
        hours=significant(shown.plan.hours) if shown.plan else None,
        plots=plots.plots_of(
            request,
            "efficiency-figure",
            FIGURES,
            shown,
            {"project": shown.project, **query},
        ),
    )


def _in_address(sentence: str) -> str:
    """Return a sentence with the choices of an address for the options of a command."""
    for option, choice in OPTIONS.items():
        sentence = option.sub(choice, sentence)
    return sentence


OPTIONS: Final = {
    re.compile("--scaling says"): "?kind=strong or ?kind=weak says",
    re.compile(r"--scaling (\w+)"): r"?kind=\1",
    re.compile(r"--per-node \w+=N"): "?per_node=N",
    re.compile("--steps N"): "?steps=N",
    re.compile(r"--base (\S+)"): r"?base=\1",
}
"""Options of `scalewatch model`, and the same choices in an address."""


def numbers(shown: RegionEfficiency) -> Listing:
    """Return one line per size with all digits, for programs."""
    scaled = shown.chosen
    rows = () if scaled is None or scaled.scaling is None else scaled.scaling.rows
    forecasts = () if scaled is None else scaled.forecasts
    return Columns[SizeRow](
        {
            "machine": lambda _: shown.machine,
            "size": lambda row: row.size,
            "runs": lambda row: row.runs,
            "value": lambda row: row.value.value,
            "low": lambda row: row.value.low,
            "high": lambda row: row.value.high,
            "speed_up": lambda row: row.speed_up,
            "efficiency": lambda row: row.efficiency.value,
            "efficiency_low": lambda row: row.efficiency.low,
            "efficiency_high": lambda row: row.efficiency.high,
            "hours": lambda row: scaled and scaled.hours_of(row),
        }
    ).listing((row,) for row in (*rows, *forecasts))


def cells(shown: RegionEfficiency) -> Listing:
    """Return the table that is shown, for people."""
    if shown.chosen is None:
        return Listing((), iter(()))
    table = table_of(shown.chosen)
    rows = ((shown.machine, *row.cells) for row in table.rows)
    return Listing(("Machine", *table.headings), rows)

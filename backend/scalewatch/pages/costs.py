"""The page of costs: which region takes most where the code is to run."""

from typing import Annotated, Final, TypeGuard

from fastapi import APIRouter, Query, Request, Response
from markupsafe import Markup

from scalewatch.exporters.listing import Columns, Listing
from scalewatch.figures.costs import known_sum
from scalewatch.pages.rendering import addresses, navigation, plots, sheets, templates
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.wording import formats, intervals, sentences
from scalewatch.services.costs import FIGURES, Cost, RegionCost, cost_at
from scalewatch.services.selection.pages import part_of
from scalewatch.texts.numbers import MISSING, SPACE
from scalewatch.web.queries import CursorQuery, Scale, ViewDep
from scalewatch.web.sessions import ReadingDep

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)

MOST_ROWS: Final = 50
"""Regions with a row of their own, unless all are asked for: browsers take longer to
lay hundreds of rows out than to draw the picture above them."""


@router.get("/p/{project}/cost", name="cost")  # noqa: FAST003, the view has it
def show_cost(  # noqa: PLR0913 - parts of the address
    request: Request,
    session: ReadingDep,
    view: ViewDep,
    target: Scale = None,
    cursor: CursorQuery = None,
    *,
    all_rows: Annotated[bool, Query(alias="all")] = False,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show the share of every region over a scale, and what costs most at a target."""
    shown = cost_at(session, view, target)
    if wanted is not Format.HTML:
        name = f"{shown.project}-{shown.commit.label}-{shown.machine}-cost"
        return download(wanted, name, shown, listing, overview, cursor=cursor)
    query = {
        **addresses.stated_view(view),
        "target": None if target is None else formats.number(target),
    }
    part, page = part_of(shown, cursor)
    regions = part.regions if all_rows else shown.regions[:MOST_ROWS]
    others = shown.regions[page.start + len(regions) :]
    return templates.render(
        request,
        "costs/show.html",
        shown=shown,
        regions=regions,
        page=page if all_rows else None,
        others=others,
        others_share=known_sum([each.share for each in others]),
        others_value=known_sum([each.value for each in others]),
        others_shares=[
            *map(known_sum, zip(*(each.shares for each in others), strict=True))
        ],
        query=query,
        plots=plots.plots_of(
            request, "cost-figure", FIGURES, shown, {"project": shown.project, **query}
        ),
        lead=cost_sentence(shown),
        end=end_sentence(shown),
        assumption=assumption_sentence(shown),
        without=without_sentence(shown),
        bar=CostBars(shown),
        share=share,
        bounds=forecast_words,
        largest=shown.measured[-1] if shown.measured else None,
        region_query={
            "commit": shown.commit.label,
            "metric": shown.metric,
            "machine": shown.machine,
            "configuration": formats.stated(shown.chosen),
            "target": formats.number(shown.reach or shown.target),
        },
    )


def listing(shown: Cost) -> Listing:
    """Return one line per region and scale, most expensive regions first."""
    scales, measured = shown.scales, shown.measured
    return Columns[RegionCost, int](
        {
            "region": lambda cost, _: cost.region,
            "configuration": lambda cost, _: formats.assignments(cost.configuration),
            "machine": lambda _, __: shown.machine,
            shown.scale.name: lambda _, k: scales[k],
            "origin": lambda _, k: "measured" if scales[k] in measured else "forecast",
            "value": lambda cost, k: cost.values[k],
            "share": lambda cost, k: cost.shares[k],
        }
    ).listing((cost, k) for cost in shown.regions for k in range(len(scales)))


def overview(shown: Cost) -> Listing:
    """Return one line per region and a column per scale: what it takes of the sum."""
    scales = (f"{shown.scale.name} = {each:,g}" for each in shown.scales)
    return Listing(
        ("Machine", "Region", "Configuration", *scales),
        [
            (
                shown.machine,
                cost.region,
                formats.settings(cost.configuration),
                *map(share, cost.shares),
            )
            for cost in shown.regions
        ],
    )


def share(value: float | None) -> str:
    """Write a share of a sum: `71.3 %`, `< 0.1 %`."""
    if value is None:
        return MISSING
    if 0 < value < 0.001:
        return f"<{SPACE}0.1{SPACE}%"
    return f"{100 * value:.{1 if value < 0.0995 else 0}f}{SPACE}%"


def cost_sentence(shown: Cost) -> Markup | None:
    """Tell which region takes most where shares end, and what it took before."""
    if shown.reach is None or not shown.regions:
        return None
    worst = shown.regions[0]
    largest = shown.measured[-1]
    times = shown.reach / largest
    sentence = Markup(
        "At {scale} = {at}{far}, {share} of the {metric} on {machine} is in {region}"
    ).format(
        scale=shown.scale.name,
        at=formats.count(shown.reach),
        far=f", {formats.multiple(times)} the largest run" if times > 1 else "",
        share=share(worst.share),
        metric=sentences.metric_words(shown.metric),
        machine=formats.named(shown.machine),
        region=formats.named(worst.region),
    )
    before = share_at(shown, worst, largest)
    if shown.reach > largest and before is not None:
        sentence += Markup(", {} at {} = {}").format(
            share(before), shown.scale.name, formats.count(largest)
        )
    return sentence + "."


def share_at(shown: Cost, region: RegionCost, scale: float) -> float | None:
    """Return the share of a region at one of the scales, where it is told."""
    if scale not in shown.scales:
        return None
    return region.shares[shown.scales.index(scale)]


def value_at(shown: Cost, region: RegionCost, scale: float) -> float | None:
    """Return what a region costs at one of the scales, where it is known."""
    if scale not in shown.scales:
        return None
    return region.values[shown.scales.index(scale)]


def end_sentence(shown: Cost) -> Markup | None:
    """Tell where shares end and which regions lack there, if before the target."""
    if not shown.is_cut_short or not shown.lacking:
        return None
    names = [
        Markup("{} ({})").format(formats.named(region), share(lacking))
        for region, lacking in list(shown.lacking.items())[:3]
    ]
    more = len(shown.lacking) - len(names)
    listed = Markup(", ").join(names)
    if more:
        listed += f" and {formats.plural(more, 'other region')}"
    if shown.reach is None:
        return Markup("No shares: {} has no value.").format(listed)
    return Markup(
        "Shares end before {scale} = {}: beyond {scale} = {} there is no forecast of "
        "{}, too large a part of the {} to leave out."
    ).format(
        formats.count(shown.target),
        formats.count(shown.reach),
        listed,
        sentences.metric_words(shown.metric),
        scale=shown.scale.name,
    )


def assumption_sentence(shown: Cost) -> str | None:
    """Tell what forecasts of shares take for granted; None where all is measured."""
    if shown.reach is None or shown.reach <= shown.measured[-1]:
        return None
    has_bounds = any(forecast_words(each, shown.unit) for each in shown.regions)
    return (
        f"Forecasts beyond {shown.scale.name} = {formats.count(shown.measured[-1])}"
        f"{' and their intervals' if has_bounds else ''} assume that each "
        "region keeps its measured growth, or one within its uncertainty."
    )


def without_sentence(shown: Cost) -> Markup | None:
    """Name the regions that lack where shares end, though they are negligible."""
    if shown.reach is None or shown.is_cut_short or not shown.lacking:
        return None
    together = sum(shown.lacking.values())
    return Markup("Without {} that {} no forecast there ({} together before).").format(
        formats.plural(len(shown.lacking), "region"),
        "has" if len(shown.lacking) == 1 else "have",
        share(together),
    )


def forecast_words(region: RegionCost, unit: str) -> str:
    """Write the bounds of a region's forecast: `168 µs … 430 µs`; empty without."""
    if region.low is None or region.high is None or region.low == region.high:
        return ""
    if region.value is None:
        low, high = (
            formats.quantity(region.low, unit),
            formats.quantity(region.high, unit),
        )
        return f"{low} … {high}"
    _, low, high = intervals.quantities(region.value, region.low, region.high, unit)
    return f"{low} … {high}"


WIDTH: Final = 200
MARGIN: Final = 6

BAR: Final = (
    '<svg class="cost" viewBox="0 0 {width} 16" aria-hidden="true">{parts}</svg>'
)
MOVE: Final = '<line class="cost__move" x1="{}" x2="{}" y1="8" y2="8"/>'
INTERVAL: Final = (
    '<rect class="cost__interval" x="{}" width="{}" y="3" height="10" rx="2"/>'
)
BEFORE: Final = '<circle class="cost__before" cx="{}" cy="8" r="3.5"/>'
AFTER: Final = '<circle class="cost__after" cx="{}" cy="8" r="4"/>'


class CostBars:
    """Draws rows on one logarithmic scale: hollow measured, filled where ranked."""

    def __init__(self, shown: Cost) -> None:
        self._shown = shown
        self._largest = shown.measured[-1] if shown.measured else 1.0
        drawn = [
            value
            for region in shown.regions
            for value in (*self._marks(region), region.low, region.high)
            if value is not None and value > 0
        ]
        self.ends = min(drawn, default=1.0), max(drawn, default=1.0)
        self._place = sheets.LogAxis(*self.ends, MARGIN, WIDTH - MARGIN).place

    def __call__(self, region: RegionCost) -> Markup:
        """Draw a row; empty where no value has a place on the scale."""
        before, after = self._marks(region)
        parts = []
        if _is_drawn(region.low) and _is_drawn(region.high):
            low, high = self._place(region.low), self._place(region.high)
            parts.append(INTERVAL.format(low, round(max(high - low, 1.0), 1)))
        if _is_drawn(before) and _is_drawn(after):
            parts.append(MOVE.format(self._place(before), self._place(after)))
        if _is_drawn(before):
            parts.append(BEFORE.format(self._place(before)))
        if _is_drawn(after):
            parts.append(AFTER.format(self._place(after)))
        if not parts:
            return Markup()
        drawn = BAR.format(width=WIDTH, parts="".join(parts))
        return Markup(drawn)  # noqa: S704, its parts are numbers

    def _marks(self, region: RegionCost) -> tuple[float | None, float | None]:
        """Return the value at the largest scale measured, and where it is ranked."""
        return value_at(self._shown, region, self._largest), region.value


def _is_drawn(value: float | None) -> TypeGuard[float]:
    """Tell whether a logarithmic scale has a place for a value."""
    return value is not None and value > 0

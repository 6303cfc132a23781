"""Costs of regions in sentences."""

from typing import Final

from markupsafe import Markup

from scalewatch.pages.wording.formats import (
    SPACE,
    count,
    multiple,
    named,
    plural,
    quantity,
)
from scalewatch.pages.wording.intervals import quantities
from scalewatch.pages.wording.sentences import metric_words
from scalewatch.services.costs.cost import Cost, RegionCost

MISSING: Final = "–"


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
    sentence = Markup(
        "At p = {at}{far}, {share} of the {metric} on {machine} is in {region}"
    ).format(
        at=count(shown.reach),
        far=_far(shown.reach, largest),
        share=share(worst.share),
        metric=metric_words(shown.metric),
        machine=named(shown.machine),
        region=named(worst.region),
    )
    before = share_at(shown, worst, largest)
    if shown.reach > largest and before is not None:
        sentence += Markup(", {} at p = {}").format(share(before), count(largest))
    return sentence + "."


def _far(reach: float, largest: float) -> str:
    times = reach / largest
    return f", {multiple(times)} the largest run" if times > 1 else ""


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
        Markup("{} ({})").format(named(region), share(lacking))
        for region, lacking in list(shown.lacking.items())[:3]
    ]
    more = len(shown.lacking) - len(names)
    listed = Markup(", ").join(names)
    if more:
        listed += f" and {plural(more, 'other region')}"
    if shown.reach is None:
        return Markup("No share is told: {} has no value.").format(listed)
    return Markup(
        "Not told up to p = {}: beyond p = {} there is no forecast of {}, too much of "
        "the {} to leave out."
    ).format(
        count(shown.target), count(shown.reach), listed, metric_words(shown.metric)
    )


def assumption_sentence(shown: Cost) -> str | None:
    """Tell what forecasts of shares take for granted; None where all is measured."""
    if shown.reach is None or shown.reach <= shown.measured[-1]:
        return None
    has_bounds = any(forecast_words(each, shown.unit) for each in shown.regions)
    return (
        f"Forecasts beyond p = {count(shown.measured[-1])}"
        f"{' and their intervals' if has_bounds else ''} hold if each region keeps the "
        "growth that its runs show, or one of those that they allow."
    )


def without_sentence(shown: Cost) -> Markup | None:
    """Name the regions that lack where shares end, though they are negligible."""
    if shown.reach is None or shown.is_cut_short or not shown.lacking:
        return None
    together = sum(shown.lacking.values())
    return Markup("Without {} that {} no forecast there ({} together before).").format(
        plural(len(shown.lacking), "region"),
        "has" if len(shown.lacking) == 1 else "have",
        share(together),
    )


def forecast_words(region: RegionCost, unit: str) -> str:
    """Write the bounds of a region's forecast: `168 µs … 430 µs`; empty without."""
    if region.low is None or region.high is None or region.low == region.high:
        return ""
    if region.value is None:
        return f"{quantity(region.low, unit)} … {quantity(region.high, unit)}"
    _, low, high = quantities(region.value, region.low, region.high, unit)
    return f"{low} … {high}"

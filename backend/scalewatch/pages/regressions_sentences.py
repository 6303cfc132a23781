"""Regressions in a line each: what, since when, how bad, where."""

from dataclasses import dataclass

from markupsafe import Markup

from scalewatch.modelling.growths.parse import parse_growth
from scalewatch.modelling.growths.verdict import Mark, Verdict
from scalewatch.pages.wording.factors import factor_words
from scalewatch.pages.wording.formats import plural
from scalewatch.pages.wording.mathematics import stated_order
from scalewatch.services.regressions.regressions import Regression
from scalewatch.storage.histories.shift_details import ShiftDetails


@dataclass(frozen=True, slots=True)
class Headline:
    """What the list says of a regression.

    Parameters
    ----------
    growth
        The growth before and after, or the one that stayed.
    factor
        How much worse or better its worst series became, and at which scale.
    where
        On which machines.
    """

    growth: Markup
    factor: str
    where: str


def headline(each: Regression) -> Headline | None:
    """Return what the list says of a regression; None where no series is left."""
    if not each.members:
        return None
    worst = each.worst
    machines = each.machines
    return Headline(
        growth=growth_words(each),
        factor=factor_words(
            worst.details.largest_factor, worst.metric, worst.details.largest
        ),
        where=machines[0]
        if len(machines) == 1
        else f"{plural(len(machines), 'machine')}, worst on {worst.machine}",
    )


def growth_words(each: Regression) -> Markup:
    """Write the growth of the worst series before and after."""
    details = each.worst.details
    if details.growth_before is None or details.growth_after is None:
        return Markup("growth not known")
    before, after = map(stated_order, (details.growth_before, details.growth_after))
    if details.growth_before == details.growth_after:
        return Markup("{} as before").format(after)
    return Markup("{} → {}").format(before, after)


def verdict_words(details: ShiftDetails) -> str:
    """Write the verdicts before and after: `match → better` is no fault.

    Empty where nothing was expected.
    """
    marks = (
        _mark(details.verdict_before, details.growth_before, details.expectation),
        _mark(details.verdict_after, details.growth_after, details.expectation),
    )
    return "" if marks[1] is None else f"{marks[0] or 'none'} → {marks[1]}"


def _mark(
    verdict: Verdict | None, growth: str | None, expectation: str | None
) -> Mark | None:
    if verdict is None:
        return None
    if growth is None or expectation is None:
        return Mark.told(verdict, None)
    return Mark.told(verdict, parse_growth(growth) / parse_growth(expectation))

"""The page of guidelines: which hold, which are broken, which will be."""

from collections import Counter

from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from scalewatch.exporters.listing import Columns, Listing
from scalewatch.pages.rendering import addresses, navigation, templates
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.wording import intervals
from scalewatch.pages.wording.formats import assignments, named, plural
from scalewatch.pages.wording.sentences import scale_from
from scalewatch.services.comparisons.compare import choices_of
from scalewatch.services.guidelines import (
    CheckedGuideline,
    GuidelineReport,
    GuidelineState,
    guidelines_at,
)
from scalewatch.web import queries, sessions

MARKS = {
    GuidelineState.BROKEN: ("mismatch", "✗"),
    GuidelineState.THREATENED: ("approximate", "≈"),
    GuidelineState.HOLDS: ("match", "✓"),
    GuidelineState.UNKNOWN: ("undecided", "?"),
}
"""Colour and symbol of each state: those of the verdicts."""

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)


@router.get("/p/{project}/guidelines", name="guidelines")  # noqa: FAST003, see the view
def show_guidelines(
    request: Request,
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show how the rules between regions hold at a commit."""
    report = guidelines_at(session, view)
    if wanted is not Format.HTML:
        name = f"{report.project}-{report.commit.label}-guidelines"
        return download(wanted, name, report, checks_listing, overview)
    return templates.render(
        request,
        "guidelines/show.html",
        report=report,
        headline=headline(report),
        lead=lead(report),
        choices=choices_of(session, report.project),
        guideline_state=mark,
        query=addresses.stated_view(view),
    )


def headline(report: GuidelineReport) -> Markup | None:
    """Name the check that is broken by most: shortcut, parts, factor and scale."""
    broken = [
        (check.check.excess, check)
        for check in report.checks
        if check.check is not None and check.check.excess is not None
    ]
    if broken:
        excess, worst = max(broken, key=lambda pair: pair[0])
        scale = {worst.parameter: worst.check.violated_at[-1]} if worst.check else {}
        words = intervals.factor_words(excess, report.metric, scale)
    else:
        threatened = [
            (from_, check)
            for check in report.checks
            if (from_ := check.predicted_from) is not None
        ]
        if not threatened:
            return None
        from_, worst = min(threatened, key=lambda pair: pair[0])
        way = intervals.way(2, report.metric)
        words = f"{way} by its model from {scale_from(worst.parameter, from_)} on"
    return Markup("{} is {} than {} on {}").format(
        named(worst.guideline.region),
        words,
        " + ".join(worst.guideline.parts),
        named(worst.machine),
    )


def lead(report: GuidelineReport) -> str:
    """Sum up: `2 guidelines are broken, 1 will be at a larger scale; 9 hold`."""
    counts = Counter(each.state for each in report.checks)
    if not counts:
        return "No guideline could be checked"
    parts = [
        f"{plural(counts[state], 'check')} {words}"
        for state, words in (
            (GuidelineState.BROKEN, "broken where measured"),
            (GuidelineState.THREATENED, "broken by the models at a larger scale"),
            (GuidelineState.HOLDS, "passed"),
            (GuidelineState.UNKNOWN, "not possible"),
        )
        if counts[state]
    ]
    return ", ".join(parts)


def mark(checked: CheckedGuideline) -> Markup:
    """Write a state as symbol, word and colour."""
    colour, symbol = MARKS[checked.state]
    return Markup(
        '<span class="verdict verdict--{}"><span class="verdict__symbol" '
        'aria-hidden="true">{}</span> {}</span>'
    ).format(colour, symbol, checked.state)


def checks_listing(report: GuidelineReport) -> Listing:
    """Return checks, one line each."""
    return Columns[CheckedGuideline](
        {
            "guideline": lambda checked: str(checked.guideline),
            "machine": lambda checked: checked.machine,
            "configuration": lambda checked: assignments(checked.configuration),
            "state": lambda checked: checked.state,
            "violated_at": lambda checked: (
                checked.check and "; ".join(f"{x:g}" for x in checked.check.violated_at)
            ),
            "violated_from": lambda checked: (
                checked.check and checked.check.violated_from
            ),
            "growth": lambda checked: checked.check and checked.check.growth,
            "allowed": lambda checked: checked.check and checked.check.allowed,
            "reason": lambda checked: checked.reason,
        }
    ).listing(zip(report.checks))


def overview(report: GuidelineReport) -> Listing:
    """Return checks as the page shows them, one line each."""
    return checks_listing(report).with_columns(
        {
            "guideline": "Guideline",
            "machine": "Machine",
            "configuration": "Configuration",
            "state": "State",
            "violated_from": "Violated from",
            "growth": "Growth",
            "allowed": "Allowed",
            "reason": "Remarks",
        }
    )

"""The page of hotspots: where profiles change, and what they consist of there."""

from typing import Final

from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from scalewatch.exporters.listing import Columns, Listing
from scalewatch.modelling import ScanStep
from scalewatch.pages.rendering import addresses, navigation, plots, templates
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.wording import formats
from scalewatch.services import hotspots
from scalewatch.services.hotspots import Setting
from scalewatch.web import queries, sessions

MOST_FUNCTIONS: Final = 50
"""Functions of a profile that the page lists; exports have all."""

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)


@router.get("/p/{project}/hotspots", name="hotspots")  # noqa: FAST003, the view
def show_hotspots(
    request: Request,
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    question: queries.HotspotQuestionDep,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show where the profile of a code changes along a scan."""
    shown = hotspots.hotspots_at(session, view, question)
    if wanted is not Format.HTML:
        label = shown.commit.label if shown.commit else "none"
        name = f"{shown.project}-{label}-hotspots"
        return download(wanted, name, shown, profiles, steps)
    query = {
        "commit": view.commit,
        "machine": view.machine,
        "configuration": view.settings,
        **addresses.stated_question(question),
    }
    return templates.render(
        request,
        "hotspots/show.html",
        shown=shown,
        asked=shown.question,
        query=query,
        plots=plots.plots_of(
            request,
            "hotspot-figure",
            hotspots.FIGURES,
            shown,
            {"project": shown.project, **query},
        ),
        lead=hotspots_sentence(shown),
        level=hotspots.LEVEL,
        most=MOST_FUNCTIONS,
        remarks=remarks,
        setting_key=hotspots.setting_key,
    )


def profiles(shown: hotspots.Hotspots) -> Listing:
    """Return one line per setting and function."""
    return Columns[hotspots.HotspotScan, Setting, str, float](
        {
            "machine": lambda scan, _, __, ___: scan.machine,
            "held": lambda scan, _, __, ___: formats.assignments(scan.held),
            shown.question.over or "setting": lambda _, at, __, ___: (
                hotspots.setting_key(at)
            ),
            "function": lambda _, __, function, ___: function,
            "seconds": lambda _, __, ___, seconds: seconds,
        }
    ).listing(
        (scan, setting, function, seconds)
        for scan in filter(None, [shown.chosen])
        for setting, times in zip(scan.settings, scan.seconds, strict=False)
        for function, seconds in zip(scan.functions, times, strict=True)
    )


def steps(shown: hotspots.Hotspots) -> Listing:
    """Return one line per comparison."""
    return Columns[ScanStep](
        {
            "From": lambda step: hotspots.setting_key(step.before),
            "To": lambda step: hotspots.setting_key(step.after),
            "χ²": lambda step: step.difference.chi2,
            "p": lambda step: step.difference.p_value,
            "Corrected p": lambda step: step.corrected_p_value,
            "1 − p": lambda step: step.difference.difference,
            "τ": lambda step: step.difference.tau,
            "(1 − τ)/2": lambda step: step.difference.order_difference,
            "Remarks": remarks,
        }
    ).listing(zip(shown.chosen.steps if shown.chosen else ()))


NO_JUMP = Markup(
    "The profile keeps its proportions over {over}: none of {steps} differs."
)

JUMP = Markup(
    "The profile changes at {over} = {after}: <bdi>{function}</bdi> went from "
    "{before_share} to {after_share} of the time{more}."
)

COMPARED = Markup(" {name}: {jumps} there.")


def hotspots_sentence(shown: hotspots.Hotspots) -> Markup:
    """Tell whether the profile changes, and what explains the largest change."""
    scan = shown.chosen
    if scan is None:
        return Markup("")
    if scan.reason is not None:
        return Markup("{}").format(formats.sentence(scan.reason))
    said = _said(shown, scan)
    if shown.other is not None:
        name = shown.alternatives.get(shown.question.vs or "", shown.other.machine)
        changes = _changes(shown.other)
        said += COMPARED.format(name=name, jumps=shown.other.reason or changes)
    return said


def _said(shown: hotspots.Hotspots, scan: hotspots.HotspotScan) -> Markup:
    over = shown.question.over
    if not scan.jumps:
        return NO_JUMP.format(
            over=over, steps=formats.plural(len(scan.steps), "comparison")
        )
    step, first = shown.step, shown.movements[0] if shown.movements else None
    if step is None or first is None or not step.is_significant:
        return Markup("The profile has {} over {}.").format(_changes(scan), over)
    others = len(scan.jumps) - 1
    return JUMP.format(
        over=over,
        after=hotspots.setting_key(step.after),
        function=formats.breakable(first.function),
        before_share=formats.share(first.share_before),
        after_share=formats.share(first.share_after),
        more=f", and {formats.plural(others, 'other step')} changed it as well"
        if others
        else "",
    )


def _changes(scan: hotspots.HotspotScan) -> str:
    number = len(scan.jumps)
    return (
        formats.plural(number, "significant change")
        if number
        else "no significant change"
    )


def remarks(step: ScanStep) -> str:
    """Tell what numbers do not: significance, functions of one profile only."""
    said = ["significant"] if step.is_significant else []
    difference = step.difference
    if difference.reason:
        said.append(difference.reason)
    for names, words in (
        (difference.only_first, "only before"),
        (difference.only_second, "only after"),
    ):
        if names:
            listed = ", ".join(names[:3])
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            said.append(f"{words}: {listed}{more}")
    return "; ".join(said)

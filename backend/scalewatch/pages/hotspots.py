"""The page of hotspots: where profiles change, and what they consist of there."""

from typing import Final

from fastapi import APIRouter, Request, Response

from scalewatch.exporters.listing import Listing
from scalewatch.modelling import Against, Correction
from scalewatch.pages.hotspots_sentences import hotspots_sentence, remarks
from scalewatch.pages.rendering.delay import DELAY
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.rendering.plots import plots_of
from scalewatch.pages.rendering.templates import Query, render
from scalewatch.pages.scaling_errors_sentences import share
from scalewatch.pages.wording.formats import assignments, number
from scalewatch.services.hotspots.figures import FIGURES
from scalewatch.services.hotspots.scans import (
    LEVEL,
    HotspotQuestion,
    Hotspots,
    hotspots_at,
    setting_key,
)
from scalewatch.services.selection.view import View
from scalewatch.web.queries import HotspotQuestionDep
from scalewatch.web.sessions import ReadingDep
from scalewatch.web.views import ViewDep

MOST_FUNCTIONS: Final = 50
"""Functions of a profile that the page lists; exports have all."""

router = APIRouter(include_in_schema=False, dependencies=DELAY)


@router.get("/p/{project}/hotspots", name="hotspots")  # noqa: FAST003, the view
def show_hotspots(
    request: Request,
    session: ReadingDep,
    view: ViewDep,
    asked: HotspotQuestionDep,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show where the profile of a code changes along a scan."""
    shown = hotspots_at(session, view, asked)
    if wanted is not Format.HTML:
        label = shown.commit.label if shown.commit else "none"
        name = f"{shown.project}-{label}-hotspots"
        return download(wanted, name, shown, profiles, steps)
    query = query_of(view, asked)
    return render(
        request,
        "hotspots/show.html",
        shown=shown,
        asked=shown.question,
        query=query,
        plots=plots_of(
            request,
            "hotspot-figure",
            FIGURES,
            shown,
            {"project": shown.project, **query},
        ),
        lead=hotspots_sentence(shown),
        level=LEVEL,
        most=MOST_FUNCTIONS,
        remarks=remarks,
        setting_key=setting_key,
        share=share,
        server=str(request.base_url).rstrip("/"),
    )


def query_of(view: View, asked: HotspotQuestion) -> Query:
    """Return the whole state of the page; what was not asked for is left out."""
    return {
        "commit": view.commit,
        "machine": view.machine,
        "configuration": view.settings,
        "over": asked.over,
        "held": asked.held,
        "against": asked.against if asked.against is not Against.PREVIOUS else None,
        "correction": asked.correction
        if asked.correction is not Correction.HOLM
        else None,
        "unit": None if asked.unit is None else number(asked.unit),
        "at": asked.at,
        "vs": asked.vs,
    }


def profiles(shown: Hotspots) -> Listing:
    """Return one line per setting and function."""
    scan = shown.chosen
    over = shown.question.over or "setting"
    return Listing(
        ("machine", "held", over, "function", "seconds"),
        [
            (
                scan.machine,
                assignments(scan.held),
                setting_key(setting),
                function,
                seconds,
            )
            for setting, times in zip(scan.settings, scan.seconds, strict=False)
            for function, seconds in zip(scan.functions, times, strict=True)
        ]
        if scan
        else [],
    )


def steps(shown: Hotspots) -> Listing:
    """Return one line per comparison."""
    return Listing(
        ("From", "To", "χ²", "p", "Corrected p", "1 − p", "τ", "(1 − τ)/2", "Remarks"),
        [
            (
                setting_key(step.before),
                setting_key(step.after),
                step.difference.chi2,
                step.difference.p_value,
                step.corrected_p_value,
                step.difference.difference,
                step.difference.tau,
                step.difference.order_difference,
                remarks(step),
            )
            for step in (shown.chosen.steps if shown.chosen else ())
        ],
    )

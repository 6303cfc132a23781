"""The page of configurations: the best one, and which settings matter."""

from collections.abc import Mapping
from typing import Final

from fastapi import APIRouter, Request, Response

from scalewatch.errors import NoTimes
from scalewatch.exporters.listing import Listing
from scalewatch.modelling import ScalingKind
from scalewatch.pages.configurations_sentences import (
    confounded_sentence,
    level_text,
    search_sentence,
    suspicions,
)
from scalewatch.pages.rendering.delay import DELAY
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.rendering.plots import plots_of
from scalewatch.pages.rendering.templates import Query as Address
from scalewatch.pages.rendering.templates import render
from scalewatch.pages.scaling_errors_sentences import share
from scalewatch.pages.untimed import show_untimed
from scalewatch.pages.wording.formats import number
from scalewatch.services.configurations import (
    FIGURES,
    ConfigurationSearch,
    Objective,
    objective_name,
    objective_unit,
    search_configurations,
)
from scalewatch.services.selection.view import View
from scalewatch.web.queries import ConfigurationQuestionDep
from scalewatch.web.sessions import ReadingDep
from scalewatch.web.views import ViewDep

OBJECTIVES: Final = {
    Objective.AREA: "share of the ideal that is lost",
    Objective.GROWTH: "growth of the slowdown",
    Objective.CORRELATION: "steadiness of the error (as published)",
    Objective.TIME: "time at a scale",
}

router = APIRouter(include_in_schema=False, dependencies=DELAY)


@router.get("/p/{project}/configurations", name="configurations")  # noqa: FAST003, the view
def show_configurations(  # noqa: PLR0913, PLR0917 - parts of the address
    request: Request,
    session: ReadingDep,
    view: ViewDep,
    asked: ConfigurationQuestionDep,
    region: str | None = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show the best configuration of a region, and which settings matter."""
    try:
        shown = search_configurations(session, view, region or None, asked)
    except NoTimes as error:
        if wanted is not Format.HTML:
            raise
        return show_untimed(request, view, "configurations", error)
    if wanted is not Format.HTML:
        name = f"{shown.region}-{shown.commit.label}-configurations"
        return download(wanted, name, shown, tried)
    query = query_of(view, shown)
    return render(
        request,
        "configurations/show.html",
        shown=shown,
        asked=asked,
        query=query,
        plots=plots_of(
            request,
            "configuration-figure",
            FIGURES,
            shown,
            {"project": shown.project, **query},
        ),
        lead=search_sentence(shown),
        suspicions=suspicions(shown),
        confounded=confounded_sentence,
        level_text=level_text,
        objective=objective_name(asked),
        unit=objective_unit(asked),
        objectives=OBJECTIVES,
        share=share,
        server=str(request.base_url).rstrip("/"),
    )


def query_of(view: View, shown: ConfigurationSearch) -> Address:
    """Return the whole state of the page; what was not asked for is left out."""
    asked = shown.question
    return {
        "region": shown.region,
        "commit": view.commit,
        "metric": view.metric,
        "machine": view.machine,
        "configuration": view.settings,
        "objective": asked.objective if asked.objective is not Objective.AREA else None,
        "kind": asked.kind if asked.kind is not ScalingKind.STRONG else None,
        "target": None if asked.target is None else number(asked.target),
        "size": None if asked.size is None else number(asked.size),
        "where": _stated(asked.constraints),
        "declare": _stated(asked.declared),
    }


def tried(shown: ConfigurationSearch) -> Listing:
    """Return one line per configuration, the best first."""
    return Listing(
        ("machine", *shown.space, "objective", "reason"),
        [
            (
                shown.machine,
                *(each.settings.get(name) for name in shown.space),
                each.value,
                each.reason,
            )
            for each in shown.tried
        ],
    )


def _stated(levels: Mapping[str, tuple[str, ...]]) -> list[str]:
    return [f"{name}={'|'.join(values)}" for name, values in levels.items()]

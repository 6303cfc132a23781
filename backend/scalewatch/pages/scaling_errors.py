"""The page of scaling errors: contours, rows and what they amount to."""

from functools import partial
from math import inf
from typing import Annotated, Any, Final

from fastapi import APIRouter, Request, Response

from scalewatch.errors import NoTimes
from scalewatch.exporters.listing import Listing
from scalewatch.modelling import DivergenceMetric, ScalingKind
from scalewatch.modelling.scaling_errors.divergence_metric import MEANINGS
from scalewatch.pages.rendering.delay import DELAY
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.rendering.plots import plots_of
from scalewatch.pages.rendering.templates import Query, render
from scalewatch.pages.scaling_errors_sentences import (
    LETTERS,
    design_sentence,
    gaps_sentence,
    loss_sentence,
    scaling_sentence,
    serial_fraction,
    share,
)
from scalewatch.pages.untimed import show_untimed
from scalewatch.pages.wording.formats import assignments, number
from scalewatch.services.scaling_errors.figures import FIGURES
from scalewatch.services.scaling_errors.region import RegionScaling, scaling_errors_at
from scalewatch.services.scaling_errors.scan import (
    CodeScaling,
    Quantity,
    ScalingQuestion,
    TimesSource,
)
from scalewatch.services.selection.view import View
from scalewatch.web.queries import ScalingQuestionDep, choice
from scalewatch.web.sessions import ReadingDep
from scalewatch.web.views import ViewDep

EXAMPLE_SIZE: Final = 1000
"""Work per process of a weak scaling study that is proposed."""

EXAMPLE_SCALES: Final = (2.0, 4.0, 8.0, 16.0, 32.0)

router = APIRouter(include_in_schema=False, dependencies=DELAY)


@router.get("/p/{project}/scaling", name="scaling-errors")  # noqa: FAST003, the view
def show_scaling_errors(  # noqa: PLR0913, PLR0917 - parts of the address
    request: Request,
    session: ReadingDep,
    view: ViewDep,
    asked: ScalingQuestionDep,
    region: str | None = None,
    quantity: Annotated[Quantity | None, choice("quantity", Quantity)] = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show how far a region is from ideal scaling, between all pairs of scales."""
    try:
        shown = scaling_errors_at(session, view, region or None, asked)
    except NoTimes as error:
        if wanted is not Format.HTML:
            raise
        return show_untimed(request, view, "scaling-errors", error)
    if wanted is not Format.HTML:
        name = f"{shown.region}-{shown.commit.label}-{shown.kind}-scaling"
        return download(wanted, name, shown, pairs, rows)
    kind = shown.kind
    drawn = quantity or Quantity.EFFICIENCY
    state = query_of(view, shown, asked)
    query = {
        **state,
        "quantity": drawn if drawn is not Quantity.EFFICIENCY else None,
    }
    return render(
        request,
        "scaling_errors/show.html",
        shown=shown,
        kind=kind,
        query=query,
        quantity=drawn,
        plots=plots_of(
            request,
            "scaling-error-figure",
            FIGURES,
            shown,
            {"project": shown.project, **state},
        ),
        ranked=ranked(shown.scalings),
        telling_of=partial(telling, shown),
        letter=LETTERS[kind],
        lead=scaling_sentence(shown, shown.chosen),
        design_sentence=design_sentence(shown.chosen),
        loss_sentence=loss_sentence(shown.chosen),
        gaps_sentence=gaps_sentence(shown.chosen),
        kinds=tuple(ScalingKind),
        sources=tuple(TimesSource),
        metrics=MEANINGS,
        share=share,
        serial_fraction=serial_fraction,
        proposed=[
            (scale, EXAMPLE_SIZE * scale)
            for scale in shown.chosen.scales or EXAMPLE_SCALES
        ],
        server=str(request.base_url).rstrip("/"),
    )


def query_of(view: View, shown: RegionScaling, asked: ScalingQuestion) -> Query:
    """Return what its figures depend on; what was not asked for is left out."""
    return {
        "region": shown.region,
        "commit": view.commit,
        "metric": view.metric,
        "machine": view.machine,
        "configuration": view.settings,
        "kind": asked.kind,
        "size": _stated(asked.size),
        "base": _stated(asked.base),
        "source": asked.source if asked.source is not TimesSource.MEASURED else None,
        "to": _stated(asked.reach),
        "vs": asked.vs,
    }


def ranked(scalings: tuple[CodeScaling, ...]) -> list[CodeScaling]:
    """Return scalings by the share that they lose, most first, unknown ones last."""

    def loss(scaling: CodeScaling) -> float:
        values = {each.metric: each.value for each in scaling.divergences}
        value = values.get(DivergenceMetric.AREA)
        return inf if value is None else -value

    return sorted(scalings, key=loss)


def telling(shown: RegionScaling, scaling: CodeScaling) -> dict[str, Any]:
    """Return the settings that tell a scaling from the others."""
    return {
        name: value
        for name, value in scaling.configuration.items()
        if name in shown.choices
    }


def pairs(shown: RegionScaling) -> Listing:
    """Return one line per machine, configuration and pair of scales."""
    return Listing(
        ("machine", "configuration", "kind", "size", "n1", "n2", "error", "origin"),
        [
            (
                scaling.machine,
                assignments(scaling.configuration),
                scaling.errors.kind,
                scaling.size,
                each.n1,
                each.n2,
                each.error,
                each.origin,
            )
            for scaling in shown.scalings
            if scaling.errors is not None
            for each in scaling.errors
        ],
    )


def rows(shown: RegionScaling) -> Listing:
    """Return one line per machine, configuration and scale of the row."""
    return Listing(
        (
            "Machine",
            "Configuration",
            "p₂",
            LETTERS[shown.kind],
            "Efficiency",
            "Speed-up",
            "Karp–Flatt",
            "Origin",
        ),
        [
            (
                scaling.machine,
                assignments(scaling.configuration),
                point.n2,
                point.error,
                point.efficiency,
                point.speed_up,
                point.serial_fraction,
                point.origin,
            )
            for scaling in shown.scalings
            for point in scaling.row
        ],
    )


def _stated(value: float | None) -> str | None:
    return None if value is None else number(value)

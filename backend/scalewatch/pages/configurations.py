"""The page of configurations: the best one, and which settings matter."""

from typing import Final

from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from scalewatch.errors import NoTimes
from scalewatch.exporters.listing import Listing
from scalewatch.modelling import MainEffect
from scalewatch.pages.rendering import addresses, errors, navigation, plots, templates
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.wording.formats import held, quantity, settings, share
from scalewatch.services import configurations
from scalewatch.web import queries, sessions

OBJECTIVES: Final = {
    configurations.Objective.AREA: "share of the ideal that is lost",
    configurations.Objective.GROWTH: "growth of the slowdown",
    configurations.Objective.CORRELATION: "steadiness of the error (as published)",
    configurations.Objective.TIME: "time at a scale",
}

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)


@router.get("/p/{project}/scaling/configurations", name="configurations")  # noqa: FAST003, the view
def show_configurations(  # noqa: PLR0913, PLR0917 - parts of the address
    request: Request,
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    question: queries.ConfigurationQuestionDep,
    region: str | None = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show the best configuration of a region, and which settings matter."""
    try:
        shown = configurations.search_configurations(
            session, view, region or None, question
        )
    except NoTimes as error:
        if wanted is not Format.HTML:
            raise
        return errors.show_untimed(request, view, "configurations", error)
    if wanted is not Format.HTML:
        name = f"{shown.region}-{shown.commit.label}-configurations"
        return download(wanted, name, shown, tried)
    query = {
        "region": shown.region,
        **addresses.stated_view(view),
        **addresses.stated_question(
            shown.question, constraints="where", declared="declare"
        ),
    }
    return templates.render(
        request,
        "configurations/show.html",
        shown=shown,
        asked=question,
        query=query,
        plots=plots.plots_of(
            request,
            "configuration-figure",
            configurations.FIGURES,
            shown,
            {"project": shown.project, **query},
        ),
        lead=search_sentence(shown),
        suspicions=suspicions(shown),
        confounded=confounded_sentence,
        level_text=level_text,
        objective=configurations.objective_name(question, shown.scale),
        unit=configurations.objective_unit(question),
        objectives=OBJECTIVES,
    )


def tried(shown: configurations.ConfigurationSearch) -> Listing:
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


BEST: Final = Markup(
    "On <bdi>{machine}</bdi>, <bdi>{settings}</bdi> is best for <bdi>{region}</bdi>: "
    "{objective} = {value}, against {worst} at worst."
)

MATTERS: Final = Markup(
    " {name} matters most: by itself it explains {share} of the variation."
)

NOTHING_MATTERS: Final = Markup(" No setting by itself explains the differences.")

TOGETHER: Final = Markup(
    " {one} and {other} matter together: their interplay explains {share}."
)

NOTEWORTHY: Final = 0.1
"""An interplay that explains more than this share is told."""

SUSPICIONS: Final = {
    "threads": (
        "One thread is best: look for a bug in the distribution of the work among "
        "threads, or for a section that only one of them can enter."
    ),
    "tasks_per_node": (
        "Nodes that are not filled are best: the code may be bound by memory, not by "
        "processors."
    ),
}
"""Explanations of a setting whose smallest level is best (section 2.3)."""


def search_sentence(shown: configurations.ConfigurationSearch) -> Markup:
    """Tell which configuration is best, and which settings matter."""
    best, effects = shown.best, shown.effects
    if best is None or effects is None:
        return Markup("")
    unit = configurations.objective_unit(shown.question)
    said = BEST.format(
        machine=shown.machine,
        settings=settings(best.settings) or "the only configuration",
        region=shown.region,
        objective=configurations.objective_name(shown.question, shown.scale),
        value=quantity(effects.best.value, unit),
        worst=quantity(effects.trials[-1].value, unit),
    )
    leading = effects.main[0] if effects.main else None
    if leading is None or not leading.share:
        said += NOTHING_MATTERS
    else:
        said += MATTERS.format(name=leading.setting, share=share(leading.share))
    for interaction in effects.interactions[:1]:
        if (interaction.share or 0.0) > NOTEWORTHY:
            first, second = interaction.settings
            said += TOGETHER.format(
                one=first, other=second, share=share(interaction.share or 0.0)
            )
    return said


def suspicions(shown: configurations.ConfigurationSearch) -> list[str]:
    """Return what to look for, where the smallest level of a setting is best."""
    if shown.effects is None:
        return []
    return [
        SUSPICIONS[effect.setting]
        for effect in shown.effects.main
        if effect.setting in SUSPICIONS and effect.share and is_smallest(effect)
    ]


def confounded_sentence(effect: MainEffect) -> str:
    """Tell with what a setting changed together."""
    if not effect.confounded_with:
        return ""
    others = ", ".join(effect.confounded_with)
    return f"always changed together with {others}: their effects cannot be separated"


def level_text(effect: MainEffect, unit: str) -> str:
    """Return the levels of a setting with their means in a unit, the best first."""
    return " · ".join(
        f"{held(each.level, effect.setting)}: {quantity(each.mean, unit)}"
        for each in effect.levels
    )


def is_smallest(effect: MainEffect) -> bool:
    """Tell whether the smallest number of a setting is its best level."""
    levels = [
        each.level
        for each in effect.levels
        if isinstance(each.level, int | float) and not isinstance(each.level, bool)
    ]
    return len(levels) > 1 and effect.best.level == min(levels)
